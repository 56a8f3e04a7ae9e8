package social_test

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// A botRun is one run of a bot on the simulation's store.
type botRun struct {
	bot             *social.Bot
	store           *crashingStore
	cancel          context.CancelFunc
	ended           chan error
	killed          chan struct{}
	began           time.Time
	stopped         time.Time // zero while it runs
	traces          []heartflow.Trace
	conversations   int  // conversations with the model
	modelCalls      int  // model calls
	backgroundCalls int  // of them, calls outside of turns
	failing         bool // its store fails writes
}

func (r *botRun) alive() bool { return r.stopped.IsZero() && !r.wasKilled() }

func (r *botRun) wasKilled() bool {
	select {
	case <-r.killed:
		return true
	default:
		return false
	}
}

// run returns the running bot; nil: none.
func (s *simulation) run() *botRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.runs); n > 0 && s.runs[n-1].stopped.IsZero() {
		return s.runs[n-1]
	}
	return nil
}

func (s *simulation) start() {
	if s.run() != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &botRun{cancel: cancel, ended: make(chan error, 1), killed: make(chan struct{}), began: time.Now()}
	r.store = &crashingStore{MemStore: s.store, onCrash: func() {
		close(r.killed)
		cancel()
		s.disturb()
	}}
	if s.faults {
		r.store.delay = func(what string) time.Duration {
			return time.Duration(s.dice("slow", what).Int64N(int64(20 * time.Millisecond)))
		}
	}
	o := social.Options{
		Profile: persona.Profile{Name: "小炉", About: "爱坐在炉边的人"},
		Model:   s.model(r),
		Link:    botsLink{s.link(onebotlink.New(s.qq.Client(onebot.Options{}), onebotlink.Options{}))},
		Storage: social.Storage{Store: r.store},
		Tools:   social.Tools{Registry: s.tools()},
		Hooks: social.Hooks{
			Notify: func(_ context.Context, text string) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.notices = append(s.notices, text)
				return nil
			},
			Trace: func(t heartflow.Trace) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.traces = append(s.traces, t)
				r.traces = append(r.traces, t)
			},
			Logger: logger(),
		},
		When:     social.When{Chats: func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Off: s.chatOf(c).off} }},
		Location: time.UTC,
	}
	o.When.Attention.Seed = s.seed + 1
	o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: 1 << min(40, bits.UintSize-2), DayTokens: 1 << min(40, bits.UintSize-2)})
	if s.hfc {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.GlobalState(s.seed % 4)}} // an offline state would change
	}
	if s.digest { // a simulation takes an hour or two, from midnight on
		o.Background.Digest = &social.Digest{Summary: memory.SummaryOptions{Turns: 5}, Dream: memory.DreamOptions{Hour: 1}}
	}
	if s.threeCalls {
		o.Reply.Strategy = social.ThinkPlanReply
	}
	bot, err := social.New(o)
	if err != nil {
		s.Fatal(err)
	}
	r.bot = bot
	s.mu.Lock()
	s.runs = append(s.runs, r)
	s.mu.Unlock()
	go func() { r.ended <- bot.Run(ctx) }()
	synctest.Wait()
}

// stop shuts the bot down, like a service manager.
func (s *simulation) stop() {
	if r := s.run(); r != nil {
		s.disturb()
		r.cancel()
		s.await(r)
	}
}

// restart stops the bot and starts it after a while.
func (s *simulation) restart() {
	s.stop()
	down := s.upTo(10 * time.Second)
	if s.rng.IntN(3) == 0 {
		down = s.upTo(downLong)
	}
	s.later(down, s.start)
}

// reap waits for a bot whose store has crashed.
func (s *simulation) reap() {
	s.await(s.run())
	s.dropLinks()
	s.later(s.upTo(time.Minute), s.start)
}

func (s *simulation) await(r *botRun) {
	began := time.Now()
	err := <-r.ended
	s.mu.Lock()
	r.stopped = time.Now()
	if took := r.stopped.Sub(began); took > 5*time.Second {
		s.fail("Run took %v to return", took)
	}
	if err != nil && !r.wasKilled() {
		s.fail("Run returned without a stop: %v", err)
	}
	s.mu.Unlock()
	synctest.Wait()
}

// fail records a violation. s.mu must be held.
func (s *simulation) fail(format string, args ...any) {
	if len(s.violations) < 8 {
		s.violations = append(s.violations, fmt.Sprintf(format, args...))
	}
}

// A botsLink marks the messages of bots.
type botsLink struct{ social.Link }

func (l botsLink) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	return l.Link.Run(ctx, func(ctx context.Context, e persona.Event) {
		if m, ok := e.(persona.Message); ok {
			e = known(m)
		}
		hear(ctx, e)
	})
}

func (l botsLink) Features() social.LinkFeatures {
	all := social.FeaturesOf(l.Link)
	return social.LinkFeatures{Permit: all.Permit, WaitToSend: all.WaitToSend, MessageKey: all.MessageKey, Tools: all.Tools, RecentMessages: func(ctx context.Context, c persona.Chat, heard func(persona.Message) bool) ([]persona.Message, error) {
		past, err := all.RecentMessages(ctx, c, heard)
		for i := range past {
			past[i] = known(past[i])
		}
		return past, err
	}}
}

func known(m persona.Message) persona.Message {
	m.Bot = strings.HasPrefix(m.From, "900")
	return m
}
