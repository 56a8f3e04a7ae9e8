package social_test

import (
	"context"
	"fmt"
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

// A life is one run of a being over the world's store.
type life struct {
	being   *social.Bot
	store   *mortal
	cancel  context.CancelFunc
	ended   chan error
	killed  chan struct{}
	began   time.Time
	stopped time.Time // zero while it lives
	traces  []heartflow.Trace
	convs   int  // conversations with the model
	calls   int  // of the model
	asides  int  // of them, those that belong to no turn
	sick    bool // its store refuses writes
}

func (l *life) alive() bool { return l.stopped.IsZero() && !l.wasKilled() }

func (l *life) wasKilled() bool {
	select {
	case <-l.killed:
		return true
	default:
		return false
	}
}

// life is the being that lives; nil: none does.
func (w *world) life() *life {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.lives); n > 0 && w.lives[n-1].stopped.IsZero() {
		return w.lives[n-1]
	}
	return nil
}

func (w *world) start() {
	if w.life() != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &life{cancel: cancel, ended: make(chan error, 1), killed: make(chan struct{}), began: time.Now()}
	l.store = &mortal{MemStore: w.store, dead: func() {
		close(l.killed)
		cancel()
		w.disturb()
	}}
	if w.faults {
		l.store.slow = func(what string) time.Duration {
			return time.Duration(w.dice("slow", what).Int64N(int64(20 * time.Millisecond)))
		}
	}
	o := social.Options{
		Profile: persona.Profile{Name: "小炉", About: "爱坐在炉边的人"},
		Model:   w.model(l),
		Link:    botsLink{onebotlink.New(w.qq.Client(onebot.Options{}), onebotlink.Options{})},
		Storage: social.Storage{Store: l.store},
		Tools:   social.Tools{Registry: w.tools()},
		Hooks: social.Hooks{
			Notify: func(_ context.Context, text string) error {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.told = append(w.told, text)
				return nil
			},
			Trace: func(t heartflow.Trace) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.traces = append(w.traces, t)
				l.traces = append(l.traces, t)
			},
			Logger: logger(),
		},
		When:     social.When{Chats: func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Off: w.placeOf(c).off} }},
		Location: time.UTC,
	}
	o.When.Attention.Seed = w.seed + 1
	o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: 1 << 40, DayTokens: 1 << 40})
	if w.flow {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.GlobalState(w.seed % 4)}} // Offline: it changes
	}
	if w.layers { // a world lasts for an hour or two, from midnight on
		o.Background.Digest = &social.Digest{Summary: memory.SummaryOptions{Turns: 5}, Dream: memory.DreamOptions{Hour: 1}}
	}
	if w.three {
		o.Reply.Strategy = social.ThinkPlanReply
	}
	being, err := social.New(o)
	if err != nil {
		w.Fatal(err)
	}
	l.being = being
	w.mu.Lock()
	w.lives = append(w.lives, l)
	w.mu.Unlock()
	go func() { l.ended <- being.Run(ctx) }()
	synctest.Wait()
}

// stop ends the being, as a service manager does.
func (w *world) stop() {
	if l := w.life(); l != nil {
		w.disturb()
		l.cancel()
		w.await(l)
	}
}

// restart stops the being and has it start after a while.
func (w *world) restart() {
	w.stop()
	down := w.upTo(10 * time.Second)
	if w.rng.IntN(3) == 0 {
		down = w.upTo(downLong)
	}
	w.later(down, w.start)
}

// bury waits for a being whose store has died to end.
func (w *world) bury() {
	w.await(w.life())
	w.qq.DropLinks()
	w.later(w.upTo(time.Minute), w.start)
}

func (w *world) await(l *life) {
	began := time.Now()
	err := <-l.ended
	w.mu.Lock()
	l.stopped = time.Now()
	if took := l.stopped.Sub(began); took > 5*time.Second {
		w.bad("Run took %v to return", took)
	}
	if err != nil && !l.wasKilled() {
		w.bad("Run ended by itself: %v", err)
	}
	w.mu.Unlock()
	synctest.Wait()
}

// bad notes what does not hold. w.mu is held.
func (w *world) bad(format string, args ...any) {
	if len(w.broken) < 8 {
		w.broken = append(w.broken, fmt.Sprintf(format, args...))
	}
}

// A botsLink knows who is a program.
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
	return social.LinkFeatures{WaitToSend: all.WaitToSend, MessageKey: all.MessageKey, Tools: all.Tools, RecentMessages: func(ctx context.Context, c persona.Chat, heard func(persona.Message) bool) ([]persona.Message, error) {
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
