package jobs

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// How [Queue.Recover] ends errands by itself.
const (
	OutcomeStale       = "stale"       // its Until had passed
	OutcomeInterrupted = "interrupted" // it had acted, with every result known, when the program died
)

// Recover tells what the last life of the program left undone, each list in order of At. Call it once, before anything
// else. Nothing is forgotten: an errand that is not over
//
//   - is in again when it has not acted and its Until has not passed: [Queue.Claim] it, or [Queue.Done] it. One
//     whose Until has passed is ended as [OutcomeStale];
//   - is in unclear when it has acted and for an entry, or an effect without one, no result is known. Its entries that
//     were pending read [Unclear]. Look them up, settle them by [Queue.Result] if you can, and end it by
//     [Queue.Done]. What is not ended is told again after the next start;
//   - is ended as [OutcomeInterrupted] when it has acted and every entry has its result.
//
// Errands that were opened since the program started are none of these.
func (e *Queue) Recover(ctx context.Context, now time.Time) (again, unclear []Job, err error) {
	err = e.change(ctx, func(c *changes) error {
		for _, d := range e.left() {
			var err error
			switch {
			case d.Status == Open && (d.ExpiresAt.IsZero() || !now.After(d.ExpiresAt)):
				again = append(again, d.clone())
			case d.Status == Open:
				err = c.finish(d, now, OutcomeStale)
			case d.settled():
				err = c.finish(d, now, OutcomeInterrupted)
			default:
				unclear = append(unclear, d.inDoubt())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return again, unclear, nil
}

// left gives the errands of an earlier life that are not over, in order of At.
func (e *Queue) left() []*errand {
	var left []*errand
	for _, d := range e.errands {
		if !d.live && d.Status != Done {
			left = append(left, d)
		}
	}
	slices.SortFunc(left, func(a, b *errand) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return left
}

// settled reports whether every effect that a committed errand began has a known result.
func (d *Job) settled() bool {
	for i := range d.Outbox {
		if s := d.Outbox[i].Status; s == Pending || s == Unclear {
			return false
		}
	}
	return len(d.Outbox) > 0
}

// inDoubt gives the errand with what was pending marked as unclear.
func (d *errand) inDoubt() Job {
	c := d.clone()
	for i := range c.Outbox {
		if c.Outbox[i].Status == Pending {
			c.Outbox[i].Status = Unclear
		}
	}
	return c
}
