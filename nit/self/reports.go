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

// ReportOptions are the options of [NewReports]. The zero value is ready for use.
type ReportOptions struct {
	Queue   QueueOptions
	Timeout time.Duration // of one delivery; 0 means 30 s
	Logger  *slog.Logger  // logs failed deliveries; nil discards
	// Complete adds what the host knows about the turn of a call to its report: names, Sources, Label. Nil adds nothing.
	Complete func(context.Context, *Report)
	// Row is the key of the row with the undelivered reports. Use another key for a second Reports over one state; ""
	// means "nit/self/reports".
	Row string
	// Hold returns the time before which a report must wait, for example the end of quiet hours. It is called for the
	// next report, from the goroutine of Run, and must not block. A time in the past means that the report may go now.
	// Nil holds none.
	Hold func(now time.Time, r Report) time.Time
}

// Reports is a [Queue] with a clock, a durable state and a delivery function. All methods may be called concurrently.
type Reports struct {
	state    nit.State
	deliver  func(context.Context, Report) error
	timeout  time.Duration
	log      *slog.Logger
	complete func(context.Context, *Report)
	row      string
	hold     func(now time.Time, r Report) time.Time
	loop     loop.Loop
	writer   chan struct{} // holds one token during a write, so that the row and the queue agree

	mu    sync.Mutex
	queue *Queue
}

// reportsRow is the key of the queue's row.
const reportsRow = "nit/self/reports"

// NewReports restores the undelivered reports from state. deliver sends one report to the owner. After an error the
// delivery is retried. After a crash a report may be delivered again with the same ID. With a nil state the reports are
// kept in memory only.
func NewReports(ctx context.Context, state nit.State, deliver func(context.Context, Report) error, o ReportOptions) (*Reports, error) {
	if deliver == nil {
		return nil, errors.New("self: deliver is nil")
	}
	if o.Timeout < 0 {
		return nil, errors.New("self: ReportOptions.Timeout is negative")
	}
	queue, err := NewQueue(o.Queue)
	r := &Reports{
		state: state, deliver: deliver, timeout: cmp.Or(o.Timeout, 30*time.Second),
		log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), complete: o.Complete, hold: o.Hold,
		row: cmp.Or(o.Row, reportsRow), writer: make(chan struct{}, 1), queue: queue,
	}
	if err != nil || state == nil {
		return r, err
	}
	rows, err := state.Load(ctx, r.row)
	if err != nil {
		return nil, fmt.Errorf("self: load reports: %w", err)
	}
	if row, ok := rows[r.row]; ok {
		if err := r.queue.Restore(time.Now(), row); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Submit adds a report. If it returns [Queued] or [Deduplicated], the report is durable.
func (r *Reports) Submit(ctx context.Context, now time.Time, report Report) (outcome Outcome, err error) {
	if r.complete != nil {
		r.complete(ctx, &report)
	}
	err = r.change(ctx, func(q *Queue) { outcome = q.Add(now, report) })
	r.loop.Wake()
	return outcome, err
}

// Pending returns the waiting reports, oldest first.
func (r *Reports) Pending() []Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.Pending()
}

// Retry ends the delay after failures. Reports are then delivered as soon as the limits allow. Call it when the owner
// is reachable again.
func (r *Reports) Retry(ctx context.Context) error {
	err := r.change(ctx, (*Queue).Retry)
	r.loop.Wake()
	return err
}

// Remove removes the waiting reports for which gone returns true. Use it when a person or chat is erased.
func (r *Reports) Remove(ctx context.Context, gone func(Report) bool) error {
	return r.change(ctx, func(q *Queue) { q.Remove(gone) })
}

// Run delivers reports until ctx ends. Then it returns nil.
func (r *Reports) Run(ctx context.Context) error {
	return r.loop.Run(ctx, r.Next, func(now time.Time) {
		r.mu.Lock()
		report, ok := r.queue.Due(now)
		r.mu.Unlock()
		if ok && !r.heldUntil(now, report).After(now) {
			r.deliverOne(ctx, report)
		}
	})
}

// Next returns the time of the next delivery. ok is false if no report waits.
func (r *Reports) Next() (at time.Time, ok bool) {
	r.mu.Lock()
	at, ok = r.queue.Next()
	first, _ := r.queue.first()
	r.mu.Unlock()
	if held := r.heldUntil(time.Now(), first); ok && held.After(at) {
		at = held
	}
	return at, ok
}

// heldUntil returns the time before which the options hold a report.
func (r *Reports) heldUntil(now time.Time, report Report) time.Time {
	if r.hold == nil || report.ID == "" {
		return time.Time{}
	}
	return r.hold(now, report)
}

// deliverOne delivers one report and stores the result.
func (r *Reports) deliverOne(ctx context.Context, report Report) {
	within, stop := context.WithTimeout(ctx, r.timeout)
	err := r.try(within, report)
	stop()
	if err != nil {
		r.log.Warn("cannot deliver a report", "id", report.ID, "err", err)
	}
	if ctx.Err() != nil && err != nil {
		return // the delivery was interrupted by a shutdown
	}
	after, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer stop()
	answer := func(q *Queue) { q.Answer(time.Now(), report.ID, err == nil) }
	if failed := r.change(after, answer); failed != nil {
		r.log.Error("cannot store the result of a delivery", "id", report.ID, "err", failed)
		r.mu.Lock()
		q := r.queue.clone()
		answer(q) // otherwise it would be delivered again at once, and forever
		r.queue = q
		r.mu.Unlock()
	}
}

func (r *Reports) try(ctx context.Context, report Report) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("self: deliver panicked: %v", p)
		}
	}()
	return r.deliver(ctx, report)
}

// change applies f to a copy of the queue, writes the copy, and then replaces the queue.
func (r *Reports) change(ctx context.Context, f func(*Queue)) error {
	select {
	case r.writer <- struct{}{}:
		defer func() { <-r.writer }()
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
			err = r.state.Apply(ctx, map[string][]byte{r.row: row})
		}
		if err != nil {
			return fmt.Errorf("self: store reports: %w", err)
		}
	}
	r.mu.Lock()
	r.queue = next
	r.mu.Unlock()
	return nil
}
