package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

// notes are memory's, in the space of the turn: the owner's in agent mode, else that of the chat.
type notes struct{ m *memory.Memory }

var errNowhere = errors.Join(nit.Tell("现在不在任何会话里"), errors.New("social: notes of a turn without a chat"))

func (n notes) of(ctx context.Context) (at *memory.Notes, session string, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	switch {
	case p.Mode == nit.ModeAgent:
		return n.m.Notes(memory.Owner), p.Session, nil
	case p.Mode != nit.ModePersona && p.Session == "": // the persona by itself
		return n.m.Notes(memory.Self), p.Session, nil
	}
	space, ok := recall.SpaceOf(p)
	if !ok {
		return nil, "", errNowhere
	}
	return n.m.Notes(space), p.Session, nil
}

// Read implements [self.Notes].
func (n notes) Read(ctx context.Context, kind self.NoteKind) ([]self.Note, error) {
	at, session, err := n.of(ctx)
	if err != nil {
		return nil, err
	}
	var found []memory.Note
	switch kind {
	case self.Slot:
		found, err = at.Slots(ctx)
	case self.Scratch:
		found, err = at.Scratch(ctx, time.Now(), session)
	case self.Inner:
		var inner memory.Note
		if inner, err = at.Inner(ctx); inner.Text != "" {
			found = []memory.Note{inner}
		}
	}
	all := make([]self.Note, len(found))
	for i, note := range found {
		all[i] = self.Note{Name: note.Name, Text: note.Text}
	}
	return all, err
}

// Write implements [self.Notes].
func (n notes) Write(ctx context.Context, kind self.NoteKind, note self.Note) error {
	at, session, err := n.of(ctx)
	if err != nil {
		return err
	}
	t := TurnFrom(ctx)
	from := t.Sources()
	return t.Note(func(empty bool) error {
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
		return at.SetInner(ctx, time.Now(), text, from...)
	})
}

// noting writes a note, or empties it where something that the turn could read is taken back meanwhile.
func (t *Turn) Note(write func(empty bool) error) error {
	if t.misread() {
		return errTakenBack
	}
	err := write(false)
	if errors.Is(err, memory.ErrFull) {
		return errors.Join(nit.Tell("记满了，先删掉一些"), err)
	}
	if err == nil && t.misread() { // just now: memory may have forgotten before the note was there
		return errors.Join(errTakenBack, write(true))
	}
	return err
}

// sources are the messages that a turn could read, and what the notes and memories were made from that it could read: who
// forgets one of them forgets what the turn wrote down. nil has none.
func (t *Turn) Sources() (ids []string) {
	if t == nil {
		return nil
	}
	seen := map[string]bool{}
	add := func(id string) {
		if !seen[id] && len(ids) < memory.MaxSources {
			ids, seen[id] = append(ids, id), true
		}
	}
	for _, m := range t.Shown {
		if !m.Own {
			add(m.Key)
		}
	}
	for _, id := range t.Derived {
		add(id)
	}
	return ids
}

var errTakenBack = errors.Join(nit.Tell("刚才看到的消息有的被撤回了，没有记"), errors.New("social: a note of what was taken back"))

// misread reports that something that a turn could read was taken back or forgotten since.
func (t *Turn) misread() bool {
	if t == nil {
		return false
	}
	t.Chat.mu.Lock()
	defer t.Chat.mu.Unlock()
	return slices.ContainsFunc(t.Shown, func(m persona.Message) bool { return !t.Chat.lives(t.Engine, &m) })
}
