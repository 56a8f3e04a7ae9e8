package engine

import (
	"cmp"
	"slices"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
)

// What a replay of a chat needs of the engine. Nothing here changes the engine.

// ReplayOptions returns the options of a new attention that decides like the engine's. Its budget has the same limits and no
// usage. flow is nil without Options.HFC.
func ReplayOptions(e *Engine, trace func(heartflow.Trace)) (plain heartflow.Options, flow *hfc.Options, err error) {
	plain = e.Options.attentionOptions(trace)
	plain.Seed, plain.KeepTraces = e.Attention.Seed(), -1
	if plain.Budget, err = heartflow.NewBudget(plain.Budget.Options()); err != nil || e.Options.HFC == nil {
		return plain, nil, err
	}
	o := *e.Options.HFC
	o.Attention = plain
	return plain, &o, nil
}

// UnloadedChat returns a Chat that the engine does not know, to convert records of chats that are not in memory.
func UnloadedChat(chat persona.Chat) *Chat { return newChat(chat, chatScope(chat)) }

// AttentionMessage converts a message like that of a live chat.
func AttentionMessage(e *Engine, m persona.Message) heartflow.Message {
	m.Text = ClipPrompt(m.Text)
	return e.attentionMessage(m, false)
}

// FilterOf returns the filter that a chat with these options has.
func FilterOf(e *Engine, o ChatOptions) *heartflow.Filter { return cmp.Or(o.Banned, e.Options.Banned) }

// IsCommand reports whether a part would handle a message as a command.
func IsCommand(e *Engine, m persona.Message) bool {
	return slices.ContainsFunc(e.parts, func(p Part) bool { return p.IsCommand != nil && p.IsCommand(m) })
}

// ResolveQuotes fills in whether the messages that quote another one of the list quote the bot.
func ResolveQuotes(e *Engine, list []persona.Message) {
	own := map[string]bool{} // by the id of the message
	for i := range list {
		m := &list[i]
		if is, known := own[e.NormalizeID(m.ReplyTo)]; m.ReplyTo != "" && m.Quote == nil && known {
			m.Quote = &persona.Quote{ID: m.ReplyTo, Key: e.NormalizeID(m.ReplyTo), Own: is}
		}
		own[messageID(m.Key)] = m.Own
	}
}
