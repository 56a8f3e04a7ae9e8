package autonomy

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// An ownerPart is a text about one conversation with the owner. It is a slot in the owner's secret space with its own
// label and sources, so memory erases it together with its sources.
type ownerPart struct {
	prefix string // of the slot's name; the end of the conversation follows
	text   string
	label  memory.Label
	keep   int // older parts with this prefix are deleted
}

// ownerParts reads and writes owner's parts.
type ownerParts struct{ engine *engine.Engine }

func (p ownerParts) notes() *memory.Notes { return p.engine.Memory.Notes(memory.Owner.Secret()) }

func ownerPartName(prefix string, conv schedule.Conversation) string {
	return prefix + conv.To.UTC().Format(time.RFC3339)
}

// list returns the parts with a prefix, oldest first.
func (p ownerParts) list(ctx context.Context, prefix string) ([]memory.Note, error) {
	parts, err := p.notes().Slots(ctx)
	return slices.DeleteFunc(parts, func(n memory.Note) bool { return !strings.HasPrefix(n.Name, prefix) }), err
}

func (p ownerParts) has(ctx context.Context, prefix string, conv schedule.Conversation) (bool, error) {
	parts, err := p.list(ctx, prefix)
	return slices.ContainsFunc(parts, func(n memory.Note) bool { return n.Name == ownerPartName(prefix, conv) }), err
}

// conversation returns the messages of a conversation with the owner that are not erased, of the latest most
// messages.
func (p ownerParts) conversation(ctx context.Context, conv schedule.Conversation, most int) ([]memory.Record, error) {
	past, err := p.engine.Memory.Recent(ctx, memory.Owner, most)
	return slices.DeleteFunc(past, func(rec memory.Record) bool { return !p.belongsTo(conv, rec) }), err
}

func (p ownerParts) belongsTo(conv schedule.Conversation, rec memory.Record) bool {
	return inConversation(conv, rec.At) && !p.isErased(rec)
}

// put stores a part that was made from messages of a conversation. If one of them was erased meanwhile, it
// stores nothing.
func (p ownerParts) put(ctx context.Context, part ownerPart, conv schedule.Conversation, from []memory.Record) error {
	before, err := p.list(ctx, part.prefix)
	if err != nil {
		return err
	}
	var ids, sources []string
	for _, rec := range from {
		ids, sources = append(ids, rec.ID), append(sources, rec.Sources...)
	}
	name := ownerPartName(part.prefix, conv)
	sources = append(slices.Clone(ids), sources...)
	if err := p.notes().WithLabel(part.label).SetSlot(ctx, time.Now(), name, part.text, sources[:min(len(sources), memory.MaxSources)]...); err != nil {
		return err
	}
	current, err := p.engine.Memory.Get(ctx, memory.Owner, ids...)
	if err != nil || len(current) < len(ids) || slices.ContainsFunc(current, func(rec memory.Record) bool { return !p.belongsTo(conv, rec) }) {
		return cmp.Or(err, p.notes().SetSlot(ctx, time.Now(), name, ""))
	}
	for _, old := range before[:max(0, len(before)+1-part.keep)] {
		if err := p.notes().SetSlot(ctx, time.Now(), old.Name, ""); err != nil {
			return err
		}
	}
	return nil
}

// isErased reports whether a record, or a chat that its label names, was erased after the record was made.
func (p ownerParts) isErased(rec memory.Record) bool {
	if p.engine.Tombstones.Covers(p.engine.OwnerChat.ID, rec.Person, rec.At) {
		return true
	}
	label := rec.LabelOrDefault()
	return slices.ContainsFunc(label.Spaces(), func(s memory.Space) bool {
		var chat persona.Chat
		return chat.UnmarshalText([]byte(s)) == nil && p.engine.Tombstones.Covers(chat, "", rec.At)
	})
}
