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

// A mortal store is that of one life. Doomed, it dies at a write, and from then on refuses everything.
type mortal struct {
	*memory.MemStore
	dead func()
	slow func(string) time.Duration // of a write; nil: none is

	mu    sync.Mutex
	gone  bool
	left  int  // writes until it dies; 0: it lives
	how   int  // it dies before the write, after it without an answer, or after the answer
	sick  bool // writes fail, before they are made or after
	nth   int
	heard int // messages of others that were kept
}

func (s *mortal) doom(left, how int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.how = left, how
}

func (s *mortal) died() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

func (s *mortal) spare() { s.doom(0, 0); s.ail(false) }

// ail makes writes fail from now on, or no more.
func (s *mortal) ail(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sick = on
}

func (s *mortal) write(do func() error) error {
	s.mu.Lock()
	s.nth++
	n := s.nth
	s.mu.Unlock()
	if s.slow != nil {
		time.Sleep(s.slow(fmt.Sprint("before", n)))
		defer func() { time.Sleep(s.slow(fmt.Sprint("after", n))) }()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return errKilled
	}
	if s.left > 0 {
		if s.left--; s.left == 0 {
			s.gone = true
			defer s.dead()
			if s.how < 2 {
				return s.fail(s.how == 1, do)
			}
		}
	}
	if s.sick {
		return s.fail(n%2 == 0, do)
	}
	return do()
}

// fail is a write that gets an error, whether or not it is made.
func (s *mortal) fail(made bool, do func() error) error {
	if heard := s.heard; made {
		_ = do()
		s.heard = heard
	}
	return errKilled
}

func (s *mortal) read() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return errKilled
	}
	return nil
}

func (s *mortal) Put(ctx context.Context, recs ...memory.Record) error {
	return s.write(func() error {
		err := s.MemStore.Put(ctx, recs...)
		for _, r := range recs {
			if err == nil && !r.Own && r.Kind == memory.KindMessage {
				s.heard++
			}
		}
		return err
	})
}

func (s *mortal) Delete(ctx context.Context, space memory.Space, ids ...string) error {
	return s.write(func() error { return s.MemStore.Delete(ctx, space, ids...) })
}

func (s *mortal) Apply(ctx context.Context, rows map[string][]byte) error {
	return s.write(func() error { return s.MemStore.Apply(ctx, rows) })
}

func (s *mortal) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Load(ctx, prefix)
}

func (s *mortal) Get(ctx context.Context, space memory.Space, ids ...string) ([]memory.Record, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Get(ctx, space, ids...)
}

func (s *mortal) GetWithoutVectors(ctx context.Context, space memory.Space, ids ...string) ([]memory.Record, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.GetWithoutVectors(ctx, space, ids...)
}

func (s *mortal) Tail(ctx context.Context, space memory.Space, kind string, n int) ([]memory.Record, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Tail(ctx, space, kind, n)
}

func (s *mortal) Scan(ctx context.Context, space memory.Space, after uint64) iter.Seq2[memory.Record, error] {
	if err := s.read(); err != nil {
		return func(yield func(memory.Record, error) bool) { yield(memory.Record{}, err) }
	}
	return s.MemStore.Scan(ctx, space, after)
}

func (s *mortal) Spaces(ctx context.Context) ([]memory.Space, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	return s.MemStore.Spaces(ctx)
}
