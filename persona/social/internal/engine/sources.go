package engine

import (
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

var errTakenBack = errors.Join(nit.ModelError("刚才看到的消息有的被撤回了，没有记"), errors.New("social: a note of what was taken back"))

// Sources are the messages that a turn could read, and what the notes and memories were made from that it could read: who
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
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.given {
		add(id)
	}
	return ids
}

// sourcesWith are the turn's sources and, behind them, those of what it made something of.
func (t *Turn) sourcesWith(more []string) []string {
	ids := append(t.Sources(), more...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), memory.MaxSources)]
}

// Note writes a note, or empties it where something that the turn could read is taken back meanwhile.
func (t *Turn) Note(write func(empty bool) error) error {
	if t.misread() {
		return errTakenBack
	}
	err := write(false)
	if errors.Is(err, memory.ErrTooMany) {
		return errors.Join(nit.ModelError("记满了，先删掉一些"), err)
	}
	if err == nil && t.misread() { // just now: memory may have forgotten before the note was there
		return errors.Join(errTakenBack, write(true))
	}
	return err
}

// misread reports that something that a turn could read was taken back or forgotten since.
func (t *Turn) misread() bool {
	if t == nil {
		return false
	}
	t.Chat.mu.Lock()
	defer t.Chat.mu.Unlock()
	return slices.ContainsFunc(t.Shown, func(m persona.Message) bool { return !t.Chat.lives(t.Engine, &m) })
}
