package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

// A live bot makes the same decisions as the simulator. It has a buffer.Runner with its own clock, and its handlers run
// concurrently. The simulator does all of that in one order.
func TestSimulator_MatchesLiveBot(t *testing.T) {
	for _, v := range mustVariants(t) {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := day(12, 3000, time.Now(), 5)
				o := heartflow.Options{Policy: v.policy, Names: []string{"小炉"}, Seed: 5}

				lived := traces{}
				o.OnTrace = lived.add
				newLive(t, v, o).run(t, all)

				played := traces{}
				o.OnTrace = played.add
				r, err := newSimulator(v, o, func(turn) {})
				require.NoError(t, err)
				require.NoError(t, r.run(t.Context(), all))
				assert.Positive(t, r.replies)

				last := all[len(all)-1].At // later changes do not matter
				assert.Len(t, played.lines, 12)
				for chat := range played.lines {
					want, got := lived.until(chat, last), played.until(chat, last)
					for i := range min(len(want), len(got)) {
						if !assert.Equal(t, want[i].String(), got[i].String(), "%s, trace %d", chat, i) {
							break
						}
					}
					assert.Len(t, got, len(want), chat)
				}
			})
		})
	}
}

// traces are stored by chat, because simultaneous events in two chats have no order.
type traces struct {
	mu    sync.Mutex
	lines map[string][]heartflow.Trace
}

func (ts *traces) add(t heartflow.Trace) {
	if t.Chat == "" {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.lines == nil {
		ts.lines = map[string][]heartflow.Trace{}
	}
	ts.lines[t.Chat] = append(ts.lines[t.Chat], t)
}

func (ts *traces) until(chat string, last time.Time) (list []heartflow.Trace) {
	for _, t := range ts.lines[chat] {
		if !t.At.After(last) {
			list = append(list, t)
		}
	}
	return list
}

// An incoming is a message, or a turn that a Flow wants.
type incoming struct {
	input
	Wanted heartflow.Code
}

// A live bot is wired like examples/embed and persona/social.
type live struct {
	heart  attention
	flow   *hfc.Flow[string]
	beat   loop.Loop // of the flow
	gather *buffer.Runner[string, incoming]
	past   *memory.Memory
	mu     sync.Mutex
	said   int
}

func newLive(t testing.TB, v variant, o heartflow.Options) *live {
	l := &live{past: memorytest.New(t, memory.NewMemStore(), memory.Options{})}
	trace := o.OnTrace
	o.OnTrace = func(t heartflow.Trace) {
		l.beat.Wake()
		trace(t)
	}
	var err error
	if l.heart, l.flow, err = v.newAttention(o); err != nil {
		panic(err)
	}
	l.gather = buffer.NewRunner(l.answer, buffer.Options{Workers: -1})
	return l
}

func (l *live) run(t *testing.T, all []input) {
	ctx, stop := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error { return l.gather.Run(ctx) })
	if l.flow != nil {
		g.Go(func() error { return l.beat.Run(ctx, l.flow.Next, l.due) })
	}
	for _, a := range all {
		time.Sleep(time.Until(a.At))
		require.NoError(t, l.past.Put(ctx, record(&a)))
		called := l.heart.Observe(time.Now(), a.Chat, a.Message).Addressed
		l.beat.Wake()
		if called {
			l.gather.AddUrgent(a.Chat, incoming{input: a})
		} else {
			l.gather.Add(a.Chat, incoming{input: a})
		}
	}
	time.Sleep(time.Hour)
	stop()
	require.NoError(t, g.Wait())
}

func (l *live) due(now time.Time) {
	for _, e := range l.flow.Due(now) {
		if e.Kind == hfc.TurnWanted {
			l.gather.AddUrgent(e.Chat, incoming{Wanted: e.Why})
		}
	}
}

// answer handles a batch.
func (l *live) answer(ctx context.Context, b buffer.Batch[string, incoming]) error {
	if l.flow != nil {
		time.Sleep(l.flow.RestTime(time.Now(), b.Key))
	}
	v, ok := l.judge(b)
	if !ok {
		return nil
	}
	step, asked := uint64(0), v.Do != heartflow.Silent
	if asked && l.flow != nil && l.flow.ChatState(time.Now(), b.Key) == hfc.Focused {
		step, asked = l.think(b)
	}
	if !asked {
		if v.Do != heartflow.Silent {
			l.heart.SkipTurn(time.Now(), b.Key, heartflow.WhyModelSilent)
		}
		return nil
	}
	time.Sleep(modelDelay)
	err := l.heart.Speak(time.Now(), b.Key, replyText)
	if step != 0 {
		l.flow.FinishStep(time.Now(), b.Key, step, hfc.StepResult{Err: err})
		l.beat.Wake()
	}
	if err != nil {
		return nil
	}
	l.mu.Lock()
	l.said++
	id := fmt.Sprint("own ", l.said)
	l.mu.Unlock()
	return l.past.Put(ctx, memory.Record{ID: id, Space: space(b.Key), Text: replyText, At: time.Now(), Own: true})
}

func (l *live) judge(b buffer.Batch[string, incoming]) (v heartflow.Verdict, ok bool) {
	for i := len(b.Items) - 1; i >= 0; i-- {
		if b.Items[i].Wanted == "" {
			return l.heart.JudgeUpTo(time.Now(), b.Key, b.Items[i].Message.ID), true
		}
	}
	for _, a := range b.Items {
		if a.Wanted != hfc.WhyFocused || l.flow.ChatState(time.Now(), b.Key) == hfc.Focused {
			return l.heart.BeginTurn(time.Now(), b.Key, a.Wanted), true
		}
	}
	return v, false
}

// think runs the steps of a cycle up to the reply.
func (l *live) think(b buffer.Batch[string, incoming]) (step uint64, ok bool) {
	unseen := 0
	for _, a := range b.Items {
		if a.Wanted == "" {
			unseen++
		}
	}
	for {
		ask, more := l.flow.NextStep(time.Now(), b.Key)
		if !more || ask.Kind == hfc.Act {
			return ask.ID, more
		}
		a := hfc.StepResult{Plan: hfc.Plan{Action: hfc.TextReply}}
		if ask.Kind == hfc.Think {
			unseen = max(unseen, ask.NewMessages)
			a = hfc.StepResult{}
		} else if unseen == 0 || !may(ask, hfc.TextReply) {
			a.Plan.Action = hfc.NoReply
		}
		if !l.flow.FinishStep(time.Now(), b.Key, ask.ID, a) {
			panic(errors.New("an answer at once is never late"))
		}
		l.beat.Wake()
	}
}

func may(ask hfc.Step, action hfc.Action) bool {
	for _, a := range ask.Allowed {
		if a == action {
			return true
		}
	}
	return false
}
