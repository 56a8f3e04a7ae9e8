package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// saidBy tells whether somebody has spoken in a chat, and, where it is public, the IDs of what they said; of everybody
// where person is "".
func (b *Engine) saidBy(ctx context.Context, r *Chat, person string) (public []string, spoke bool, err error) {
	for rec, err := range b.Options.Store.Scan(ctx, r.Space, 0) {
		switch {
		case err != nil:
			return nil, false, fmt.Errorf("social: forget: %w", err)
		case person != "" && rec.Person != person:
			continue
		case !r.Public:
			return nil, true, nil
		}
		public, spoke = append(public, rec.ID), true
	}
	return public, spoke, nil
}

// withSelf forgets, and with it what the persona by itself has made of messages of public chats: before, so that being
// killed leaves nothing of it, and after, for what was made meanwhile.
func (b *Engine) withSelf(ctx context.Context, public []string, forget func() (int, error)) (n int, err error) {
	made := func() error {
		if len(public) == 0 {
			return nil
		}
		for ids := range slices.Chunk(public, 500) {
			if err := b.Memory.Forget(ctx, memory.Self, ids...); err != nil && !errors.Is(err, memory.ErrCannotForget) {
				return fmt.Errorf("social: forget: %w", err)
			}
		}
		return errors.Join(b.Memory.Notes(memory.Self).SetInner(ctx, time.Now(), ""), b.unplan(ctx, persona.Maker{}), b.unarchive(ctx, memory.Self))
	}
	if err := made(); err != nil {
		return 0, err
	}
	n, err = forget()
	return n, errors.Join(err, made())
}

// unarchive forgets what was thought in the background of a chat: of whom that was, is not known of all of it. No prompt
// ever shows it.
func (b *Engine) unarchive(ctx context.Context, s memory.Space) error {
	var ids []string
	for rec, err := range b.Options.Store.Scan(ctx, s.Secret(), 0) {
		if err != nil {
			return fmt.Errorf("social: forget: %w", err)
		}
		if rec.Kind == archiveKind {
			ids = append(ids, rec.ID)
		}
	}
	if err := b.Memory.Forget(ctx, s.Secret(), ids...); err != nil && !errors.Is(err, memory.ErrCannotForget) {
		return fmt.Errorf("social: forget: %w", err)
	}
	return nil
}

// unplan lets go of what the being has set itself to do in a chat, or by itself, on nobody's behalf.
func (b *Engine) unplan(ctx context.Context, m persona.Maker) error {
	l, err := b.lifeRows(ctx)
	if err != nil {
		return err
	}
	own := func(of persona.Maker) bool {
		return of.Mode == persona.Persona && of.Chat == m.Chat && of.Person == (persona.Account{})
	}
	for _, t := range l.timers.List(m) {
		if own(t.Maker) {
			if err := l.timers.Cancel(ctx, m, t.ID); err != nil && !errors.Is(err, persona.ErrUnknown) {
				return err
			}
		}
	}
	var gone []string
	for _, t := range slices.Concat(l.schedule.List(m), l.schedule.History()) {
		if own(t.Maker) {
			gone = append(gone, t.ID)
		}
	}
	for _, id := range gone {
		var out *persona.TransitionError // or over
		if err := l.schedule.Cancel(ctx, time.Now(), m, id); err != nil && !errors.Is(err, persona.ErrUnknown) && !errors.As(err, &out) {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return l.schedule.Condensed(ctx, gone...)
}

// lifeRows are its life, or, where it has none any more, what is left of it in the store.
func (b *Engine) lifeRows(ctx context.Context) (*life, error) {
	if b.life != nil {
		return b.life, nil
	}
	l := &life{timers: persona.NewTimers(b.Options.Store, persona.TimerOptions{}), schedule: persona.NewSchedule(b.Options.Store, persona.ScheduleOptions{})}
	var err error
	if l.core, err = persona.NewLife(b.Options.Store, l.timers, l.schedule, persona.LifeOptions{}); err != nil {
		return nil, err
	}
	_, err = l.core.Resume(ctx, time.Now())
	return l, err
}

// unplanChat lets go of what was to be done in a chat.
func (b *Engine) unplanChat(ctx context.Context, chat persona.Chat) error {
	l, err := b.lifeRows(ctx)
	if err != nil {
		return err
	}
	return errors.Join(l.timers.ForgetChat(ctx, chat), l.schedule.ForgetChat(ctx, chat), l.core.ForgetChat(ctx, time.Now(), chat))
}

// unplanPerson lets go of what was to be done on somebody's behalf, on whatever platform.
func (b *Engine) unplanPerson(ctx context.Context, id string) error {
	l, err := b.lifeRows(ctx)
	if err != nil {
		return err
	}
	who := persona.Account{ID: id}
	return errors.Join(l.timers.ForgetPerson(ctx, who), l.schedule.ForgetPerson(ctx, who))
}
