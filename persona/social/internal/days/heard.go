package days

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

// The document self.HeardNotes is made of slots of the owner's secret space, one for each talk: each bears its own label and sources,
// and memory forgets it with what it was made of.
const (
	heardNotes = "heard/" // begins the names of these slots; behind it stands when the talk ended
	heardParts = 10       // that are kept
	heardRunes = 400      // of one
)

func (d *Days) heardIn() *memory.Notes { return d.engine.Memory.Notes(memory.Owner.Secret()) }

// heard are the parts of the document, the oldest first.
func (d *Days) heard(ctx context.Context) ([]memory.Note, error) {
	parts, err := d.heardIn().Slots(ctx)
	return slices.DeleteFunc(parts, func(n memory.Note) bool { return !strings.HasPrefix(n.Name, heardNotes) }), err
}

// hear adds to the document what others said in a talk with the owner, where answers told of it. The model has no tool and
// is shown the talk as it was; what it writes bears the label of all of it.
func (d *Days) hear(ctx context.Context, talk schedule.Conversation) error {
	name := heardNotes + talk.To.UTC().Format(time.RFC3339)
	parts, err := d.heard(ctx)
	if err != nil || slices.ContainsFunc(parts, func(n memory.Note) bool { return n.Name == name }) {
		return err
	}
	past, err := d.engine.Memory.Recent(ctx, memory.Owner, reflectedOn)
	if err != nil {
		return err
	}
	gone := func(rec memory.Record) bool { return !said(talk, rec.At) || d.isForgotten(rec) }
	past = slices.DeleteFunc(past, gone)
	s, label := prompt.Scene{Kind: prompt.Hearsay}, memory.Trusted(memory.Owner)
	var ids, sources []string
	for _, rec := range past {
		label = label.Join(d.engine.Memory.EndorsedLabel(rec.LabelOrDefault()))
		s.Recent = append(s.Recent, engine.Message(d.engine.Owners, rec))
		ids, sources = append(ids, rec.ID), append(sources, rec.Sources...)
	}
	if d.engine.OwnersAlone(label) {
		return nil
	}
	text, err := d.engine.Ask(ctx, d.engine.Owners, s, d.call)
	if err != nil || text == "" {
		return err
	}
	sources = append(slices.Clone(ids), sources...)
	bearing := d.heardIn().WithLabel(d.engine.Options.Labels.LabelOf(engine.DatumDocument, label))
	if err := bearing.SetSlot(ctx, time.Now(), name, clip.Ellipsis(text, heardRunes), sources[:min(len(sources), memory.MaxSources)]...); err != nil {
		return err
	}
	is, err := d.engine.Memory.Get(ctx, memory.Owner, ids...)
	if err != nil || len(is) < len(ids) || slices.ContainsFunc(is, gone) { // some of it was forgotten meanwhile
		return cmp.Or(err, d.heardIn().SetSlot(ctx, time.Now(), name, ""))
	}
	for _, old := range parts[:max(0, len(parts)+1-heardParts)] {
		if err := d.heardIn().SetSlot(ctx, time.Now(), old.Name, ""); err != nil {
			return err
		}
	}
	return nil
}

// isForgotten reports that a record, or a chat that it tells of, was forgotten since it was made.
func (d *Days) isForgotten(rec memory.Record) bool {
	if d.engine.Tombstones.Cover(d.engine.Owners.ID, rec.Person, rec.At) {
		return true
	}
	label := rec.LabelOrDefault()
	return slices.ContainsFunc(label.Spaces(), func(s memory.Space) bool {
		var chat persona.Chat
		return chat.UnmarshalText([]byte(s)) == nil && d.engine.Tombstones.Cover(chat, "", rec.At)
	})
}

// showHeard adds the document to a scene: the parts that the turn may be shown, and a stub for the others.
func (d *Days) showHeard(ctx context.Context, t *engine.Turn, s *engine.Scene) error {
	parts, err := d.heard(ctx)
	var hidden memory.Label
	shown := slices.DeleteFunc(parts, func(n memory.Note) bool {
		if t.MayRead(engine.DatumDocument, n.Label) {
			t.Read(n.Label)
			t.Derived = append(t.Derived, n.Sources...)
			return false
		}
		if hidden.IsZero() {
			hidden = n.Label
		}
		hidden = hidden.Join(n.Label)
		return true
	})
	text := d.heardText(shown)
	if !hidden.IsZero() {
		text += engine.Closed(hidden) + "\n"
	}
	if text != "" {
		s.Documents = append(s.Documents, prompt.Document{Name: self.HearsayNotes, Text: text})
	}
	return err
}

// heardText is the document.
func (d *Days) heardText(parts []memory.Note) string {
	var text strings.Builder
	for _, n := range parts {
		text.WriteString("## " + n.At.In(d.o.Tasks.Location).Format("2006-01-02 15:04") + "\n" + n.Text + "\n\n")
	}
	return text.String()
}
