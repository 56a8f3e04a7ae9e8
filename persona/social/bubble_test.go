package social_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/require"
)

const (
	bot   = 10000
	alice = 1001
	bob   = 1002
)

// A bubble is a being in a simulated QQ, on a virtual clock.
type bubble struct {
	*testing.T
	qq    *onebottest.Server
	model *modeltest.Model
	store *memory.MemStore
	being *social.Bot
	group *onebottest.Group
	stop  func()

	mu     sync.Mutex
	traces []heartflow.Trace
}

// inBubble runs a test with a being that is connected. change may alter its options.
func inBubble(t *testing.T, model *modeltest.Model, change func(*social.Options), test func(b *bubble)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{T: t, model: model, store: memory.NewMemStore()}
		b.qq = onebottest.New(onebottest.Options{SelfID: bot, Nickname: "小炉"})
		b.group = b.qq.Group(1, "技术群")
		b.group.Member(alice, "张三")
		b.group.Member(bob, "李四")
		b.start(change)
		test(b)
		b.stop()
		b.qq.Close()
	})
}

// start brings a new being to life over the bubble's store. A bubble may be stopped and started again.
func (b *bubble) start(change func(*social.Options)) {
	b.Helper()
	o := social.Options{
		Profile: persona.Profile{Name: "小炉", About: "爱坐在炉边的人"},
		Model:   b.model,
		Link:    onebotlink.New(b.qq.Client(onebot.Options{}), onebotlink.Options{}),
		Storage: social.Storage{Store: b.store},
		Hooks: social.Hooks{Trace: func(t heartflow.Trace) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.traces = append(b.traces, t)
		}, Logger: logger()},
		Location: time.UTC,
	}
	o.When.Attention.Seed = 1
	if change != nil {
		change(&o)
	}
	being, err := social.New(o)
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- being.Run(ctx) }()
	b.being = being
	b.stop = sync.OnceFunc(func() {
		cancel()
		began := time.Now()
		require.NoError(b, <-ended)
		require.Less(b, time.Since(began), 5*time.Second, "Run must return soon after its context has ended")
	})
	synctest.Wait()
}

// live has another being live in the bubble, on store, until end. A mortal that dies ends it, as a kill would.
func (b *bubble) live(store social.Store, change func(*social.Options)) (being *social.Bot, end func()) {
	b.Helper()
	o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: b.model, Link: onebotlink.New(b.qq.Client(onebot.Options{}), onebotlink.Options{}), Storage: social.Storage{Store: store}, Location: time.UTC}
	o.When.Attention.Seed = 1
	if change != nil {
		change(&o)
	}
	being, err := social.New(o)
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	if s, ok := store.(*mortal); ok {
		s.dead = stop
	}
	ended := make(chan error, 1)
	go func() { ended <- being.Run(ctx) }()
	synctest.Wait()
	return being, func() { stop(); <-ended }
}

func logger() *slog.Logger {
	var w io.Writer = io.Discard
	if os.Getenv("HEARTH_TEST_LOG") != "" {
		w = os.Stderr
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// pass lets virtual time go by, and all that it brings happen.
func (b *bubble) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// sent is what the bot said in a chat.
func (b *bubble) sent(chat onebottest.Chat) (texts []string) {
	for _, s := range b.qq.Sent() {
		if s.Chat == chat {
			texts = append(texts, s.Message.Text())
		}
	}
	return texts
}

// journal is what memory holds of a chat.
func (b *bubble) journal(space memory.Space) (texts []string) {
	for r, err := range b.store.Scan(b.Context(), space, 0) {
		require.NoError(b, err)
		texts = append(texts, r.Text)
	}
	return texts
}

// decided are the traces of one kind.
func (b *bubble) decided(kind heartflow.TraceKind) (traces []heartflow.Trace) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.traces {
		if t.Kind == kind {
			traces = append(traces, t)
		}
	}
	return traces
}

func say(text string) onebot.Message { return onebot.Message{onebot.Text(text)} }

func at(who int64, text string) onebot.Message {
	return onebot.Message{onebot.At(who), onebot.Text(" " + text)}
}
