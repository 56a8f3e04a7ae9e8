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
	botID = 10000
	alice = 1001
	bob   = 1002
)

// TestMain runs the tests in UTC on every machine. Quiet hours, energy and the rhythm of a chat use time.Local.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// A fixture is a bot in a simulated QQ on a virtual clock.
type fixture struct {
	*testing.T
	qq    *onebottest.Server
	model *modeltest.Model
	store *memory.MemStore
	bot   *social.Bot
	group *onebottest.Group
	stop  func()

	mu     sync.Mutex
	traces []heartflow.Trace
}

// quiet are the options of a client that does not ask a silent platform whether it lives. A test of a week would be mostly that.
var quiet = onebot.Options{MinIdleTimeout: -1}

// withFixture runs a test with a connected bot. change may alter its options.
func withFixture(t *testing.T, model *modeltest.Model, change func(*social.Options), test func(f *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, model: model, store: memory.NewMemStore()}
		f.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉"})
		f.group = f.qq.Group(1, "技术群")
		f.group.Member(alice, "张三")
		f.group.Member(bob, "李四")
		f.start(change)
		test(f)
		f.stop()
		f.qq.Close()
	})
}

// start starts a new bot on the fixture's store. A fixture may be stopped and started again.
func (f *fixture) start(change func(*social.Options)) {
	f.Helper()
	o := social.Options{
		Profile: persona.Profile{Name: "小炉", About: "爱坐在炉边的人"},
		Model:   f.model,
		Link:    onebotlink.New(f.qq.Client(quiet), onebotlink.Options{}),
		Storage: social.Storage{Store: f.store},
		Hooks: social.Hooks{Trace: func(t heartflow.Trace) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.traces = append(f.traces, t)
		}, Logger: logger()},
		Location: time.UTC,
	}
	o.When.Attention.Seed = 1
	if change != nil {
		change(&o)
	}
	bot, err := social.New(o)
	require.NoError(f, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	f.bot = bot
	f.stop = sync.OnceFunc(func() {
		cancel()
		began := time.Now()
		require.NoError(f, <-ended)
		require.Less(f, time.Since(began), 5*time.Second, "Run must return soon after its context has ended")
	})
	synctest.Wait()
}

// startOn starts another bot on store, until end is called. A crashing store ends it like a kill.
func (f *fixture) startOn(store social.Store, change func(*social.Options)) (bot *social.Bot, end func()) {
	f.Helper()
	o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: f.model, Link: onebotlink.New(f.qq.Client(quiet), onebotlink.Options{}), Storage: social.Storage{Store: store}, Location: time.UTC}
	o.When.Attention.Seed = 1
	if change != nil {
		change(&o)
	}
	bot, err := social.New(o)
	require.NoError(f, err)
	ctx, stop := context.WithCancel(context.Background())
	if s, ok := store.(*crashingStore); ok {
		s.onCrash = stop
	}
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	synctest.Wait()
	return bot, func() { stop(); <-ended }
}

func logger() *slog.Logger {
	var w io.Writer = io.Discard
	if os.Getenv("HEARTH_TEST_LOG") != "" {
		w = os.Stderr
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// advance sleeps and waits until everything that is due has happened.
func (f *fixture) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// sent returns the bot's messages in a chat.
func (f *fixture) sent(chat onebottest.Chat) (texts []string) {
	for _, s := range f.qq.Sent() {
		if s.Chat == chat {
			texts = append(texts, s.Message.Text())
		}
	}
	return texts
}

// journal returns the stored messages of a chat.
func (f *fixture) journal(space memory.Space) (texts []string) {
	for r, err := range f.store.Scan(f.Context(), space, 0) {
		require.NoError(f, err)
		texts = append(texts, r.Text)
	}
	return texts
}

// tracesOf returns the traces of one kind.
func (f *fixture) tracesOf(kind heartflow.TraceKind) (traces []heartflow.Trace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.traces {
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

// sixReplies allows six replies in five minutes, all to one person.
func sixReplies(o *social.Options) {
	o.When.Attention.Caps = heartflow.Caps{Replies: 6, RepliesPerPerson: 6}
}

// mentionOnly makes no interjections.
func mentionOnly(o *social.Options) { o.When.Attention.Policy = heartflow.MentionOnly{} }
