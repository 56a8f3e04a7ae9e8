package qqbotlink_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/require"
)

// A fixture is a bot on a simulated platform on a virtual clock.
type fixture struct {
	*testing.T
	s     *qqbottest.Server
	model *modeltest.Model
	bot   *social.Bot
	group *qqbottest.Group
	ann   *qqbottest.Member
	user  *qqbottest.User
	store *memory.MemStore
	stop  func()

	mu      sync.Mutex
	traces  []heartflow.Trace
	notices []string
}

// run runs a test with a connected bot. change may alter the options.
func run(t *testing.T, model *modeltest.Model, o qqbotlink.Options, change func(*social.Options), test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, s: qqbottest.New(qqbottest.Options{}), model: model, store: memory.NewMemStore()}
		defer f.s.Close()
		f.group, f.user = f.s.Group("G1"), f.s.User("U00000001")
		f.ann = f.group.Member("M00000001", "Ann")
		f.start(o, change)
		defer func() { f.stop() }()
		test(f)
	})
}

// start starts a bot. A fixture may be stopped and started again.
func (f *fixture) start(o qqbotlink.Options, change func(*social.Options)) {
	f.Helper()
	so := social.Options{
		Profile: persona.Profile{Name: "炉边"}, Model: f.model, Link: qqbotlink.New(f.s.Client(qqbot.Options{}), o), Location: time.UTC, Storage: social.Storage{Store: f.store},
		Hooks: social.Hooks{Logger: slog.New(slog.DiscardHandler), Trace: func(t heartflow.Trace) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.traces = append(f.traces, t)
		}, Notify: func(_ context.Context, text string) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.notices = append(f.notices, text)
			return nil
		}},
	}
	so.When.Attention.Seed = 1
	so.When.Attention.Caps = heartflow.Caps{Replies: 100, Interjections: 100, RepliesPerPerson: 100, Consecutive: 1 << 20}
	so.When.Attention.Staleness.RepeatWindow = -1
	if change != nil {
		change(&so)
	}
	bot, err := social.New(so)
	require.NoError(f, err)
	f.bot = bot
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	f.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(f, <-ended)
	})
	synctest.Wait()
}

// pass lets time pass.
func (f *fixture) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (f *fixture) texts() (all []string) {
	for _, m := range f.s.Sent() {
		all = append(all, m.Text)
	}
	return all
}

// skipped counts turns that ended without a reply for a reason.
func (f *fixture) skipped(code heartflow.Code) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.traces {
		if t.Kind == heartflow.KindSkip && t.Why[0] == code {
			n++
		}
	}
	return n
}

func (f *fixture) told() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.notices, "\n")
}

func say(text string) *modeltest.Model { return modeltest.Always(modeltest.Say(text)) }

func groupChat(id string) persona.Chat {
	return persona.Chat{Platform: "qqbot", Kind: persona.Group, ID: id}
}

func userChat(id string) persona.Chat {
	return persona.Chat{Platform: "qqbot", Kind: persona.Private, ID: id}
}
