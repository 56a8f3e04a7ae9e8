package social_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/require"
)

// A fakeLink is two methods; pastLink adds a history.
type fakeLink struct {
	mu      sync.Mutex
	in      chan persona.Event
	said    []string
	past    map[persona.Chat][]persona.Message
	say     func(context.Context) error
	pastErr error
	slow    time.Duration // of Recent
	n       int
}

func fake() *fakeLink {
	return &fakeLink{in: make(chan persona.Event, 9999), past: map[persona.Chat][]persona.Message{}}
}

func (f *fakeLink) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-f.in:
			hear(ctx, e)
		}
	}
}

func (f *fakeLink) Send(ctx context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	if f.say != nil {
		if err := f.say(ctx); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.said = append(f.said, out.Text)
	return fmt.Sprint("own", time.Now().UnixNano(), f.n), nil
}

type pastLink struct{ *fakeLink }

func (f pastLink) Features() social.LinkFeatures {
	return social.LinkFeatures{RecentMessages: f.recent}
}

func (f pastLink) recent(_ context.Context, c persona.Chat, _ func(persona.Message) bool) ([]persona.Message, error) {
	f.mu.Lock()
	ms, err := append([]persona.Message(nil), f.past[c]...), f.pastErr
	f.mu.Unlock()
	time.Sleep(f.slow)
	return ms, err
}

func heard(id, from, text string) persona.Message {
	return persona.Message{ID: id, Chat: room1, From: from, Name: from, At: time.Now(), Text: text}
}

type state struct {
	*memory.MemStore
	dead atomic.Bool   // as if killed: nothing is written any more
	slow time.Duration // of a write, which does not look at its ctx once it has begun
	obey bool          // it does look at it afterwards
}

func (s *state) Put(ctx context.Context, r ...memory.Record) error {
	if s.dead.Load() {
		return errFull
	}
	return s.MemStore.Put(ctx, r...)
}

func (s *state) Apply(ctx context.Context, rows map[string][]byte) error {
	if s.dead.Load() {
		return errFull
	}
	time.Sleep(s.slow)
	if s.obey && ctx.Err() != nil {
		return ctx.Err()
	}
	return s.MemStore.Apply(context.WithoutCancel(ctx), rows)
}

func liveOn(t *testing.T, link social.Link, model *modeltest.Model, store social.Store, told *[]string, change ...func(*social.Options)) (*social.Bot, func()) {
	o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: model, Link: link, Storage: social.Storage{Store: store}, Location: time.UTC}
	o.When.Attention.Seed = 1
	if told != nil {
		o.Hooks.Notify = func(_ context.Context, text string) error { *told = append(*told, text); return nil }
	}
	for _, c := range change {
		c(&o)
	}
	b, err := social.New(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	synctest.Wait()
	return b, func() { cancel(); require.NoError(t, <-ended) }
}

// kept is what a store has of room1.
func kept(t *testing.T, store social.Store) (texts []string) {
	t.Helper()
	recs, err := memorytest.New(t, store, memory.Options{}).Recent(t.Context(), memory.Space(room1.String()), 99)
	require.NoError(t, err)
	for _, r := range recs {
		texts = append(texts, r.Text)
	}
	return texts
}

func after(d time.Duration) { time.Sleep(d); synctest.Wait() }
