package days

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	reflectedAtOnce = 3   // rooms of one reflection
	reflectedOn     = 60  // messages
	innerRunes      = 800 // of an inner state
	museEvery       = time.Hour
	mused           = 16 // public chats of one wider thought
)

func (s *stirred) add(r *engine.Chat, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[r] += n
}

// take takes out the liveliest.
func (s *stirred) take(n int) (rooms []*engine.Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rooms = slices.SortedFunc(maps.Keys(s.count), func(a, b *engine.Chat) int {
		return cmp.Or(cmp.Compare(s.count[b], s.count[a]), strings.Compare(a.ID.String(), b.ID.String()))
	})
	rooms = rooms[:min(n, len(rooms))]
	for _, r := range rooms {
		delete(s.count, r)
	}
	return rooms
}

// reflect writes inner states anew, each of its own space and in it, and then the wider thought. Nothing is said.
func (d *Days) reflect(ctx context.Context) (text string, err error) {
	if !d.o.NoInnerState {
		for _, r := range d.stirred.take(reflectedAtOnce) {
			felt, failed := d.reflectOn(ctx, r)
			if failed != nil {
				d.stirred.add(r, 1)
				err = errors.Join(err, failed)
			}
			text = cmp.Or(text, felt)
		}
	}
	if !d.o.NoGlobalReflection {
		err = errors.Join(err, d.muse(ctx))
	}
	return text, err
}

// reflectOn makes a new inner state of the old one and what was said since. Where another was written meanwhile, or some
// of what was said was taken back, it is made anew, once.
func (d *Days) reflectOn(ctx context.Context, r *engine.Chat) (text string, err error) {
	notes := d.engine.Memory.Notes(r.Space)
	var since time.Time // of the one that was there when it began
	for try := range 2 {
		old, err := notes.InnerState(ctx)
		if err != nil {
			return "", err
		}
		if try == 0 {
			since = old.At
		}
		past, err := d.engine.Memory.Recent(ctx, r.Space, reflectedOn)
		if err != nil {
			return "", err
		}
		s, label := prompt.Scene{Kind: prompt.Reflect}, memory.Trusted(r.Space)
		if old.Text != "" && !old.TooManySources() && (!r.Agent() || old.Label.IsTrusted()) {
			s.InnerState, label = old.Text, label.Join(old.Label)
		}
		var from []memory.Record
		for _, rec := range past {
			l := rec.LabelOrDefault()
			if !rec.At.After(since) || d.engine.Tombstones.Cover(r.ID, rec.Person, rec.At) || r.Agent() && !l.IsTrusted() {
				continue
			}
			label = label.Join(l)
			s.Recent, from = append(s.Recent, engine.Message(r, rec)), append(from, rec)
		}
		if len(s.Recent) == 0 {
			return "", nil
		}
		if text, err = d.engine.Ask(ctx, r, s, d.call); err != nil || text == "" {
			return "", err
		}
		text = clip.Ellipsis(text, innerRunes)
		if swapped, err := notes.WithLabel(d.engine.Options.Labels.LabelOf(engine.DatumInnerState, label)).CompareAndSwapInnerStateFrom(ctx, time.Now(), old, from, text); swapped || err != nil {
			return text, err
		}
	}
	return "", nil // twice something newer was written meanwhile, or some of it forgotten
}

