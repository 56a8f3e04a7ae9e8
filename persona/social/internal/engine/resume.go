package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// A startup takes up what a stop, or a kill, left open.
type startup struct{ engine *Engine }

// resume takes up what a stop, or a kill, left open. Batches that were taken and not committed run anew: their messages
// lie behind the chat's cursor. What was committed without a result is unclear, and is never sent again.
func (s startup) resume(ctx context.Context) error {
	if err := s.engine.Tombstones.load(ctx, s.engine.Options.Store); err != nil {
		return err
	}
	if err := s.engine.keeper.restoreAttention(ctx); err != nil {
		return err
	}
	if err := s.engine.Memory.FinishErasures(ctx); errors.Is(err, memory.ErrCannotDelete) {
		s.engine.Log.Error("an index keeps what was forgotten", "err", err)
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
		if again := s.engine.recovery(e.Kind).Again; again != nil {
			again(e)
			continue
		}
		if err := s.engine.Jobs.Release(ctx, e.ID); err != nil {
			return err
		}
	}
	for _, e := range unclear {
		if err := s.engine.unconfirmed.doubtAll(ctx, e); err != nil {
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
		if err := s.reopen(ctx, chat); err != nil {
			return err
		}
	}
	return nil
}

// reopen puts the messages behind a chat's cursor back into the buffer, as far as they are fresh, and has commands carried
// out that were not.
func (s startup) reopen(ctx context.Context, chat persona.Chat) error {
	r, err := s.engine.Chat(ctx, chat)
	if err != nil || r.Off {
		return err
	}
	past, err := s.engine.Memory.Recent(ctx, r.Space, Remembered)
	if err != nil {
		return err
	}
	for _, rec := range past { // whether an owner was there
		s.engine.Router.Observe(time.Now(), Message(r, rec))
	}
	waiting := s.behind(chat, past)
	for _, rec := range past[:len(past)-len(waiting)] { // a command is no turn: the cursor says nothing of it
		if time.Since(rec.At) <= s.engine.Options.MaxAge {
			s.engine.handled(r, Message(r, rec))
		}
	}
	for i, rec := range waiting {
		if rec.Own || time.Since(rec.At) > s.engine.Options.MaxAge {
			continue
		}
		m := Message(r, rec)
		s.engine.quote(ctx, r, &m)
		spoken := slices.ContainsFunc(waiting[i:], func(later memory.Record) bool { return later.Own })
		s.engine.attend(r, m, spoken)
	}
	return nil
}

// behind are the records after the chat's cursor.
func (s startup) behind(chat persona.Chat, past []memory.Record) []memory.Record {
	cursor, ok := s.engine.Jobs.Cursor(chat)
	if !ok {
		return past
	}
	for i := len(past) - 1; i >= 0; i-- {
		if past[i].ID == cursor.RecordID {
			return past[i+1:]
		}
	}
	for i, rec := range past { // the message itself is gone: recalled, or pushed out
		if rec.At.After(cursor.At) {
			return past[i:]
		}
	}
	return nil
}
