package autonomy

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// The document self.HearsayNotes consists of owner's parts.
const (
	hearsayPrefix   = "heard/" // prefix of the parts' names
	maxHearsayParts = 10       // older parts are deleted
	maxHearsayRunes = 400      // of one part
)

// hearsay returns the parts of the document, oldest first.
func (a *Autonomy) hearsay(ctx context.Context) ([]memory.Note, error) {
	return a.parts.list(ctx, hearsayPrefix)
}

// writeHearsay adds one part to the document: a summary of statements by others that the answers of a conversation with
// the owner quoted. The model has no tools and reads the original conversation. The part bears the joined label of all
// its messages.
func (a *Autonomy) writeHearsay(ctx context.Context, conv schedule.Conversation) error {
	if exists, err := a.parts.has(ctx, hearsayPrefix, conv); exists || err != nil {
		return err
	}
	past, err := a.parts.conversation(ctx, conv, maxReflectedMessages)
	if err != nil {
		return err
	}
	s, label := prompt.Scene{Kind: prompt.Hearsay}, memory.Trusted(memory.Owner)
	for _, rec := range past {
		label = label.Join(a.engine.Memory.EndorsedLabel(rec.LabelOrDefault()))
		s.Recent = append(s.Recent, engine.MessageFromRecord(a.engine.OwnerChat, rec))
	}
	if a.engine.IsOwnersAlone(label) {
		return nil
	}
	text, err := a.engine.Ask(ctx, a.engine.OwnerChat, s, a.call)
	if err != nil || text == "" {
		return err
	}
	return a.parts.put(ctx, ownerPart{hearsayPrefix, clip.Ellipsis(text, maxHearsayRunes), a.engine.Options.Labels.LabelOf(engine.DatumDocument, label), maxHearsayParts}, conv, past)
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
