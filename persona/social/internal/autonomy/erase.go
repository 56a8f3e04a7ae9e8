package autonomy

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

// Erasure returns the part that erases planned work. a is nil if Autonomy is off; rows of earlier runs are erased all
// the same.
func Erasure(e *engine.Engine, a *Autonomy) engine.Part {
	return engine.Part{Erase: cmp.Or(a, &Autonomy{engine: e}).erase}
}

// erase removes the timers and tasks of the erased chats, those planned by turns that had read these chats, and those
// of the erased person on any platform.
func (a *Autonomy) erase(ctx context.Context, f memory.Erasure, _ map[string][]byte) error {
	a.wakes.erase(f)
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) != nil {
			continue
		}
		l, err := a.restored(ctx)
		if err != nil {
			return err
		}
		madeFrom := func(m schedule.Origin) bool { return slices.Contains(engine.PlanLabel(m).Spaces(), s) }
		if err := errors.Join(l.timers.EraseChat(ctx, chat), l.tasks.EraseChat(ctx, chat), l.planner.EraseChat(ctx, time.Now(), chat), l.cancel(ctx, allOrigins, madeFrom)); err != nil {
			return err
		}
	}
	if f.Person == "" {
		return nil
	}
	l, err := a.restored(ctx)
	if err != nil {
		return err
	}
	who := persona.Account{ID: f.Person}
	return errors.Join(l.timers.ErasePerson(ctx, who), l.tasks.ErasePerson(ctx, who))
}

// ForgetOwn erases the timers and tasks that the bot set in a scope for nobody, and the archive of its background turns
// there. It erases all of them, because not all are linked to a person.
func ForgetOwn(ctx context.Context, e *engine.Engine, a *Autonomy, s engine.Scope) error {
	a = cmp.Or(a, &Autonomy{engine: e})
	return errors.Join(a.cancelOwn(ctx, s.Origin), a.eraseArchive(ctx, s.Space))
}

// eraseArchive deletes the archived background turns of a chat. No prompt ever shows them.
func (a *Autonomy) eraseArchive(ctx context.Context, s memory.Space) error {
	var ids []string
	for rec, err := range a.engine.Options.Store.Scan(ctx, s.Secret(), 0) {
		if err != nil {
			return fmt.Errorf("social: erase: %w", err)
		}
		if rec.Kind == archiveKind {
			ids = append(ids, rec.ID)
		}
	}
	if err := a.engine.Memory.Delete(ctx, s.Secret(), ids...); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
		return fmt.Errorf("social: erase: %w", err)
	}
	return nil
}

// cancelOwn cancels the timers and tasks that the bot set for nobody in a chat, or outside of chats.
func (a *Autonomy) cancelOwn(ctx context.Context, m schedule.Origin) error {
	l, err := a.restored(ctx)
	if err != nil {
		return err
	}
	return l.cancel(ctx, m, func(of schedule.Origin) bool {
		return of.Mode == persona.Persona && of.Chat == m.Chat && of.Person == (persona.Account{})
	})
}

// cancel cancels the timers and tasks that m can see and whose origin matches.
func (a *Autonomy) cancel(ctx context.Context, m schedule.Origin, match func(schedule.Origin) bool) error {
	for _, t := range a.timers.List(m) {
		if match(t.Origin) {
			if err := a.timers.Cancel(ctx, m, t.ID); err != nil && !errors.Is(err, schedule.ErrNotFound) {
				return err
			}
		}
	}
	var ids []string
	for _, t := range slices.Concat(a.tasks.List(m), a.tasks.History()) {
		if match(t.Origin) {
			ids = append(ids, t.ID)
		}
	}
	for _, id := range ids {
		var transition *schedule.TransitionError // or it has ended
		if err := a.tasks.Cancel(ctx, time.Now(), m, id); err != nil && !errors.Is(err, schedule.ErrNotFound) && !errors.As(err, &transition) {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return a.tasks.MarkCondensed(ctx, ids...)
}

// restored returns the receiver, or if Autonomy is off, one that is loaded from the rows in the store.
func (a *Autonomy) restored(ctx context.Context) (*Autonomy, error) {
	if a.planner != nil {
		return a, nil
	}
	a, err := New(a.engine, Options{})
	if err == nil {
		_, err = a.planner.Restore(ctx, time.Now())
	}
	return a, err
}
