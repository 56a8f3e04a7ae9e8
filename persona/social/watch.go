package social

import (
	"context"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Watch calls f for each event until stop is called: messages, decisions, turns, calls of models and tools, sends and
// the state of the link. Calls of f do not overlap. f must return at once and must not call the bot. After stop has returned, f
// is not called again. Without a watcher the bot keeps no prompts. See package persona/trace; persona/social/inspect shows
// the events in a browser.
func (b *Bot) Watch(f func(trace.Event)) (stop func()) { return b.engine.Watchers.Watch(f) }

// Online returns whether the link is connected, by platform. A platform is listed from its first connection on; if
// LinkFeatures.Platform says which one it is, from the start.
func (b *Bot) Online() map[string]bool { return b.engine.Link.Online(b.engine.Options.Features) }

// Waiting returns the number of messages that wait until the bot judges them.
func (b *Bot) Waiting() int { return b.engine.Buffer.Len() }

// ErrOverBudget is returned by [Bot.TryPrompt] if the rest of the budget is reserved for replies.
var ErrOverBudget = engine.ErrOverBudget

// TryPrompt asks the model of a purpose once, and returns its answer with its tokens. The model gets no tools. Nothing is sent
// or stored. The tokens count as a background call of the owner's conversation. If the rest of the budget is reserved for
// replies, it returns [ErrOverBudget].
func (b *Bot) TryPrompt(ctx context.Context, p models.Purpose, system, prompt string) (answer string, used models.Usage, err error) {
	return b.engine.TryPrompt(ctx, p, system, prompt)
}

// Memory returns the bot's memory, to look at and to mend. Show its content to the owner only.
func (b *Bot) Memory() *memory.Memory { return b.engine.Memory }
