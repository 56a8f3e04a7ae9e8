package self

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/nit"
)

// ReportOptions of [NewReports]. The zero value is ready.
type ReportOptions struct {
	Queue   QueueOptions
	Timeout time.Duration // of one delivery; 0 means 30 s
	Logger  *slog.Logger  // told of deliveries that failed; nil discards
	// Sources are the ids of what the report of a call was made of. Nil: none are kept.
	Sources func(context.Context) []string
}

// Reports are a [Queue] on the wall clock, with a state and a way to the owner. All methods may be called concurrently.
type Reports struct {
	state   nit.State
	deliver func(context.Context, Report) error
	timeout time.Duration
	log     *slog.Logger
	sources func(context.Context) []string
	beat    loop.Loop
	writing chan struct{} // 1: held while the state is written, so that it and what is known agree

	mu    sync.Mutex
	queue *Queue
}

// reportsRow keeps the queue.
const reportsRow = "nit/self/reports"

// NewReports takes up what was not delivered before. deliver brings one report to the owner; an error means that it did not arrive, and it comes
// again. It may come a second time with the same ID if the program died right behind it. A nil state keeps reports
// as long as the Reports live.
func NewReports(ctx context.Context, state nit.State, deliver func(context.Context, Report) error, o ReportOptions) (*Reports, error) {
	if deliver == nil {
		return nil, errors.New("self: reports without a way to deliver them")
	}
	if o.Timeout < 0 {
		return nil, errors.New("self: ReportOptions.Timeout is negative")
	}
	queue, err := NewQueue(o.Queue)
	r := &Reports{
		state: state, deliver: deliver, timeout: cmp.Or(o.Timeout, 30*time.Second),
		log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), sources: o.Sources, writing: make(chan struct{}, 1), queue: queue,
	}
	if err != nil || state == nil {
		return r, err
	}
	rows, err := state.Load(ctx, reportsRow)
	if err != nil {
		return nil, fmt.Errorf("self: reports: %w", err)
	}
	if row, ok := rows[reportsRow]; ok {
		if err := r.queue.Restore(time.Now(), row); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Submit hands in a report. It is durable when Submit returns [Queued] or [Deduplicated].
func (r *Reports) Submit(ctx context.Context, now time.Time, report Report) (outcome Outcome, err error) {
	if r.sources != nil {
		report.Sources = r.sources(ctx)
	}
	err = r.change(ctx, func(q *Queue) { outcome = q.Add(now, report) })
	r.beat.Wake()
	return outcome, err
}

// Pending are the reports that wait, oldest first.
func (r *Reports) Pending() []Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.Pending()
}

// Retry delivers what waits as soon as the limits allow, without the rest that follows failures: call it when the owner can be reached again.
func (r *Reports) Retry(ctx context.Context) error {
	err := r.change(ctx, (*Queue).Retry)
	r.beat.Wake()
	return err
}

// Remove takes out reports that wait: who or what they tell of is to be forgotten.
func (r *Reports) Remove(ctx context.Context, gone func(Report) bool) error {
	return r.change(ctx, func(q *Queue) { q.Remove(gone) })
}

// Run delivers what is due until ctx ends, and returns nil then.
func (r *Reports) Run(ctx context.Context) error {
	return r.beat.Run(ctx, r.next, func(now time.Time) {
		r.mu.Lock()
		report, ok := r.queue.Due(now)
		r.mu.Unlock()
		if ok {
			r.bring(ctx, report)
		}
	})
}

func (r *Reports) next() (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.Next()
}

// bring delivers one report, and writes down what came of it.
func (r *Reports) bring(ctx context.Context, report Report) {
	within, stop := context.WithTimeout(ctx, r.timeout)
	err := r.try(within, report)
	stop()
	if err != nil {
		r.log.Warn("a report did not reach the owner", "id", report.ID, "err", err)
	}
	if ctx.Err() != nil && err != nil {
		return // it was not its fault
	}
	after, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer stop()
	answer := func(q *Queue) { q.Answer(time.Now(), report.ID, err == nil) }
	if failed := r.change(after, answer); failed != nil {
		r.log.Error("what became of a report was not written down", "id", report.ID, "err", failed)
		r.mu.Lock()
		q := r.queue.clone()
		answer(q) // else it would be delivered again at once, and for ever
		r.queue = q
		r.mu.Unlock()
	}
}

func (r *Reports) try(ctx context.Context, report Report) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("self: reports: panic: %v", p)
		}
	}()
	return r.deliver(ctx, report)
}

// change lets f change the queue. It is written down first.
func (r *Reports) change(ctx context.Context, f func(*Queue)) error {
	select {
	case r.writing <- struct{}{}:
		defer func() { <-r.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	next := r.queue.clone()
	r.mu.Unlock()
	f(next)
	if r.state != nil {
		row, err := next.Snapshot()
		if err == nil {
			err = r.state.Apply(ctx, map[string][]byte{reportsRow: row})
		}
		if err != nil {
			return fmt.Errorf("self: reports: %w", err)
		}
	}
	r.mu.Lock()
	r.queue = next
	r.mu.Unlock()
	return nil
}
