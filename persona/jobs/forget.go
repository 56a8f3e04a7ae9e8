package jobs

import (
	"context"
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/persona"
)

// EraseChat removes the data of a chat: its jobs in any status, its cursor, and the outbox entries of other jobs for
// this chat. Cancel running jobs of the chat first. A job that is removed while it runs cannot commit any more.
func (q *Queue) EraseChat(ctx context.Context, chat persona.Chat) error {
	return q.change(ctx, func(c *changes) error {
		c.erasing = true
		for _, id := range slices.Sorted(maps.Keys(q.jobs)) {
			old := q.jobs[id]
			if old.Chat == chat {
				c.remove(id)
				continue
			}
			in := func(o Entry) bool { return o.Chat == chat }
			if !slices.ContainsFunc(old.Outbox, in) {
				continue
			}
			next := old.copy()
			if old.Status == Done {
				next.Outbox = slices.DeleteFunc(next.Outbox, in)
			}
			for i := range next.Outbox { // the entries of an unfinished job keep their indexes
				if in(next.Outbox[i]) {
					next.Outbox[i].Text, next.Outbox[i].Error = "", ""
				}
			}
			if err := c.put(next); err != nil {
				return err
			}
		}
		if _, ok := q.cursors[chat]; ok {
			c.rows[cursorRow+chat.String()] = nil
			c.removedCursors = append(c.removedCursors, chat)
		}
		return nil
	})
}

// EraseTexts clears the texts and errors in the outboxes of all finished jobs, in all chats. These texts may quote any
// person. The jobs stay known and do not run again.
func (q *Queue) EraseTexts(ctx context.Context) error {
	return q.change(ctx, func(c *changes) error {
		for _, id := range slices.Sorted(maps.Keys(q.jobs)) {
			old := q.jobs[id]
			says := func(o Entry) bool { return o.Text != "" || o.Error != "" }
			if old.Status != Done || !slices.ContainsFunc(old.Outbox, says) {
				continue
			}
			next := old.copy()
			for i := range next.Outbox {
				next.Outbox[i].Text, next.Outbox[i].Error = "", ""
			}
			if err := c.put(next); err != nil {
				return err
			}
		}
		return nil
	})
}
