package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

const (
	reflectedAtOnce = 3   // rooms of one reflection
	reflectedOn     = 60  // messages
	innerRunes      = 800 // of an inner state
	museEvery       = time.Hour
	mused           = 16 // public chats of one wider thought
	publicShown     = 3  // chats in the background
	publicMessages  = 5  // of each
	publicAge       = time.Hour
)

// stirred are the rooms where something was said since the last reflection on them.
type stirred struct {
	mu    sync.Mutex
	count map[*Chat]int
}

func (s *stirred) add(r *Chat, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == nil {
		s.count = map[*Chat]int{}
	}
	s.count[r] += n
}

// take takes out the liveliest.
func (s *stirred) take(n int) (rooms []*Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rooms = slices.SortedFunc(maps.Keys(s.count), func(a, b *Chat) int {
		return cmp.Or(cmp.Compare(s.count[b], s.count[a]), strings.Compare(a.ID.String(), b.ID.String()))
	})
	rooms = rooms[:min(n, len(rooms))]
	for _, r := range rooms {
		delete(s.count, r)
	}
	return rooms
}

// reflect writes inner states anew, each of its own space and in it, and then the wider thought. Nothing is said.
func (b *Engine) reflect(ctx context.Context) (text string, err error) {
	if !b.life.NoInner {
		for _, r := range b.life.stirred.take(reflectedAtOnce) {
			felt, failed := b.reflectOn(ctx, r)
			if failed != nil {
				b.life.stirred.add(r, 1)
				err = errors.Join(err, failed)
			}
			text = cmp.Or(text, felt)
		}
	}
	if !b.life.NoMind {
		err = errors.Join(err, b.muse(ctx))
	}
	return text, err
}

// reflectOn makes a new inner state of the old one and what was said since. Where another was written meanwhile, or some
// of what was said was taken back, it is made anew, once.
func (b *Engine) reflectOn(ctx context.Context, r *Chat) (text string, err error) {
	notes := b.Memory.Notes(r.Space)
	var since time.Time // of the one that was there when it began
	for try := range 2 {
		old, err := notes.Inner(ctx)
		if err != nil {
			return "", err
		}
		if try == 0 {
			since = old.At
		}
		past, err := b.Memory.Recent(ctx, r.Space, reflectedOn)
		if err != nil {
			return "", err
		}
		s := persona.Scene{Part: persona.Reflect, Inner: old.Text}
		if old.Worn() {
			s.Inner = ""
		}
		var from []memory.Record
		for _, rec := range past {
			if !rec.At.After(since) || b.Tombstones.Cover(r.ID, rec.Person, rec.At) {
				continue
			}
			s.Recent, from = append(s.Recent, Message(r, rec)), append(from, rec)
		}
		if len(s.Recent) == 0 {
			return "", nil
		}
		if text, err = b.inMind(ctx, r, s); err != nil || text == "" {
			return "", err
		}
		text = ClipRunes(text, innerRunes)
		if swapped, err := notes.SwapInnerOf(ctx, time.Now(), old, from, text); swapped || err != nil {
			return text, err
		}
	}
	return "", nil // twice something newer was written meanwhile, or some of it forgotten
}

// muse writes the wider thought anew, hourly at most, of what everybody may read: how it feels in public chats.
func (b *Engine) muse(ctx context.Context) error {
	if err := b.Self.Turn.Lock(ctx); err != nil { // who forgets waits for it
		return err
	}
	defer b.Self.Turn.Unlock()
	notes := b.Memory.Notes(memory.Self)
	old, err := notes.Inner(ctx)
	if err != nil || time.Since(old.At) < museEvery {
		return err
	}
	s := persona.Scene{Part: persona.Muse, Mind: old.Text}
	var from []string
	read := map[*Chat]memory.Note{}
	for _, r := range b.Chats() {
		if !r.Public || len(read) == mused {
			continue
		}
		inner, err := b.Memory.Notes(r.Space).Inner(ctx)
		if err != nil {
			return err
		}
		r.mu.Lock()
		thought := cmp.Or(r.thought, inner.Text)
		r.mu.Unlock()
		if thought == "" || !inner.At.After(old.At) && thought == inner.Text {
			continue
		}
		own := persona.Message{From: b.SelfID(), Name: b.Options.Profile.Name, Text: thought, Own: true, At: inner.At}
		s.Background = append(s.Background, persona.Session{Chat: r.ID, Name: r.Title(), Messages: []persona.Message{own}})
		from, read[r] = append(from, inner.Sources...), inner
	}
	if len(s.Background) == 0 {
		return nil
	}
	text, err := b.inMind(ctx, b.Self, s)
	if err != nil || text == "" {
		return err
	}
	swapped, err := notes.SwapInner(ctx, time.Now(), old, ClipRunes(text, innerRunes), from...)
	if err != nil || !swapped {
		return err
	}
	for r, was := range read { // in any order
		is, err := b.Memory.Notes(r.Space).Inner(ctx)
		if err != nil || was.Text != "" && is.Text == "" { // it was forgotten meanwhile
			return errors.Join(err, notes.SetInner(ctx, time.Now(), ""))
		}
	}
	return nil
}

