package engine

import (
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

var errSourceRetracted = errors.Join(nit.ModelError("刚才看到的消息有的被撤回了，没有记"), errors.New("social: a source of the note was recalled"))

// Sources returns the ids of the messages that the turn has read, and the sources of the notes and memories that it
// has read. Deleting one of them deletes the notes of the turn. A nil turn has none.
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
	for _, id := range t.toolSources {
		add(id)
	}
	return ids
}

// WriteNote writes a note. If a source is retracted during the write, it calls write again with empty set to true.
func (t *Turn) WriteNote(write func(empty bool) error) error {
	if t.sourceGone() {
		return errSourceRetracted
	}
	err := write(false)
	if errors.Is(err, memory.ErrTooMany) {
		return errors.Join(nit.ModelError("记满了，先删掉一些"), err)
	}
	if err == nil && t.sourceGone() { // during the write: memory may have deleted derived notes before this one existed
		return errors.Join(errSourceRetracted, write(true))
	}
	return err
}

// sourceGone reports whether a message that the turn has read was retracted or erased since.
func (t *Turn) sourceGone() bool {
	if t == nil {
		return false
	}
	t.Chat.mu.Lock()
	defer t.Chat.mu.Unlock()
	return slices.ContainsFunc(t.Shown, func(m persona.Message) bool { return !t.Chat.isValid(t.Engine, &m) })
}
