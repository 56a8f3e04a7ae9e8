package schedule

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hearth-bot/hearth/persona"
)

// read parses a row. A task that was running when the program ended becomes outdated.
func (s *Tasks) read(id string, row []byte, _ *task) (*task, bool, error) {
	t := new(task)
	if err := json.Unmarshal(row, &t.Task); err != nil {
		return nil, false, err
	}
	t.ID = id
	if t.Title == "" {
		return nil, false, errNoTitle
	}
	loc := s.options.Location
	t.ScheduledAt, t.OutdatedAt, t.CreatedAt = local(t.ScheduledAt, loc), local(t.OutdatedAt, loc), local(t.CreatedAt, loc)
	t.StartedAt, t.FinishedAt = local(t.StartedAt, loc), local(t.FinishedAt, loc)
	s.mu.Lock()
	known := s.running == id || s.failedStart == id
	s.mu.Unlock()
	if t.Status != TaskRunning || known {
		return t, false, nil
	}
	t.Result = TaskResult{ResultOutdated, ErrorInterrupted}
	return t, true, t.transition(TaskOutdated)
}

// finish stores an ended task and drops the oldest ended tasks beyond the limit.
func (s *Tasks) finish(c *tableChange[*task], t *task) {
	c.set(t)
	over := c.all[openTasks(c.all):]
	for i := range len(over) + 1 - s.options.MaxHistory {
		c.remove(over[i].ID)
	}
}

// openTasks returns the number of open tasks. They are at the front of all.
func openTasks(all []*task) int {
	if i := slices.IndexFunc(all, func(t *task) bool { return t.Ended() }); i >= 0 {
		return i
	}
	return len(all)
}

// Reflect stores the bot's comment on an ended task.
func (s *Tasks) Reflect(ctx context.Context, id, text string) error {
	if err := checkText(text, s.options.MaxText); err != nil {
		return err
	}
	return s.table.change(ctx, func(c *tableChange[*task]) error {
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

// History returns the ended tasks, oldest first. It returns nothing before [Tasks.Restore].
func (s *Tasks) History() []Task {
	all := s.table.view()
	var list []Task
	for _, t := range all[openTasks(all):] {
		list = append(list, t.Task)
	}
	return list
}

// ToCondense returns the older part of the history if its texts have more than [TaskOptions.CondenseAt] characters.
// Store a summary of these tasks elsewhere, then call [Tasks.MarkCondensed]. At least one task remains. The remaining
// tasks have at most half of the limit, unless the last task alone is larger.
func (s *Tasks) ToCondense() []Task {
	list := s.History()
	sum := 0
	for i := range list {
		sum += list[i].size()
	}
	if sum <= s.options.CondenseAt {
		return nil
	}
	n := 0
	for n < len(list)-1 && sum > s.options.CondenseAt/2 {
		sum -= list[n].size()
		n++
	}
	return list[:n]
}

// MarkCondensed removes ended tasks from the history. It ignores other ids.
func (s *Tasks) MarkCondensed(ctx context.Context, ids ...string) error {
	return s.table.remove(ctx, func(t *task) bool { return t.Ended() && slices.Contains(ids, t.ID) })
}

// EraseChat removes all tasks that were created in a chat, in any status.
func (s *Tasks) EraseChat(ctx context.Context, chat persona.Chat) error {
	return s.table.remove(ctx, func(t *task) bool { return t.Origin.Mode == persona.Persona && t.Origin.Chat == chat })
}

// ErasePerson removes all tasks of a person. An empty Platform matches all platforms. The zero Account matches nobody.
func (s *Tasks) ErasePerson(ctx context.Context, who persona.Account) error {
	return s.table.remove(ctx, func(t *task) bool { return t.Origin.belongsTo(who) })
}