// lookBack writes down what came of a task.
func (b *Engine) lookBack(ctx context.Context, w persona.Wake, said string) error {
	r, err := b.ChatOfOrigin(ctx, w.Maker)
	if err != nil {
		return err
	}
	own := persona.Message{From: b.SelfID(), Name: b.Options.Profile.Name, Text: said, Own: true, At: time.Now()}
	text, err := b.inMind(ctx, r, persona.Scene{Part: persona.Look, Wake: &w, History: []persona.Message{own}})
	if err != nil || text == "" {
		return err
	}
	if err = b.life.schedule.Reflect(ctx, w.Task.ID, ClipRunes(text, innerRunes)); errors.Is(err, persona.ErrUnknown) {
		return nil // the task was forgotten meanwhile
	}
	return err
}

// inMind is one call without tools, for what is never said.
func (b *Engine) inMind(ctx context.Context, r *Chat, s persona.Scene) (string, error) {
	return b.Ask(ctx, r, s, persona.Turn{Model: b.life.model, Timeout: b.life.Timeout, Options: b.life.Options})
}

// keeps adds to a scene what the being has written down for itself, as far as this session may read it. The owner's turns,
// which have every tool, are shown nothing that was made of what anybody can say in public.
func (b *Engine) keeps(ctx context.Context, now time.Time, t *Turn, s *persona.Scene) error {
	l, r := b.life, t.Chat
	if l == nil && (b.Options.Own == nil || !b.Options.Own.Notes) {
		return nil
	}
	notes := b.Memory.Notes(r.Space)
	for i, list := range []func() ([]memory.Note, error){
		func() ([]memory.Note, error) { return b.Memory.Notes(memory.Self).Slots(ctx) },
		func() ([]memory.Note, error) { return notes.Slots(ctx) },
		func() ([]memory.Note, error) { return notes.Scratch(ctx, now, r.Session) },
	} {
		found, err := list()
		if err != nil {
			return err
		}
		for _, n := range found {
			if !r.Sources && i == 0 && len(n.Sources) > 0 {
				continue
			}
			t.Derived = append(t.Derived, n.Sources...)
			if n.Name == noteMood || n.Name == noteTone {
				s.Mood = moved(s.Mood, n)
				continue
			}
			s.Notes = append(s.Notes, persona.Memory{ID: n.Name, Text: n.Text, At: n.At})
		}
	}
	if l == nil {
		return nil
	}
	if r.Energy {
		s.Mood = cmp.Or(s.Mood, &persona.Mood{})
		s.Mood.Energy = b.Attention.Energy(now, r.ID)
	}
	s.Planned = slices.DeleteFunc(l.schedule.List(r.Origin), func(t persona.Task) bool { return t.Maker.Mode != r.Origin.Mode })
	if !l.NoInner && r.Inner {
		inner, err := notes.Inner(ctx)
		if err != nil {
			return err
		}
		s.Inner, t.Derived = inner.Text, append(t.Derived, inner.Sources...)
	}
	if !l.NoMind && r.Reflects {
		mind, err := b.Memory.Notes(memory.Self).Inner(ctx)
		if err != nil {
			return err
		}
		s.Mind, t.Derived = mind.Text, append(t.Derived, mind.Sources...)
	}
	if !r.Documents {
		return nil
	}
	var err error
	s.Papers, err = l.papers.all(ctx)
	return err
}

// moved is a mood with what a note says of it.
func moved(m *persona.Mood, n memory.Note) *persona.Mood {
	if m == nil {
		m = &persona.Mood{Energy: -1}
	}
	if n.Name == noteMood {
		m.Text = n.Text
	} else {
		m.Tone = n.Text
	}
	return m
}

// public are the chats that everybody may read, as the background of another, the latest first.
func (b *Engine) public(ctx context.Context, now time.Time, here *Chat) (sessions []persona.Session, err error) {
	for _, r := range b.Chats() {
		if !r.Public || r == here {
			continue
		}
		past, err := b.Memory.Recent(ctx, r.Space, publicMessages)
		if err != nil {
			return nil, err
		}
		s := persona.Session{Chat: r.ID, Name: r.Title()}
		for _, rec := range past {
			if now.Sub(rec.At) < publicAge && !b.Tombstones.Cover(r.ID, rec.Person, rec.At) {
				s.Messages = append(s.Messages, Message(r, rec))
			}
		}
		if len(s.Messages) > 0 {
			sessions = append(sessions, s)
		}
	}
	last := func(s persona.Session) time.Time { return s.Messages[len(s.Messages)-1].At }
	slices.SortStableFunc(sessions, func(x, y persona.Session) int { return last(y).Compare(last(x)) })
	return sessions[:min(publicShown, len(sessions))], nil
}
