package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// resume takes up what a stop, or a kill, left open. Batches that were taken and not committed run anew: their messages
// lie behind the chat's cursor. What was committed without a result is unclear, and is never sent again.
func (b *Being) resume(ctx context.Context) error {
	if err := b.gone.load(ctx, b.opts.Store); err != nil {
		return err
	}
	if err := b.restoreAttention(ctx); err != nil {
		return err
	}
	if err := b.memory.FinishForgetting(ctx); errors.Is(err, memory.ErrCannotForget) {
		b.log.Error("an index keeps what was forgotten", "err", err)
	} else if err != nil {
		return err
	}
	if err := b.memory.Load(ctx); err != nil {
		return err
	}
	again, unclear, err := b.errands.Resume(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, e := range again {
		if e.Kind == requestKind {
			b.petitions.add(e)
			continue
		}
		if err := b.errands.Drop(ctx, e.ID); err != nil {
			return err
		}
	}
	for _, e := range unclear {
		if err := b.doubtAll(ctx, e); err != nil {
			return err
		}
	}
	if err := b.resumeLife(ctx); err != nil {
		return err
	}
	if err := b.presence.Restore(ctx, time.Now(), b.opts.Commands); err != nil {
		return err
	}
	chats, err := b.known(ctx)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if err := b.reopen(ctx, chat); err != nil {
			return err
		}
	}
	return nil
}

// reopen puts the messages behind a chat's cursor back into the buffer, as far as they are fresh, and has commands carried
// out that were not.
func (b *Being) reopen(ctx context.Context, chat persona.Chat) error {
	r, err := b.room(ctx, chat)
	if err != nil || r.off {
		return err
	}
	past, err := b.memory.Recent(ctx, r.space, remembered)
	if err != nil {
		return err
	}
	for _, rec := range past { // whether an owner was there
		b.router.Heard(time.Now(), message(r, rec))
	}
	waiting := b.behind(chat, past)
	for _, rec := range past[:len(past)-len(waiting)] { // a command is no turn: the cursor says nothing of it
		if time.Since(rec.At) <= b.opts.MaxAge {
			b.ordered(r, message(r, rec))
		}
	}
	for i, rec := range waiting {
		if rec.Own || time.Since(rec.At) > b.opts.MaxAge {
			continue
		}
		m := message(r, rec)
		b.quote(ctx, r, &m)
		spoken := slices.ContainsFunc(waiting[i:], func(later memory.Record) bool { return later.Own })
		b.attend(r, m, spoken)
	}
	return nil
}

// behind are the records after the chat's cursor.
func (b *Being) behind(chat persona.Chat, past []memory.Record) []memory.Record {
	cursor, ok := b.errands.Cursor(chat)
	if !ok {
		return past
	}
	for i := len(past) - 1; i >= 0; i-- {
		if past[i].ID == cursor.Last {
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
