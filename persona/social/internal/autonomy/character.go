package autonomy

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// character is the built-in tool that changes the bot's mood, tone and sleep for a while. A change by a chat's turn
// applies in that chat only: as a note, and for sleep as a short nap. A change by the owner applies everywhere, after
// redaction.
type character struct{ *Autonomy }

// maxNap is the longest sleep that a turn of anybody but the owner can request, because people can talk a turn into it.
const maxNap = time.Hour

// Change implements [self.Character].
func (c character) Change(ctx context.Context, change self.Change) error {
	a, now := c.Autonomy, time.Now()
	who, err := turnOrigin(ctx)
	if err != nil {
		return err
	}
	space, owner := memory.Self, who.Mode == persona.Agent
	if who.Chat != (persona.Chat{}) {
		space = memory.Space(who.Chat.String())
	}
	if owner && a.engine.Options.Redact == nil {
		space = memory.Owner
	}
	t := engine.TurnFrom(ctx)
	from, label := t.Sources(), t.Label()
	if owner && a.engine.IsOwnersAlone(label) {
		from = nil // only the owner's words
		if a.engine.Options.Redact != nil {
			label = memory.Trusted() // redacted, so the change may be shown everywhere
		}
	}
	for _, note := range [...]struct{ name, text string }{{noteMood, change.Mood}, {noteTone, change.Tone}} {
		if note.text == "" {
			continue
		}
		if owner && a.engine.Options.Redact != nil {
			if note.text, err = a.engine.Options.Redact(ctx, note.text); err != nil {
				return err
			}
		}
		err := t.WriteNote(func(empty bool) error {
			if empty {
				note.text = ""
			}
			return a.engine.Memory.Notes(space).WithLabel(a.engine.Options.Labels.LabelOf(engine.DatumMood, label)).SetSlot(ctx, now, note.name, note.text, from...)
		})
		if err != nil {
			return err
		}
	}
	switch {
	case who.Chat != (persona.Chat{}):
		if change.Sleep > 0 {
			a.o.Nap(now, who.Chat, now.Add(min(change.Sleep, maxNap)))
		}
	case owner && change.Wake:
		if err := a.o.SaveSleep(ctx, nil); err != nil {
			return err
		}
		a.engine.Attention.Wake(now)
	case owner && change.Sleep > 0:
		until := now.Add(change.Sleep)
		if err := a.o.SaveSleep(ctx, &until); err != nil {
			return err
		}
		a.engine.Attention.Sleep(now, until)
	case change.Sleep > 0:
		a.engine.Attention.Sleep(now, now.Add(min(change.Sleep, maxNap)))
	}
	return nil
}
