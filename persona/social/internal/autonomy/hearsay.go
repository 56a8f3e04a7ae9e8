package autonomy

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// The document self.HearsayNotes consists of slots in the owner's secret space, one a conversation. Each has its own
// label and sources, so memory erases it together with its sources.
const (
	hearsayPrefix   = "heard/" // prefix of the slots' names; the end of the conversation follows
	maxHearsayParts = 10       // older parts are deleted
	maxHearsayRunes = 400      // of one part
)

func (a *Autonomy) hearsayNotes() *memory.Notes { return a.engine.Memory.Notes(memory.Owner.Secret()) }

// hearsay returns the parts of the document, oldest first.
func (a *Autonomy) hearsay(ctx context.Context) ([]memory.Note, error) {
	parts, err := a.hearsayNotes().Slots(ctx)
	return slices.DeleteFunc(parts, func(n memory.Note) bool { return !strings.HasPrefix(n.Name, hearsayPrefix) }), err
}

// writeHearsay adds one part to the document: a summary of statements by others that the answers of a conversation with
// the owner quoted. The model has no tools and reads the original conversation. The part bears the joined label of all
// its messages.
func (a *Autonomy) writeHearsay(ctx context.Context, conv schedule.Conversation) error {
	name := hearsayPrefix + conv.To.UTC().Format(time.RFC3339)
	parts, err := a.hearsay(ctx)
	if err != nil || slices.ContainsFunc(parts, func(n memory.Note) bool { return n.Name == name }) {
		return err
	}
	past, err := a.engine.Memory.Recent(ctx, memory.Owner, maxReflectedMessages)
	if err != nil {
		return err
	}
	excluded := func(rec memory.Record) bool { return !inConversation(conv, rec.At) || a.isErased(rec) }
	past = slices.DeleteFunc(past, excluded)
	s, label := prompt.Scene{Kind: prompt.Hearsay}, memory.Trusted(memory.Owner)
	var ids, sources []string
	for _, rec := range past {
		label = label.Join(a.engine.Memory.EndorsedLabel(rec.LabelOrDefault()))
		s.Recent = append(s.Recent, engine.MessageFromRecord(a.engine.OwnerChat, rec))
		ids, sources = append(ids, rec.ID), append(sources, rec.Sources...)
	}
	if a.engine.IsOwnersAlone(label) {
		return nil
	}
	text, err := a.engine.Ask(ctx, a.engine.OwnerChat, s, a.call)
	if err != nil || text == "" {
		return err
	}
	sources = append(slices.Clone(ids), sources...)
	bearing := a.hearsayNotes().WithLabel(a.engine.Options.Labels.LabelOf(engine.DatumDocument, label))
	if err := bearing.SetSlot(ctx, time.Now(), name, clip.Ellipsis(text, maxHearsayRunes), sources[:min(len(sources), memory.MaxSources)]...); err != nil {
		return err
	}
	current, err := a.engine.Memory.Get(ctx, memory.Owner, ids...)
	if err != nil || len(current) < len(ids) || slices.ContainsFunc(current, excluded) { // a source was erased meanwhile
		return cmp.Or(err, a.hearsayNotes().SetSlot(ctx, time.Now(), name, ""))
	}
	for _, old := range parts[:max(0, len(parts)+1-maxHearsayParts)] {
		if err := a.hearsayNotes().SetSlot(ctx, time.Now(), old.Name, ""); err != nil {
			return err
		}
	}
	return nil
}

// isErased reports whether a record, or a chat that its label names, was erased after the record was made.
func (a *Autonomy) isErased(rec memory.Record) bool {
	if a.engine.Tombstones.Covers(a.engine.OwnerChat.ID, rec.Person, rec.At) {
		return true
	}
	label := rec.LabelOrDefault()
	return slices.ContainsFunc(label.Spaces(), func(s memory.Space) bool {
		var chat persona.Chat
		return chat.UnmarshalText([]byte(s)) == nil && a.engine.Tombstones.Covers(chat, "", rec.At)
	})
}

// showHearsay adds the document to a scene: all parts that the turn may read, and a stub for the others.
func (a *Autonomy) showHearsay(ctx context.Context, t *engine.Turn, s *engine.Scene) error {
	parts, err := a.hearsay(ctx)
	var hidden memory.Label
	shown := slices.DeleteFunc(parts, func(n memory.Note) bool {
		if t.MayRead(engine.DatumDocument, n.Label) {
			t.MarkRead(n.Label)
			t.Derived = append(t.Derived, n.Sources...)
			return false
		}
		if hidden.IsZero() {
			hidden = n.Label
		}
		hidden = hidden.Join(n.Label)
		return true
	})
	text := a.hearsayText(shown)
	if !hidden.IsZero() {
		text += engine.Placeholder(hidden) + "\n"
	}
	if text != "" {
		s.Documents = append(s.Documents, prompt.Document{Name: self.HearsayNotes, Text: text})
	}
	return err
}

// hearsayText formats the document.
func (a *Autonomy) hearsayText(parts []memory.Note) string {
	var text strings.Builder
	for _, n := range parts {
		text.WriteString("## " + n.At.In(a.o.Tasks.Location).Format("2006-01-02 15:04") + "\n" + n.Text + "\n\n")
	}
	return text.String()
}
