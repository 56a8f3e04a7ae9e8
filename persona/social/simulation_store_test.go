package social_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

var errKilled = errors.New("the process is dead")

// A crashingStore is the store of one run. After crashAt it fails at a write and refuses everything from then on.
type crashingStore struct {
	*memory.MemStore
	onCrash func()
	delay   func(string) time.Duration // duration of a write; nil: 0

	mu         sync.Mutex
	crashed    bool
	writesLeft int  // writes until the crash; 0: no crash
	mode       int  // crash before the write, after it without a result, or after the result
	failing    bool // writes fail, before or after they are executed
	nth        int
	received   int // stored messages of others
}

func (s *crashingStore) crashAt(left, how int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writesLeft, s.mode = left, how
}

func (s *crashingStore) hasCrashed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crashed
}

func (s *crashingStore) recover() { s.crashAt(0, 0); s.failWrites(false) }

// failWrites makes writes fail from now on, or succeed again.
func (s *crashingStore) failWrites(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = on
}

func (s *crashingStore) write(do func() error) error {
	s.mu.Lock()
	s.nth++
	n := s.nth
	s.mu.Unlock()
	if s.delay != nil {
		time.Sleep(s.delay(fmt.Sprint("before", n)))
		defer func() { time.Sleep(s.delay(fmt.Sprint("after", n))) }()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return errKilled
	}
	if s.writesLeft > 0 {
		if s.writesLeft--; s.writesLeft == 0 {
			s.crashed = true
			defer s.onCrash()
			if s.mode < 2 {
				return s.fail(s.mode == 1, do)
			}
		}
	}
	if s.failing {
		return s.fail(n%2 == 0, do)
	}
	return do()
}

// fail returns an error for a write that is or is not executed.
func (s *crashingStore) fail(made bool, do func() error) error {
	if received := s.received; made {
		_ = do()
		s.received = received
	}
	return errKilled
}

func (s *crashingStore) read() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return errKilled
	}
	return nil
}

func (s *crashingStore) Put(ctx context.Context, recs ...memory.Record) error {
	return s.write(func() error {
		err := s.MemStore.Put(ctx, recs...)
		for _, r := range recs {
			if err == nil && !r.Own && r.Kind == memory.KindMessage {
				s.received++
			}
		}
		return err
	})
}

func (s *crashingStore) Delete(ctx context.Context, space memory.Space, ids ...string) error {
	return s.write(func() error { return s.MemStore.Delete(ctx, space, ids...) })
}

func (s *crashingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	return s.write(func() error { return s.MemStore.Apply(ctx, rows) })
}

func (s *crashingStore) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Load(ctx, prefix)
}

func (s *crashingStore) Get(ctx context.Context, space memory.Space, ids ...string) ([]memory.Record, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Get(ctx, space, ids...)
}

func (s *crashingStore) GetWithoutVectors(ctx context.Context, space memory.Space, ids ...string) ([]memory.Record, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.GetWithoutVectors(ctx, space, ids...)
}

func (s *crashingStore) Tail(ctx context.Context, space memory.Space, kind string, n int) ([]memory.Record, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Tail(ctx, space, kind, n)
}

func (s *crashingStore) Scan(ctx context.Context, space memory.Space, after uint64) iter.Seq2[memory.Record, error] {
	if err := s.read(); err != nil {
		return func(yield func(memory.Record, error) bool) { yield(memory.Record{}, err) }
	}
	return s.MemStore.Scan(ctx, space, after)
}

func (s *crashingStore) Spaces(ctx context.Context) ([]memory.Space, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Spaces(ctx)
}
