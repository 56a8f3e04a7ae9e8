package schedule

import (
	"context"
	"encoding/json"
	"github.com/hearth-bot/hearth/persona"
	"slices"
)

// read makes a task of its row. One that was running when the program ended is outdated now.
func (s *Tasks) read(id string, row []byte, _ *task) (*task, bool, error) {
	t := new(task)
	if err := json.Unmarshal(row, &t.Task); err != nil {
		return nil, false, err
	}
	t.ID = id
	if t.Title == "" {
		return nil, false, errNoTitle
	}
	loc := s.limits.Location
	t.ScheduledAt, t.OutdatedAt, t.CreatedAt = local(t.ScheduledAt, loc), local(t.OutdatedAt, loc), local(t.CreatedAt, loc)
	t.StartedAt, t.FinishedAt = local(t.StartedAt, loc), local(t.FinishedAt, loc)
	s.mu.Lock()
	known := s.out == id || s.tried == id
	s.mu.Unlock()
	if t.Status != TaskRunning || known {
		return t, false, nil
	}
	t.Result = TaskResult{ResultOutdated, ErrorInterrupted}
	return t, true, t.move(TaskOutdated)
}

// finish writes a task that is over, and lets go of the oldest when there are too many.
func (s *Tasks) finish(c *shelving[*task], t *task) {
	c.set(t)
	over := c.all[openTasks(c.all):]
	for i := range len(over) + 1 - s.limits.MaxHistory {
		c.remove(over[i].ID)
	}
}

// openTasks is how many tasks of all are not over: they are in front.
func openTasks(all []*task) int {
	if i := slices.IndexFunc(all, func(t *task) bool { return t.Ended() }); i >= 0 {
		return i
	}
	return len(all)
}

// Reflect writes down what the being thought of a task that is over.
func (s *Tasks) Reflect(ctx context.Context, id, text string) error {
	if err := checkText(text, s.limits.MaxText); err != nil {
		return err
	}
	return s.shelf.change(ctx, func(c *shelving[*task]) error {
		old, ok := c.find(id)
		if !ok {
			return ErrNotFound
		}
		if !old.Ended() {
			return &TransitionError{ID: id, From: old.Status, To: old.Status}
		}
		next := *old
		next.Reflection = text
		c.set(&next)
		return nil
	})
}

// History gives the tasks that are over, the oldest first. It knows nothing before [Tasks.Restore].
func (s *Tasks) History() []Task {
	all := s.shelf.view()
	var list []Task
	for _, t := range all[openTasks(all):] {
		list = append(list, t.Task)
	}
	return list
}

// ToCondense gives the older part of the history once its texts have more than 8000 characters: the host is to write its
// essence elsewhere, and then to say so by [Tasks.MarkCondensed]. It leaves at least one task and at most half of these
// characters, where one task has not more.
func (s *Tasks) ToCondense() []Task {
	list := s.History()
	sum := 0
	for i := range list {
		sum += list[i].size()
	}
	if sum <= s.limits.CondenseAt {
		return nil
	}
	n := 0
	for n < len(list)-1 && sum > s.limits.CondenseAt/2 {
		sum -= list[n].size()
		n++
	}
	return list[:n]
}

// MarkCondensed forgets tasks that are over. Of others it takes no notice.
func (s *Tasks) MarkCondensed(ctx context.Context, ids ...string) error {
	return s.shelf.forget(ctx, func(t *task) bool { return t.Ended() && slices.Contains(ids, t.ID) })
}

// EraseChat removes the tasks that were made in a chat, however far they have come.
func (s *Tasks) EraseChat(ctx context.Context, chat persona.Chat) error {
	return s.shelf.forget(ctx, func(t *task) bool { return t.Origin.Mode == persona.Persona && t.Origin.Chat == chat })
}

// ErasePerson removes the tasks that were made on somebody's behalf: on any platform where who names none. The zero
// Account is nobody.
func (s *Tasks) ErasePerson(ctx context.Context, who persona.Account) error {
	return s.shelf.forget(ctx, func(t *task) bool { return t.Origin.isOf(who) })
}
