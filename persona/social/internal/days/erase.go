package days

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Erasure erases what was planned, now or by earlier Days: d is nil where there are none any more.
func Erasure(e *engine.Engine, d *Days) engine.Part {
	return engine.Part{Erase: cmp.Or(d, &Days{engine: e}).erase}
}

// erase lets go of what was to be done in chats, or was planned by turns that had read them, or on somebody's behalf on
// whatever platform.
func (d *Days) erase(ctx context.Context, f memory.Erasure, _ map[string][]byte) error {
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) != nil {
			continue
		}
		l, err := d.loaded(ctx)
		if err != nil {
			return err
		}
		madeOf := func(m schedule.Origin) bool { return slices.Contains(engine.PlanLabel(m).Spaces(), s) }
		if err := errors.Join(l.timers.EraseChat(ctx, chat), l.schedule.EraseChat(ctx, chat), l.life.EraseChat(ctx, time.Now(), chat), l.cancel(ctx, everyone, madeOf)); err != nil {
			return err
		}
	}
	if f.Person == "" {
		return nil
	}
	l, err := d.loaded(ctx)
	if err != nil {
		return err
	}
	who := persona.Account{ID: f.Person}
	return errors.Join(l.timers.ErasePerson(ctx, who), l.schedule.ErasePerson(ctx, who))
}

// ForgetOwn forgets what the bot has set itself to do in a scope on nobody's behalf, and what it thought there in the
// background: of whom that was, is not known of all of it.
func ForgetOwn(ctx context.Context, e *engine.Engine, d *Days, s engine.Scope) error {
	d = cmp.Or(d, &Days{engine: e})
	return errors.Join(d.cancelOwn(ctx, s.Origin), d.eraseArchive(ctx, s.Space))
}

// eraseArchive forgets what was thought in the background of a chat. No prompt ever shows it.
func (d *Days) eraseArchive(ctx context.Context, s memory.Space) error {
	var ids []string
	for rec, err := range d.engine.Options.Store.Scan(ctx, s.Secret(), 0) {
		if err != nil {
			return fmt.Errorf("social: forget: %w", err)
		}
		if rec.Kind == archiveKind {
			ids = append(ids, rec.ID)
		}
	}
	if err := d.engine.Memory.Delete(ctx, s.Secret(), ids...); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
		return fmt.Errorf("social: forget: %w", err)
	}
	return nil
}

// cancelOwn lets go of what the being has set itself to do in a chat, or by itself, on nobody's behalf.
func (d *Days) cancelOwn(ctx context.Context, m schedule.Origin) error {
	l, err := d.loaded(ctx)
	if err != nil {
		return err
	}
	return l.cancel(ctx, m, func(of schedule.Origin) bool {
		return of.Mode == persona.Persona && of.Chat == m.Chat && of.Person == (persona.Account{})
	})
}

// cancel lets go of what m sees that was made by such makers.
func (d *Days) cancel(ctx context.Context, m schedule.Origin, such func(schedule.Origin) bool) error {
	for _, t := range d.timers.List(m) {
		if such(t.Origin) {
			if err := d.timers.Cancel(ctx, m, t.ID); err != nil && !errors.Is(err, schedule.ErrNotFound) {
				return err
			}
		}
	}
	var gone []string
	for _, t := range slices.Concat(d.schedule.List(m), d.schedule.History()) {
		if such(t.Origin) {
			gone = append(gone, t.ID)
		}
	}
	for _, id := range gone {
		var out *schedule.TransitionError // or over
		if err := d.schedule.Cancel(ctx, time.Now(), m, id); err != nil && !errors.Is(err, schedule.ErrNotFound) && !errors.As(err, &out) {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return d.schedule.MarkCondensed(ctx, gone...)
}

// loaded are the Days, or, where they are off, what is left of earlier ones in the store.
func (d *Days) loaded(ctx context.Context) (*Days, error) {
	if d.life != nil {
		return d, nil
	}
	d, err := New(d.engine, Options{})
	if err == nil {
		_, err = d.life.Restore(ctx, time.Now())
	}
	return d, err
}
