package days

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// character changes what the being is like for a while. What a chat's turn wants holds in that chat, as a note there, and
// for sleep as a nap; what the owner wants holds everywhere, as far as the redactor lets it through.
type character struct{ *Days }

// napMost is how long a turn may sleep that is not the owner's: people can talk it into that.
const napMost = time.Hour

// Change implements [self.Character].
func (c character) Change(ctx context.Context, change self.Change) error {
	d, now := c.Days, time.Now()
	who, err := makerOf(ctx)
	if err != nil {
		return err
	}
	space, owner := memory.Self, who.Mode == persona.Agent
	if who.Chat != (persona.Chat{}) {
		space = memory.Space(who.Chat.String())
	}
	if owner && d.engine.Options.Redact == nil {
		space = memory.Owner
	}
	t := engine.TurnFrom(ctx)
	from, label := t.Sources(), t.Label()
	if owner && d.engine.OwnersAlone(label) {
		from = nil // nobody else's words
		if d.engine.Options.Redact != nil {
			label = memory.Trusted() // what the owner wants holds everywhere, as far as the redactor lets it through
		}
	}
	for _, note := range [...]struct{ name, text string }{{noteMood, change.Mood}, {noteTone, change.Tone}} {
		if note.text == "" {
			continue
		}
		if owner && d.engine.Options.Redact != nil {
			if note.text, err = d.engine.Options.Redact(ctx, note.text); err != nil {
				return err
			}
		}
		err := t.Note(func(empty bool) error {
			if empty {
				note.text = ""
			}
			return d.engine.Memory.Notes(space).WithLabel(d.engine.Options.Labels.LabelOf(engine.DatumMood, label)).SetSlot(ctx, now, note.name, note.text, from...)
		})
		if err != nil {
			return err
		}
	}
	switch {
	case who.Chat != (persona.Chat{}):
		if change.Sleep > 0 {
			d.o.Nap(now, who.Chat, now.Add(min(change.Sleep, napMost)))
		}
	case owner && change.Wake:
		if err := d.o.SaveSleep(ctx, nil); err != nil {
			return err
		}
		d.engine.Attention.Wake(now)
	case owner && change.Sleep > 0:
		until := now.Add(change.Sleep)
		if err := d.o.SaveSleep(ctx, &until); err != nil {
			return err
		}
		d.engine.Attention.Sleep(now, until)
	case change.Sleep > 0:
		d.engine.Attention.Sleep(now, now.Add(min(change.Sleep, napMost)))
	}
	return nil
}