// muse writes the wider thought anew, hourly at most, of what everybody may read: how it feels in public chats.
func (d *Days) muse(ctx context.Context) error {
	if err := d.engine.Self.Turn.Lock(ctx); err != nil { // who forgets waits for it
		return err
	}
	defer d.engine.Self.Turn.Unlock()
	notes := d.engine.Memory.Notes(memory.Self)
	old, err := notes.InnerState(ctx)
	if err != nil || time.Since(old.At) < museEvery {
		return err
	}
	s, label := prompt.Scene{Kind: prompt.GlobalReflection}, memory.Untrusted()
	if !old.Label.IsOwnerOnly() {
		s.GlobalReflection, label = old.Text, label.Join(old.Label)
	}
	var from []string
	read := map[*engine.Chat]memory.Note{}
	for _, r := range d.engine.Chats() {
		if !r.Public || len(read) == mused {
			continue
		}
		inner, err := d.engine.Memory.Notes(r.Space).InnerState(ctx)
		if err != nil {
			return err
		}
		thought, sources := r.Thought()
		if thought == "" {
			thought, sources = inner.Text, inner.Sources
		}
		if thought == "" || !inner.At.After(old.At) && thought == inner.Text {
			continue
		}
		label = label.Join(memory.Untrusted(r.Space))
		if inner.Text != "" {
			label = label.Join(inner.Label)
		}
		own := persona.Message{From: d.engine.SelfID(), Name: d.engine.Options.Profile.Name, Text: thought, Own: true, At: inner.At}
		s.Background = append(s.Background, prompt.Session{Chat: r.ID, Name: r.Title(), Messages: []persona.Message{own}})
		from, read[r] = append(from, sources...), inner
	}
	if len(s.Background) == 0 {
		return nil
	}
	text, err := d.engine.Ask(ctx, d.engine.Self, s, d.call)
	if err != nil || text == "" {
		return err
	}
	swapped, err := notes.WithLabel(d.engine.Options.Labels.LabelOf(engine.DatumGlobalReflection, label)).CompareAndSwapInnerState(ctx, time.Now(), old, clip.Ellipsis(text, innerRunes), from...)
	if err != nil || !swapped {
		return err
	}
	for r, was := range read { // in any order
		is, err := d.engine.Memory.Notes(r.Space).InnerState(ctx)
		if err != nil || was.Text != "" && is.Text == "" { // it was forgotten meanwhile
			return errors.Join(err, notes.SetInnerState(ctx, time.Now(), ""))
		}
	}
	return nil
}

// lookBack writes down what came of a task.
func (d *Days) lookBack(ctx context.Context, w schedule.Wake, said string) error {
	r, err := d.engine.ChatOfOrigin(ctx, w.Origin)
	if err != nil {
		return err
	}
	own := persona.Message{From: d.engine.SelfID(), Name: d.engine.Options.Profile.Name, Text: said, Own: true, At: time.Now()}
	text, err := d.engine.Ask(ctx, r, prompt.Scene{Kind: prompt.TaskOutcome, Wake: &w, History: []persona.Message{own}}, d.call)
	if err != nil || text == "" {
		return err
	}
	if err = d.schedule.Reflect(ctx, w.Task.ID, clip.Ellipsis(text, innerRunes)); errors.Is(err, schedule.ErrNotFound) {
		return nil // the task was forgotten meanwhile
	}
	return err
}

// scene adds what the bot feels, plans and thinks, as far as the scope of the chat allows.
func (d *Days) scene(ctx context.Context, now time.Time, t *engine.Turn, s *engine.Scene) error {
	c := t.Chat
	if c.Energy {
		s.Mood = cmp.Or(s.Mood, &prompt.MoodSummary{})
		s.Mood.Energy = d.engine.Attention.Energy(now, c.ID)
	}
	s.Planned = slices.DeleteFunc(d.schedule.List(c.Origin), func(p schedule.Task) bool {
		return p.Origin.Mode != c.Origin.Mode || !mayRead(t, p.Origin)
	})
	inner := func(kind engine.Datum, of memory.Space) (string, error) {
		n, err := d.engine.Memory.Notes(of).InnerState(ctx)
		if err != nil || n.Text == "" || !t.MayRead(kind, n.Label) {
			return "", err
		}
		t.Read(n.Label)
		t.Derived = append(t.Derived, n.Sources...)
		return n.Text, nil
	}
	var err error
	if !d.o.NoInnerState && c.Inner {
		if s.InnerState, err = inner(engine.DatumInnerState, c.Space); err != nil {
			return err
		}
	}
	if !d.o.NoGlobalReflection && c.Reflects {
		if s.GlobalReflection, err = inner(engine.DatumGlobalReflection, memory.Self); err != nil {
			return err
		}
	}
	if c.Documents {
		t.Read(memory.Trusted(memory.Owner))
		if s.Documents, err = d.papers.all(ctx); err == nil {
			err = d.showHeard(ctx, t, s)
		}
	}
	return err
}
