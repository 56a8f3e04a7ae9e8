package owner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory/postgres"
)

// Options configures [Run]. ID, Beings, Database.Pool and Act are required.
type Options struct {
	ID     string   // of this process, unique among those that run, such as the name of the host
	Beings []string // all beings of all processes, the same in each of them

	// Database has the Pool that all beings share. Its Being and Fence are not used.
	Database postgres.Options
	Group    string // being of the leases by which the processes find each other; "" means "owners"
	Timing   Timing

	// Act runs the bot of db.Being() until ctx ends, and returns when nothing of it runs any more. All writes of db are fenced.
	// If it returns earlier, it is called again after Timing.Renew, by this process or another one. It may call [Ready], and return the
	// error of [SleepUntil]. db must not be used after Act has returned.
	Act func(ctx context.Context, db *postgres.DB) error

	// OnError gets the errors of the database, and those of Act for a being whose context had not ended. It must not block.
	// being is "" for the membership. nil ignores them: all are retried.
	OnError func(being string, err error)
}

// Run owns a part of the beings until ctx ends. Then it hands them over to the other processes and returns, after all calls of Act
// have returned. It returns an error only for invalid options.
func Run(ctx context.Context, o Options) error {
	if o.ID == "" || o.Act == nil || o.Database.Pool == nil {
		return errors.New("owner: set Options.ID, Options.Act and Options.Database.Pool")
	}
	if t := o.Timing.withDefaults(); min(t.Renew, t.Retry, t.Margin) <= 0 || t.Renew+t.Margin >= t.Valid || t.Moves < 0 {
		return fmt.Errorf("owner: Options.Timing is %+v: all values must be positive, and Renew and Margin together shorter than Valid", t)
	}
	if o.Group == "" {
		o.Group = "owners"
	}
	table := &database{o: o, handles: map[string]*postgres.DB{}}
	defer table.close()
	r := &runner{core: New(o.ID, o.Timing, o.Beings), timing: o.Timing.withDefaults(), leases: table, answers: make(chan answer), hints: make(chan hint), readies: make(chan Action), stops: map[string]context.CancelFunc{}, onError: o.OnError}
	r.act = func(ctx context.Context, being string, epoch int64) error {
		db, err := table.handle(ctx, being)
		if err != nil {
			return err
		}
		return o.Act(ctx, db.Fenced(postgres.Fence{Epoch: epoch}))
	}
	listening, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		table.listen(listening, r.timing.Renew, r.hints, r.report)
	}()
	r.run(ctx)
	stop()
	<-ended
	return nil
}

// leases are the calls of a [Core] to the database. Those about one being do not overlap.
type leases interface {
	join(ctx context.Context, valid time.Duration) (Result, error)
	leave(ctx context.Context) error
	claim(ctx context.Context, being string, valid time.Duration) (epoch int64, err error)
	renew(ctx context.Context, being string, epoch int64, valid time.Duration) error
	release(ctx context.Context, being string, epoch int64) error
	sleep(ctx context.Context, being string, epoch int64, rest time.Duration) (left time.Duration, err error)
	want(ctx context.Context, being string)
}

// A runner drives a Core.
type runner struct {
	core    *Core
	timing  Timing
	leases  leases
	act     func(ctx context.Context, being string, epoch int64) error
	onError func(being string, err error)
	answers chan answer
	hints   chan hint
	readies chan Action // Start actions of beings that are ready
	wants   sync.WaitGroup
	stops   map[string]context.CancelFunc // of the beings that the process acts for
}

type answer struct {
	Action
	Result
	err error
}

// run returns when ctx has ended and all is handed over. No goroutine is left then, because each owes an answer to the core, except
// for those of Want.
func (r *runner) run(ctx context.Context) {
	defer r.wants.Wait()
	calls := context.WithoutCancel(ctx)
	wake := time.NewTimer(0)
	defer wake.Stop()
	for done := ctx.Done(); !r.core.Drained(); {
		select {
		case <-done:
			done = nil
			r.core.Drain()
			r.perform(calls, r.core.Due(time.Now()))
		case h := <-r.hints:
			if h.want {
				r.perform(calls, r.core.Wanted(time.Now(), h.being))
			} else {
				r.perform(calls, r.core.Hint(time.Now(), h.being))
			}
		case a := <-r.readies:
			r.perform(calls, r.core.Ready(time.Now(), a.Being, a.Epoch))
		case a := <-r.answers:
			if a.Kind == Start {
				delete(r.stops, a.Being)
			}
			r.report(a.Being, a.err)
			r.perform(calls, r.core.Answer(time.Now(), a.Action, a.Result))
		case <-wake.C:
			r.perform(calls, r.core.Due(time.Now()))
		}
		if next := r.core.Next(); !next.IsZero() {
			wake.Reset(time.Until(next))
		}
	}
}

func (r *runner) report(being string, err error) {
	if err != nil && r.onError != nil {
		r.onError(being, err)
	}
}

func (r *runner) perform(ctx context.Context, do []Action) {
	for _, a := range do {
		switch a.Kind {
		case Stop:
			r.stops[a.Being]()
		case Start:
			acting, stop := context.WithCancel(ctx)
			r.stops[a.Being] = stop
			go func() {
				defer stop()
				err := r.act(r.withReady(acting, a), a.Being, a.Epoch)
				var sleeps sleepError
				if errors.As(err, &sleeps) {
					r.answers <- answer{a, Result{Sleeps: true, Left: sleeps.duration()}, nil}
					return
				}
				early := acting.Err() == nil
				if !early {
					err = nil
				}
				r.answers <- answer{a, Result{Failed: early}, err}
			}()
		case Want:
			r.wants.Go(func() {
				limited, cancel := context.WithTimeout(ctx, r.timing.Valid/3)
				defer cancel()
				r.leases.want(limited, a.Being)
			})
		default:
			go func() {
				limited, cancel := context.WithTimeout(ctx, r.timing.Valid/3)
				defer cancel()
				result, err := r.call(limited, a)
				r.answers <- answer{a, result, err}
			}()
		}
	}
}

// call asks the database. A lease that another process has is no error.
func (r *runner) call(ctx context.Context, a Action) (result Result, err error) {
	switch a.Kind {
	case Join:
		result, err = r.leases.join(ctx, r.timing.Valid)
	case Leave:
		err = r.leases.leave(ctx)
	case Claim:
		result.Epoch, err = r.leases.claim(ctx, a.Being, r.timing.Valid)
	case Renew:
		err = r.leases.renew(ctx, a.Being, a.Epoch, r.timing.Valid)
	case Release:
		err = r.leases.release(ctx, a.Being, a.Epoch)
	case Sleep:
		result.Left, err = r.leases.sleep(ctx, a.Being, a.Epoch, a.For)
		result.Sleeps = err == nil
	}
	var held *postgres.HeldError
	var asleep *postgres.AsleepError
	switch {
	case a.Kind == Claim && errors.As(err, &asleep):
		return Result{Sleeps: true, Left: asleep.Sleeper.Left}, nil
	case a.Kind == Claim && errors.As(err, &held):
		return Result{Fenced: true, Left: held.Lease.Left}, nil
	case errors.Is(err, postgres.ErrFenced):
		return Result{Fenced: true}, nil
	}
	result.Failed = err != nil
	return result, err
}
