package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// A startup recovers the state that a stop or crash left behind.
type startup struct{ engine *Engine }

// resume recovers the state that a stop or crash left behind. A batch that was claimed but not committed runs again:
// its messages are behind the chat's cursor. The outcome of a commit without a result is unknown. It is never sent
// again.
func (s startup) resume(ctx context.Context) error {
	if err := s.engine.Tombstones.load(ctx, s.engine.Options.Store); err != nil {
		return err
	}
	if err := s.engine.attentionSaver.restore(ctx); err != nil {
		return err
	}
	if err := s.engine.Memory.FinishErasures(ctx); errors.Is(err, memory.ErrCannotDelete) {
		s.engine.Log.Error("an index still has erased records", "err", err)
	} else if err != nil {
		return err
	}
	if err := s.engine.Memory.Preload(ctx); err != nil {
		return err
	}
	again, unclear, err := s.engine.Jobs.Recover(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, e := range again {
		if again := s.engine.recoveryOf(e.Kind).Rerun; again != nil {
			again(e)
			continue
		}
		if err := s.engine.Jobs.Release(ctx, e.ID); err != nil {
			return err
		}
	}
	for _, e := range unclear {
		if err := s.engine.unconfirmed.addJob(ctx, e); err != nil {
			return err
		}
	}
	for _, p := range s.engine.parts {
		if p.Restore != nil {
			if err := p.Restore(ctx); err != nil {
				return err
			}
		}
	}
	chats, err := s.engine.KnownChats(ctx)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if err := s.requeue(ctx, chat); err != nil {
			return err
		}
	}
	return nil
}

// requeue puts the fresh messages behind a chat's cursor back into the buffer, and offers recent messages to the
// parts, which run commands that are still open.
func (s startup) requeue(ctx context.Context, chat persona.Chat) error {
	c, err := s.engine.Chat(ctx, chat)
	if err != nil || c.Off() {
		return err
	}
	past, err := s.engine.Memory.Recent(ctx, c.Space, Remembered)
	if err != nil {
		return err
	}
	for _, rec := range past { // the router derives the owner's presence
		s.engine.Router.Observe(time.Now(), MessageFromRecord(c, rec))
	}
	waiting := s.afterCursor(chat, past)
	for _, rec := range past[:len(past)-len(waiting)] { // commands move no cursor
		if time.Since(rec.At) <= s.engine.Options.MaxAge {
			s.engine.handledByPart(c, MessageFromRecord(c, rec))
		}
	}
	for i, rec := range waiting {
		if rec.Own || time.Since(rec.At) > s.engine.Options.MaxAge {
			continue
		}
		m := MessageFromRecord(c, rec)
		if m.Action && !m.AtMe { // it did not call the bot
			continue
		}
		s.engine.resolveQuote(ctx, c, &m)
		spoken := slices.ContainsFunc(waiting[i:], func(later memory.Record) bool { return later.Own })
		s.engine.enqueue(c, m, spoken)
	}
	return nil
}

// afterCursor returns the records after the chat's cursor.
func (s startup) afterCursor(chat persona.Chat, past []memory.Record) []memory.Record {
	cursor, ok := s.engine.Jobs.Cursor(chat)
	if !ok {
		return past
	}
	for i := len(past) - 1; i >= 0; i-- {
		if past[i].ID == cursor.RecordID {
			return past[i+1:]
		}
	}
	for i, rec := range past { // the cursor's message is missing: retracted, or too old
		if rec.At.After(cursor.At) {
			return past[i:]
		}
	}
	return nil
}
