package owner

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory/postgres"
)

// A database has the leases in memory/postgres. Each being has a handle of its own, on shared connections.
type database struct {
	o          Options
	mu         sync.Mutex
	handles    map[string]*postgres.DB
	membership postgres.Fence // of the last join; Join and Leave do not overlap
}

// handle returns the handle of a being, and opens it at first.
func (d *database) handle(ctx context.Context, being string) (*postgres.DB, error) {
	d.mu.Lock()
	db := d.handles[being]
	d.mu.Unlock()
	if db != nil {
		return db, nil
	}
	o := d.o.Database
	o.Being, o.Fence = being, nil
	db, err := postgres.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handles[being] = db
	return db, nil
}

func (d *database) close() {
	for _, db := range d.handles {
		db.Close()
	}
}

// forget closes the handle of a being that sleeps.
func (d *database) forget(being string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if db := d.handles[being]; db != nil {
		db.Close()
		delete(d.handles, being)
	}
}

// join renews the membership, or claims it anew, and lists the members and the beings that sleep.
func (d *database) join(ctx context.Context, valid time.Duration) (r Result, err error) {
	db, err := d.handle(ctx, d.o.Group)
	if err != nil {
		return r, err
	}
	err = postgres.ErrFenced
	if d.membership.Epoch != 0 {
		_, err = db.Renew(ctx, d.membership, valid)
	}
	if errors.Is(err, postgres.ErrFenced) {
		var l postgres.Lease
		l, err = db.Claim(ctx, d.o.ID, d.o.ID, valid)
		d.membership = l.Fence()
		if err == nil {
			d.notify(ctx, hint{})
		}
	}
	if err != nil {
		return r, err
	}
	all, err := db.Leases(ctx)
	if err != nil {
		return r, err
	}
	for _, l := range all {
		r.Members = append(r.Members, l.Name)
		if l.Name != d.o.ID && (r.Left == 0 || l.Left < r.Left) {
			r.Left = l.Left
		}
	}
	sleepers, err := db.Sleepers(ctx)
	r.Asleep = make(map[string]time.Duration, len(sleepers))
	for _, s := range sleepers {
		r.Asleep[s.Being] = s.Left
	}
	return r, err
}

func (d *database) leave(ctx context.Context) error {
	if d.membership.Epoch == 0 {
		return nil
	}
	db, err := d.handle(ctx, d.o.Group)
	if err != nil {
		return err
	}
	if err := db.Release(ctx, d.membership); err != nil {
		return err
	}
	d.notify(ctx, hint{})
	return nil
}

func (d *database) claim(ctx context.Context, being string, valid time.Duration) (int64, error) {
	db, err := d.handle(ctx, being)
	if err != nil {
		return 0, err
	}
	l, err := db.ClaimAwake(ctx, d.o.ID, valid)
	var asleep *postgres.AsleepError
	if errors.As(err, &asleep) {
		d.forget(being)
	}
	return l.Epoch, err
}

// sleep returns how long the being may sleep.
func (d *database) sleep(ctx context.Context, being string, epoch int64, rest time.Duration) (left time.Duration, err error) {
	db, err := d.handle(ctx, being)
	if err != nil {
		return 0, err
	}
	left, err = db.Sleep(ctx, postgres.Fence{Epoch: epoch}, postgres.Waker{Group: d.o.Group, Channel: d.channel()}, rest)
	if err == nil {
		d.forget(being)
	}
	return left, err
}

func (d *database) renew(ctx context.Context, being string, epoch int64, valid time.Duration) error {
	db, err := d.handle(ctx, being)
	if err != nil {
		return err
	}
	_, err = db.Renew(ctx, postgres.Fence{Epoch: epoch}, valid)
	return err
}

func (d *database) release(ctx context.Context, being string, epoch int64) error {
	db, err := d.handle(ctx, being)
	if err != nil {
		return err
	}
	if err := db.Release(ctx, postgres.Fence{Epoch: epoch}); err != nil {
		return err
	}
	d.notify(ctx, hint{being: being})
	return nil
}
