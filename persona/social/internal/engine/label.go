package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// start is the label of a turn that was shown nothing yet: the owner's is trusted, unless what set it going was not.
func (j *Job) start() memory.Label {
	switch {
	case j.Chat.InChat:
		return memory.Untrusted(j.Chat.Space)
	case !j.Chat.Agent(): // the bot by itself
		return memory.Untrusted()
	case j.Wake != nil && j.Wake.Maker.Shed && !j.Wake.Maker.Trusted:
		return memory.Untrusted(memory.Owner)
	}
	return memory.Trusted(memory.Owner)
}

// heard is the label of a message of a chat.
func heard(b *Engine, c *Chat, m persona.Message) memory.Label {
	labels := &b.Options.Labels
	switch {
	case m.Own:
		return labels.LabelOf(DatumSent, memory.Untrusted(c.Space))
	case m.Typed && b.Router.IsOwner(persona.Account{Platform: m.Chat.Platform, ID: m.From}):
		return labels.LabelOf(DatumOwnerInChat, memory.Trusted(c.Space))
	}
	return labels.LabelOf(DatumChatMessage, memory.Untrusted(c.Space))
}

// Label is that of what the turn makes: the join of what it was shown. Without a turn it is not set.
func (t *Turn) Label() memory.Label {
	if t == nil {
		return memory.Label{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.labelLocked()
}

// labelLocked is the label so far. t.mu is held.
func (t *Turn) labelLocked() memory.Label {
	if t.label.IsZero() {
		t.label = t.start()
	}
	return t.label
}

// Read notes that the turn is shown a datum. If it is untrusted, the tools that act for the owner are gone for the rest of
// the turn, or asked about where there is somebody to ask.
func (t *Turn) Read(l memory.Label) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.label = t.labelLocked().Join(l)
	t.mu.Unlock()
	if !l.IsTrusted() {
		t.Tools.Shed(nit.L3)
	}
}

// MayRead reports whether a turn may be shown a datum unasked. A turn of a chat may be shown data of that chat, of the bot
// itself, and of public chats. A turn of the owner's may be shown trusted data; untrusted data only if the turn is not in the
// background and has no tool that acts. The host may decide otherwise.
func (t *Turn) MayRead(d Datum, l memory.Label) bool {
	may := t.mayRead(l)
	if f := t.Engine.Options.Labels.Show; f != nil {
		return f(t.Chat.Space, d, l, may)
	}
	return may
}

func (t *Turn) mayRead(l memory.Label) bool {
	if t.Chat.Agent() {
		return l.IsTrusted() || !t.Background && !t.Tools.Some(acts)
	}
	if l.IsOwnerOnly() {
		return false
	}
	return !slices.ContainsFunc(l.Spaces(), func(s memory.Space) bool { return s != t.Chat.Space && s != memory.Self && !t.Engine.isPublic(s) })
}

// isPublic reports that everybody may read what is said in a chat.
func (b *Engine) isPublic(s memory.Space) bool {
	var chat persona.Chat
	if chat.UnmarshalText([]byte(s)) != nil {
		return false
	}
	c := b.Met(chat)
	return c != nil && c.Public
}

// acts reports that a tool changes something for the owner.
func acts(tool nit.Info) bool { return tool.Tier == nit.L3 && !tool.ReadOnly }

// Disarmed reports that an owner's turn has lost tools of the host that act on the computer, by what it has read.
func (t *Turn) Disarmed() bool {
	if t == nil || !t.Chat.Agent() || t.Label().IsTrusted() {
		return false
	}
	ofHost := func(tool nit.Info) bool { return acts(tool) && !t.Engine.Builtin(tool) }
	return !t.Tools.Some(ofHost) && t.View(t.Chat.Principal(false)).Some(ofHost)
}

// notice lets a tool's result count as read, before it runs: what the tools of tiers L1 and L2 give may come from anybody. The
// bot's own tools tell by themselves what they read.
func (t *Turn) notice(_ context.Context, r nit.Request) (nit.Decision, error) {
	if !t.Engine.Builtin(r.Tool) {
		l := memory.Trusted(t.Chat.Space)
		if t.Engine.Options.Labels.Strict || r.Tool.Tier != nit.L3 {
			l = memory.Untrusted(t.Chat.Space)
		}
		t.Read(t.Engine.Options.Labels.LabelOf(DatumToolResult, l))
	}
	return nit.Allow, nil
}

// closed is what stands in the place of a text that a turn is not shown.
func closed(l memory.Label) string {
	var from []string
	for _, s := range l.Spaces() {
		if s != memory.Owner {
			from = append(from, string(s))
		}
	}
	if len(from) == 0 {
		return "（这里有别人说的内容，没有打开；要看就查记忆）"
	}
	return "（这里有 " + strings.Join(from, "、") + " 的内容，没有打开；要看就查记忆）"
}
