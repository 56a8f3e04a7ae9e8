package autonomy

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Names of the notes that prompts show as the bot's mood.
const (
	noteMood = "心情"
	noteTone = "语气"
)

// Notes returns the part that shows a turn the bot's own notes: those of its chat and the general ones. If tools is
// true, turns get tools that read and write notes.
func Notes(e *engine.Engine, tools bool) engine.Part {
	p := engine.Part{Scene: func(ctx context.Context, now time.Time, t *engine.Turn, s *engine.Scene) error {
		return showNotes(ctx, now, e.Memory, t, s)
	}}
	if tools {
		p.Tools = func(_ context.Context, o *self.Options) error {
			o.Notes = notes{e.Memory}
			return nil
		}
	}
	return p
}

// showNotes adds the notes that the turn may read.
func showNotes(ctx context.Context, now time.Time, m *memory.Memory, t *engine.Turn, s *engine.Scene) error {
	here := m.Notes(t.Chat.Space)
	general, err := m.Notes(memory.Self).Slots(ctx)
	if err != nil {
		return err
	}
	slots, err := here.Slots(ctx)
	if err != nil {
		return err
	}
	scratch, err := here.Scratch(ctx, now, t.Chat.Session)
	if err != nil {
		return err
	}
	for _, n := range slices.Concat(general, slots, scratch) {
		kind := engine.DatumSlot
		if n.Name == noteMood || n.Name == noteTone {
			kind = engine.DatumMood
		}
		if !t.MayRead(kind, n.Label) {
			continue
		}
		t.MarkRead(n.Label)
		t.Derived = append(t.Derived, n.Sources...)
		if n.Name == noteMood || n.Name == noteTone {
			s.Mood = withMoodNote(s.Mood, n)
			continue
		}
		s.Notes = append(s.Notes, prompt.Memory{ID: n.Name, Text: n.Text, At: n.At})
	}
	return nil
}

// withMoodNote returns a mood with the text of one note added.
func withMoodNote(m *prompt.MoodSummary, n memory.Note) *prompt.MoodSummary {
	m = cmp.Or(m, &prompt.MoodSummary{Energy: -1})
	if n.Name == noteMood {
		m.Text = n.Text
	} else {
		m.Tone = n.Text
	}
	return m
}

// notes implements the note tools on the space of the calling turn: the owner's in agent mode, else the chat's.
type notes struct{ m *memory.Memory }

var errNoChat = errors.Join(nit.ModelError("现在不在任何会话里"), errors.New("social: a turn without a chat has no notes"))

func (n notes) target(ctx context.Context) (at *memory.Notes, session string, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	switch {
	case p.Mode == nit.ModeAgent, p.Mode != nit.ModePersona && p.Session == persona.OwnerSession: // the owner's side
		return n.m.Notes(memory.Owner), p.Session, nil
	case p.Mode != nit.ModePersona && p.Session == "": // the persona outside of chats
		return n.m.Notes(memory.Self), p.Session, nil
	}
	space, ok := recall.SpaceOf(p)
	if !ok {
		return nil, "", errNoChat
	}
	return n.m.Notes(space), persona.SessionSource(p.Session), nil
}

// Read implements [self.Notes].
func (n notes) Read(ctx context.Context, kind self.NoteKind) ([]self.Note, error) {
	at, session, err := n.target(ctx)
	if err != nil {
		return nil, err
	}
	var found []memory.Note
	switch kind {
	case self.Slot:
		found, err = at.Slots(ctx)
	case self.Scratch:
		found, err = at.Scratch(ctx, time.Now(), session)
	case self.InnerState:
		var inner memory.Note
		if inner, err = at.InnerState(ctx); inner.Text != "" {
			found = []memory.Note{inner}
		}
	}
	t := engine.TurnFrom(ctx)
	var all []self.Note
	for _, note := range found {
		if t != nil && !t.Chat.Agent() && !t.MayRead(engine.Datum(kind), note.Label) { // the owner's turns may open any note
			continue
		}
		t.MarkRead(note.Label)
		all = append(all, self.Note{Name: note.Name, Text: note.Text})
	}
	return all, err
}

// Write implements [self.Notes].
func (n notes) Write(ctx context.Context, kind self.NoteKind, note self.Note) error {
	at, session, err := n.target(ctx)
	if err != nil {
		return err
	}
	t := engine.TurnFrom(ctx)
	from := t.Sources()
	at = at.WithLabel(t.LabelFor(engine.Datum(kind)))
	return t.WriteNote(func(empty bool) error {
		text := note.Text
		if empty {
			text = ""
		}
		switch kind {
		case self.Slot:
			return at.SetSlot(ctx, time.Now(), note.Name, text, from...)
		case self.Scratch:
			return at.SetScratch(ctx, time.Now(), session, note.Name, text, from...)
		}
		return at.SetInnerState(ctx, time.Now(), text, from...)
	})
}
