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
	count map[*room]int
}

func (s *stirred) add(r *room, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == nil {
		s.count = map[*room]int{}
	}
	s.count[r] += n
}

// take takes out the liveliest.
func (s *stirred) take(n int) (rooms []*room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rooms = slices.SortedFunc(maps.Keys(s.count), func(a, b *room) int {
		return cmp.Or(cmp.Compare(s.count[b], s.count[a]), strings.Compare(a.chat.String(), b.chat.String()))
	})
	rooms = rooms[:min(n, len(rooms))]
	for _, r := range rooms {
		delete(s.count, r)
	}
	return rooms
}

// reflect writes inner states anew, each of its own space and in it, and then the wider thought. Nothing is said.
func (b *Being) reflect(ctx context.Context) (text string, err error) {
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
func (b *Being) reflectOn(ctx context.Context, r *room) (text string, err error) {
	notes := b.memory.Notes(r.space)
	var since time.Time // of the one that was there when it began
	for try := range 2 {
		old, err := notes.Inner(ctx)
		if err != nil {
			return "", err
		}
		if try == 0 {
			since = old.At
		}
		past, err := b.memory.Recent(ctx, r.space, reflectedOn)
		if err != nil {
			return "", err
		}
		s := persona.Scene{Part: persona.Reflect, Inner: old.Text}
		if old.Worn() {
			s.Inner = ""
		}
		var from []memory.Record
		for _, rec := range past {
			if !rec.At.After(since) || b.gone.covers(r.chat, rec.Person, rec.At) {
				continue
			}
			s.Recent, from = append(s.Recent, message(r, rec)), append(from, rec)
		}
		if len(s.Recent) == 0 {
			return "", nil
		}
		if text, err = b.inMind(ctx, r, s); err != nil || text == "" {
			return "", err
		}
		text = clipRunes(text, innerRunes)
		if swapped, err := notes.SwapInnerOf(ctx, time.Now(), old, from, text); swapped || err != nil {
			return text, err
		}
	}
	return "", nil // twice something newer was written meanwhile, or some of it forgotten
}

// muse writes the wider thought anew, hourly at most, of what everybody may read: how it feels in public chats.
func (b *Being) muse(ctx context.Context) error {
	if err := b.alone.mind.lock(ctx); err != nil { // who forgets waits for it
		return err
	}
	defer b.alone.mind.unlock()
	notes := b.memory.Notes(memory.Self)
	old, err := notes.Inner(ctx)
	if err != nil || time.Since(old.At) < museEvery {
		return err
	}
	s := persona.Scene{Part: persona.Muse, Mind: old.Text}
	var from []string
	read := map[*room]memory.Note{}
	for _, r := range b.allRooms() {
		if !r.public || len(read) == mused {
			continue
		}
		inner, err := b.memory.Notes(r.space).Inner(ctx)
		if err != nil {
			return err
		}
		r.mu.Lock()
		thought := cmp.Or(r.thought, inner.Text)
		r.mu.Unlock()
		if thought == "" || !inner.At.After(old.At) && thought == inner.Text {
			continue
		}
		own := persona.Message{From: b.self(), Name: b.opts.Profile.Name, Text: thought, Own: true, At: inner.At}
		s.Background = append(s.Background, persona.Session{Chat: r.chat, Name: r.title(), Messages: []persona.Message{own}})
		from, read[r] = append(from, inner.Sources...), inner
	}
	if len(s.Background) == 0 {
		return nil
	}
	text, err := b.inMind(ctx, b.alone, s)
	if err != nil || text == "" {
		return err
	}
	swapped, err := notes.SwapInner(ctx, time.Now(), old, clipRunes(text, innerRunes), from...)
	if err != nil || !swapped {
		return err
	}
	for r, was := range read { // in any order
		is, err := b.memory.Notes(r.space).Inner(ctx)
		if err != nil || was.Text != "" && is.Text == "" { // it was forgotten meanwhile
			return errors.Join(err, notes.SetInner(ctx, time.Now(), ""))
		}
	}
	return nil
}

// lookBack writes down what came of a task.
func (b *Being) lookBack(ctx context.Context, w persona.Wake, said string) error {
	r, err := b.roomOfMaker(ctx, w.Maker)
	if err != nil {
		return err
	}
	own := persona.Message{From: b.self(), Name: b.opts.Profile.Name, Text: said, Own: true, At: time.Now()}
	text, err := b.inMind(ctx, r, persona.Scene{Part: persona.Look, Wake: &w, History: []persona.Message{own}})
	if err != nil || text == "" {
		return err
	}
	if err = b.life.schedule.Reflect(ctx, w.Task.ID, clipRunes(text, innerRunes)); errors.Is(err, persona.ErrUnknown) {
		return nil // the task was forgotten meanwhile
	}
	return err
}

// inMind is one call without tools, for what is never said.
func (b *Being) inMind(ctx context.Context, r *room, s persona.Scene) (string, error) {
	return b.quietly(ctx, r, s, persona.Turn{Model: b.life.model, Timeout: b.life.Timeout, Options: b.life.Options})
}

// keeps adds to a scene what the being has written down for itself, as far as this session may read it. The owner's turns,
// which have every tool, are shown nothing that was made of what anybody can say in public.
func (b *Being) keeps(ctx context.Context, now time.Time, t *turn, s *persona.Scene) error {
	l, r := b.life, t.room
	t.made = nil
	if l == nil && (b.opts.Own == nil || !b.opts.Own.Notes) {
		return nil
	}
	notes := b.memory.Notes(r.space)
	for i, list := range []func() ([]memory.Note, error){
		func() ([]memory.Note, error) { return b.memory.Notes(memory.Self).Slots(ctx) },
		func() ([]memory.Note, error) { return notes.Slots(ctx) },
		func() ([]memory.Note, error) { return notes.Scratch(ctx, now, r.session) },
	} {
		found, err := list()
		if err != nil {
			return err
		}
		for _, n := range found {
			if !r.sources && i == 0 && len(n.Sources) > 0 {
				continue
			}
			t.made = append(t.made, n.Sources...)
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
	if r.energy {
		s.Mood = cmp.Or(s.Mood, &persona.Mood{})
		s.Mood.Energy = b.attention.Energy(now, r.chat)
	}
	s.Planned = slices.DeleteFunc(l.schedule.List(r.origin), func(t persona.Task) bool { return t.Maker.Mode != r.origin.Mode })
	if !l.NoInner && r.inner {
		inner, err := notes.Inner(ctx)
		if err != nil {
			return err
		}
		s.Inner, t.made = inner.Text, append(t.made, inner.Sources...)
	}
	if !l.NoMind && r.reflects {
		mind, err := b.memory.Notes(memory.Self).Inner(ctx)
		if err != nil {
			return err
		}
		s.Mind, t.made = mind.Text, append(t.made, mind.Sources...)
	}
	if !r.documents {
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
func (b *Being) public(ctx context.Context, now time.Time, here *room) (sessions []persona.Session, err error) {
	for _, r := range b.allRooms() {
		if !r.public || r == here {
			continue
		}
		past, err := b.memory.Recent(ctx, r.space, publicMessages)
		if err != nil {
			return nil, err
		}
		s := persona.Session{Chat: r.chat, Name: r.title()}
		for _, rec := range past {
			if now.Sub(rec.At) < publicAge && !b.gone.covers(r.chat, rec.Person, rec.At) {
				s.Messages = append(s.Messages, message(r, rec))
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
