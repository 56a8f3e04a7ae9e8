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

// A fakeLink has the two methods of a Link; pastLink adds a history.
type fakeLink struct {
	mu      sync.Mutex
	events  chan persona.Event
	sent    []string
	past    map[persona.Chat][]persona.Message
	onSend  func(context.Context) error
	pastErr error
	slow    time.Duration // delay of RecentMessages
	n       int
}

func fake() *fakeLink {
	return &fakeLink{events: make(chan persona.Event, 9999), past: map[persona.Chat][]persona.Message{}}
}

func (f *fakeLink) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-f.events:
			hear(ctx, e)
		}
	}
}

func (f *fakeLink) Send(ctx context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	if f.onSend != nil {
		if err := f.onSend(ctx); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.sent = append(f.sent, out.Text)
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

func newMessage(id, from, text string) persona.Message {
	return persona.Message{ID: id, Chat: group1, From: from, Name: from, At: time.Now(), Text: text}
}

type slowStore struct {
	*memory.MemStore
	failing  atomic.Bool   // writes fail, as after a kill
	delay    time.Duration // delay of a write, which ignores ctx once it has begun
	checkCtx bool          // check ctx after the delay
}

func (s *slowStore) Put(ctx context.Context, r ...memory.Record) error {
	if s.failing.Load() {
		return errFull
	}
	return s.MemStore.Put(ctx, r...)
}

func (s *slowStore) Apply(ctx context.Context, rows map[string][]byte) error {
	if s.failing.Load() {
		return errFull
	}
	time.Sleep(s.delay)
	if s.checkCtx && ctx.Err() != nil {
		return ctx.Err()
	}
	return s.MemStore.Apply(context.WithoutCancel(ctx), rows)
}

func startBot(t *testing.T, link social.Link, model *modeltest.Model, store social.Store, notices *[]string, change ...func(*social.Options)) (*social.Bot, func()) {
	o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: model, Link: link, Storage: social.Storage{Store: store}, Location: time.UTC}
	o.When.Attention.Seed = 1
	if notices != nil {
		o.Hooks.Notify = func(_ context.Context, text string) error { *notices = append(*notices, text); return nil }
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

// stored returns the texts in a store for room1.
func stored(t *testing.T, store social.Store) (texts []string) {
	t.Helper()
	recs, err := memorytest.New(t, store, memory.Options{}).Recent(t.Context(), memory.Space(group1.String()), 99)
	require.NoError(t, err)
	for _, r := range recs {
		texts = append(texts, r.Text)
	}
	return texts
}

func advance(d time.Duration) { time.Sleep(d); synctest.Wait() }
