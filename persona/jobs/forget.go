package jobs

import (
	"context"
	"github.com/hearth-bot/hearth/persona"
	"maps"
	"slices"
)

// EraseChat removes what is known of a chat: its errands, however far they have come, its cursor, and what errands of
// other chats said there. Stop what runs there first: an errand that is removed under way cannot commit any more.
func (e *Queue) EraseChat(ctx context.Context, chat persona.Chat) error {
	return e.change(ctx, func(c *changes) error {
		c.forgets = true
		for _, id := range slices.Sorted(maps.Keys(e.errands)) {
			old := e.errands[id]
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
			for i := range next.Outbox { // of one that is not over, the entries keep their places
				if in(next.Outbox[i]) {
					next.Outbox[i].Text, next.Outbox[i].Error = "", ""
				}
			}
			if err := c.put(next); err != nil {
				return err
			}
		}
		if _, ok := e.cursors[chat]; ok {
			c.rows[cursorRow+chat.String()] = nil
			c.lost = append(c.lost, chat)
		}
		return nil
	})
}

// EraseTexts empties the texts of what errands that are over said, in all chats: what they say may quote anybody. They
// stay known, so that the same one is not run again.
func (e *Queue) EraseTexts(ctx context.Context) error {
	return e.change(ctx, func(c *changes) error {
		for _, id := range slices.Sorted(maps.Keys(e.errands)) {
			old := e.errands[id]
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
