package engine

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// initialLabel returns the label of a turn before it reads anything. Owner's turns begin trusted, unless an untrusted
// turn planned them and no human has confirmed the plan.
func (j *Job) initialLabel() memory.Label {
	switch {
	case j.hasGrant():
		return withTrust(PlanLabel(j.Wake.Origin))
	case j.Wake != nil:
		return PlanLabel(j.Wake.Origin)
	}
	return j.Chat.Label
}

// messageLabel returns the label of a chat message.
func messageLabel(e *Engine, c *Chat, m persona.Message) memory.Label {
	labels := &e.Options.Labels
	switch {
	case m.Own:
		return labels.LabelOf(DatumSent, sentLabel(e, c, m))
	case m.IsTyped() && e.Router.IsOwner(persona.Account{Platform: m.Chat.Platform, ID: m.From}):
		return labels.LabelOf(DatumOwnerInChat, memory.Trusted(c.Space))
	}
	return labels.LabelOf(DatumChatMessage, c.Label)
}

// isOwners reports whether a label has data of the owner's conversation, or of unknown chats.
func isOwners(l memory.Label) bool {
	return !l.IsZero() && (l.IsOwnerOnly() || slices.Contains(l.Spaces(), memory.Owner))
}

// sentLabel returns the label of a message that the bot sent. A notice in the owner's private chat keeps the label that
// it was committed with, also if the platform's echo or history brings it.
func sentLabel(e *Engine, c *Chat, m persona.Message) memory.Label {
	if !e.Router.IsOwnersChat(c.ID) {
		return c.Label
	}
	var l memory.Label
	stored := e.Jobs.SentLabel(c.ID, func(text string) bool { return textMatches(m.Text, text) })
	if stored == "" || l.UnmarshalText([]byte(stored)) != nil {
		return c.Label
	}
	return l
}

// Label returns the label of the turn's output: the join of the labels of all data that the turn has read. It is zero
// for a nil turn.
func (t *Turn) Label() memory.Label {
	if t == nil {
		return memory.Label{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.labelLocked()
}

// labelLocked returns the label so far. t.mu must be held.
func (t *Turn) labelLocked() memory.Label {
	if t.label.IsZero() {
		t.label = t.initialLabel()
	}
	return t.label
}

// MarkRead joins l into the turn's label. An untrusted label revokes the tools that act for the owner for the rest of the
// turn; with a Confirm they stay and each call is confirmed.
func (t *Turn) MarkRead(l memory.Label) {
	if t == nil {
		return
	}
	l = t.Engine.Memory.EndorsedLabel(l)
	t.mu.Lock()
	t.label = t.labelLocked().Join(l)
	t.mu.Unlock()
	if !l.IsTrusted() {
		t.Tools.Revoke(nit.L3)
	}
}

// readMemories records memories that a built-in tool returned.
func (t *Turn) readMemories(l memory.Label, ids []string) {
	if t == nil {
		return
	}
	t.MarkRead(l)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.toolSources = append(t.toolSources, ids...)
}

// MayRead reports whether a prompt or search may show a datum to the turn, although the model did not ask for it by
// id. A turn of a chat may read data of its chat, of the bot itself and of public chats. An owner's turn may read
// trusted data. A turn in an owner's private chat may also read what notices brought there from other chats. It may read untrusted data only if it has no tool that acts, and no tool that a human granted. A
// background turn of the owner may read only data that the owner typed in the app. Labels.Show can decide otherwise.
func (t *Turn) MayRead(d Datum, l memory.Label) bool {
	may := t.mayReadByDefault(l)
	if f := t.Engine.Options.Labels.Show; f != nil {
		return f(t.Chat.Space, d, l, may)
	}
	return may
}

// mayReadByDefault is MayRead without Labels.Show.
func (t *Turn) mayReadByDefault(l memory.Label) bool {
	l = t.Engine.Memory.EffectiveLabel(l)
	switch {
	case t.Chat.Agent() && t.Background:
		return t.Engine.IsOwnersAlone(l)
	case t.Chat.Agent():
		return l.IsTrusted() || !t.hasGrant() && !t.Tools.HasFunc(actsForOwner)
	}
	if l.IsOwnerOnly() {
		return false
	}
	if t.Engine.Router.IsOwnersChat(t.Chat.ID) && slices.Contains(l.Spaces(), t.Chat.Space) && !isOwners(l) {
		return true // derived from a notice there: the owner may read all chats
	}
	return !slices.ContainsFunc(l.Spaces(), func(s memory.Space) bool { return s != t.Chat.Space && s != memory.Self && !t.Engine.isPublic(s) })
}

// IsOwnersAlone reports whether data with this label is the owner's alone: trusted, and from the app, not from a chat.
func (e *Engine) IsOwnersAlone(l memory.Label) bool {
	l = e.Memory.EffectiveLabel(l)
	return l.IsTrusted() && l.ReadableFrom(memory.Owner)
}

// isPublic reports whether everybody may read a chat.
func (e *Engine) isPublic(s memory.Space) bool {
	var chat persona.Chat
	if chat.UnmarshalText([]byte(s)) != nil {
		return false
	}
	c := e.LoadedChat(chat)
	return c != nil && c.Public()
}

// Placeholder returns a placeholder for a text that a turn may not read. ids are the records that contain the text.
func Placeholder(l memory.Label, ids ...string) string {
	var from []string
	for _, s := range l.Spaces() {
		if s != memory.Owner {
			from = append(from, string(s))
		}
	}
	whose, open := "别人说", "要看就查记忆"
	if len(from) > 0 {
		whose = " " + strings.Join(from, "、") + " "
	}
	if len(ids) > 0 {
		open = "要看就用 memory_ops 打开 id " + strings.Join(ids, "、")
	}
	return "（这里有" + whose + "的内容，没有打开；" + open + "）"
}

// PlanLabel returns the label of the text of a task or timer. A plan of a chat is never trusted, whatever its row
// says.
func PlanLabel(m schedule.Origin) memory.Label {
	var l memory.Label
	if l.UnmarshalText([]byte(m.Label)) != nil {
		return memory.OwnerOnly()
	}
	least := memory.Untrusted()
	switch {
	case m.Mode == persona.Agent && !l.IsZero():
		return l
	case m.Mode == persona.Agent && !m.Restricted:
		return memory.Trusted(memory.Owner)
	case m.Mode == persona.Agent:
		return memory.Untrusted(memory.Owner)
	case m.Chat != (persona.Chat{}):
		least = memory.Untrusted(memory.Space(m.Chat.String()))
	}
	if l.IsZero() {
		return least
	}
	return l.Join(least)
}

// hasGrant reports whether the owner's turn runs a plan for which a human has allowed tools.
func (j *Job) hasGrant() bool {
	return j.Wake != nil && j.Wake.Origin.Mode == persona.Agent && len(j.Wake.AllowedTools()) > 0
}

// withTrust returns a trusted label of the same spaces.
func withTrust(l memory.Label) memory.Label {
	_ = l.UnmarshalText([]byte("T" + l.String()[1:])) // cannot fail: l is not zero
	return l
}

// LabelFor returns the label of a datum that the turn creates.
func (t *Turn) LabelFor(d Datum) memory.Label {
	if t == nil {
		return memory.Label{}
	}
	return t.Engine.Options.Labels.LabelOf(d, t.Label())
}

// actsForOwner reports whether a tool changes something on the owner's computer or in their memory.
func actsForOwner(tool nit.ToolInfo) bool { return tool.Tier == nit.L3 && !tool.ReadOnly }
