package models_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func TestChain_SlotsAndQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		m := modeltest.Func(func(ctx context.Context, _ modeltest.Prompt) modeltest.Step {
			assert.LessOrEqual(t, running.Add(1), int32(3))
			defer running.Add(-1)
			time.Sleep(time.Second)
			return modeltest.Say("好")
		})
		next := modeltest.Always(modeltest.Say("别人"))
		c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: m, MaxConcurrent: 3, MaxQueued: 4}, models.Candidate{Model: next})
		begin, texts := time.Now(), make(chan string, 10)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				text, err := asked(t.Context(), c)
				assert.NoError(t, err)
				texts <- text
			})
		}
		synctest.Wait()
		s := c.Stats()[0]
		assert.Equal(t, []int{3, 4, 3}, []int{s.Running, s.Waiting, s.Rejected})
		wg.Wait()
		close(texts)
		count := map[string]int{}
		for text := range texts {
			count[text]++
		}
		assert.Equal(t, map[string]int{"好": 7, "别人": 3}, count)
		assert.Equal(t, 3*time.Second, time.Since(begin))
		s = c.Stats()[0]
		assert.Equal(t, []int{0, 0, 0}, []int{s.Running, s.Waiting, s.Abandoned})
	})
}

func TestChain_NoQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: modeltest.Always(modeltest.Say("好").After(time.Second)), MaxConcurrent: 1, MaxQueued: -1})
		go func() { _, _ = asked(t.Context(), c) }()
		synctest.Wait()
		_, err := asked(t.Context(), c)
		assert.Equal(t, "model 1 busy", kindsOf(t, err))
		time.Sleep(2 * time.Second)
	})
}

func TestChain_WaitForSlotEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: modeltest.Always(modeltest.Say("好").After(time.Hour)), MaxConcurrent: 1, Timeout: 30 * time.Second})
		hold, free := context.WithCancel(t.Context())
		slow := chainOf(t, models.ChainOptions{}, models.Candidate{Model: modeltest.Always(modeltest.Say("好").After(time.Hour)), MaxConcurrent: 1, Timeout: -1})
		go func() { _, _ = asked(hold, slow) }()
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		_, err := asked(ctx, slow)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(begin), "no limit of its own")
		free()

		begin = time.Now()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { _, err := asked(t.Context(), c); assert.Error(t, err) })
		}
		wg.Wait()
		assert.LessOrEqual(t, time.Since(begin), time.Minute)
	})
}

// TestChain_AbandonsCalls: a call that ignores its context keeps its slot until it returns.
func TestChain_AbandonsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var begun atomic.Int32
		deaf := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
			begun.Add(1)
			return modeltest.IgnoreContext(release, modeltest.Say("太晚了"))
		})
		c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: deaf, MaxConcurrent: 2, Timeout: 10 * time.Second, Breaker: models.Breaker{Failures: 100}}, models.Candidate{Model: modeltest.Always(modeltest.Say("好"))})
		var waits []time.Duration
		for range 4 {
			begin := time.Now()
			text, err := asked(t.Context(), c)
			require.NoError(t, err)
			assert.Equal(t, "好", text)
			waits = append(waits, time.Since(begin))
		}
		assert.Equal(t, []time.Duration{10 * time.Second, 10 * time.Second, time.Second, time.Second}, waits)
		assert.EqualValues(t, 2, begun.Load())
		s := c.Stats()[0]
		assert.Equal(t, []int{2, 2, 2}, []int{s.Running, s.Abandoned, s.Rejected})

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, c.Wait(ctx), context.DeadlineExceeded)
		close(release)
		require.NoError(t, c.Wait(t.Context()))
		synctest.Wait()
		s = c.Stats()[0]
		assert.Equal(t, []int{0, 0}, []int{s.Running, s.Abandoned})
		text, err := asked(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, "太晚了", text, "back in service")
	})
}

func TestChain_ReturnsWhenContextEnds(t *testing.T) {
	release := make(chan struct{})
	for name, step := range map[string]modeltest.Step{
		"deaf":    modeltest.IgnoreContext(release, modeltest.Say("")),
		"polite":  modeltest.Hang(""),
		"backoff": modeltest.RateLimited(15 * time.Second),
	} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			if step.BlockUntil != nil {
				step.BlockUntil = release
			}
			c := chain(t, models.ChainOptions{}, modeltest.Always(step), modeltest.Always(step))
			ctx, cancel := context.WithCancel(t.Context())
			begin := time.Now()
			time.AfterFunc(7*time.Second, cancel)
			_, err := asked(ctx, c)
			require.ErrorIs(t, err, context.Canceled, name)
			assert.Equal(t, 7*time.Second, time.Since(begin), name)
			_, err = asked(ctx, c)
			assert.Equal(t, "a canceled", kindsOf(t, err), name)
			close(release)
			require.NoError(t, c.Wait(context.Background()))
		})
	}
}

func TestChain_StreamsInCallersGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan error, 1)
		late := modeltest.Func(func(ctx context.Context, p modeltest.Prompt) modeltest.Step {
			time.Sleep(time.Minute) // ignores its context
			gone <- p.Options.StreamingFunc(ctx, []byte("太晚了"))
			return modeltest.Say("太晚了")
		})
		c := chain(t, models.ChainOptions{Timeout: time.Second}, late, modeltest.Always(modeltest.Say("你好")))
		heard := "" // without a lock, for the race detector
		text, err := asked(t.Context(), c, llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }))
		require.NoError(t, err)
		assert.Equal(t, "你好", text)
		assert.Equal(t, "你好", heard)
		require.Error(t, <-gone)
		require.NoError(t, c.Wait(t.Context()))
		assert.Equal(t, "你好", heard)
	})
}

func TestChain_StreamingFunctionFailsOrPanics(t *testing.T) {
	stop := errors.New("enough")
	m := modeltest.Always(modeltest.Say("你好"))
	c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: m, MaxConcurrent: 1, Breaker: models.Breaker{Failures: 1}})
	for range 3 {
		_, err := asked(t.Context(), c, llms.WithStreamingFunc(func(context.Context, []byte) error { return stop }))
		require.Equal(t, stop, err)
		assert.PanicsWithValue(t, "oh", func() {
			_, _ = asked(t.Context(), c, llms.WithStreamingFunc(func(context.Context, []byte) error { panic("oh") }))
		})
	}
	require.NoError(t, c.Wait(t.Context()))
	assert.Len(t, m.Prompts(), 6, "nothing is repeated, and no breaker opens")
	_, err := asked(t.Context(), c)
	require.NoError(t, err)

	swallows := modeltest.Func(func(ctx context.Context, p modeltest.Prompt) modeltest.Step {
		_ = p.Options.StreamingReasoningFunc(ctx, nil, []byte("x"))
		return modeltest.Say("好")
	})
	_, err = asked(t.Context(), chain(t, models.ChainOptions{}, swallows), llms.WithStreamingReasoningFunc(func(context.Context, []byte, []byte) error { return stop }))
	require.Equal(t, stop, err, "also if the model does not mind")
}

func TestChain_CandidateOptionsComeLast(t *testing.T) {
	a, b := modeltest.Always(modeltest.HTTPError(404, "")), modeltest.Always(modeltest.Say("好"))
	c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: a, CallOptions: []llms.CallOption{llms.WithModel("a-1")}}, models.Candidate{Model: b})
	text, err := c.Call(t.Context(), "在吗", llms.WithModel("x"), llms.WithMaxTokens(9))
	require.NoError(t, err)
	assert.Equal(t, "好", text)
	assert.Equal(t, "a-1", a.Prompts()[0].Options.Model)
	assert.Equal(t, 9, a.Prompts()[0].Options.MaxTokens)
	assert.Equal(t, "x", b.Prompts()[0].Options.Model)
}

// TestChain_RandomFaults checks for random failures that a call ends in time, the limits of each model hold, no text is streamed
// twice, and each call is counted once.
func TestChain_RandomFaults(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			var list []llms.Model
			var asks []*modeltest.Model
			release := make(chan struct{})
			steps := []modeltest.Step{
				modeltest.Say("你好"), modeltest.Say("你好").After(time.Second), modeltest.CutStream("你"), modeltest.CutStream(""), modeltest.Hang("你"), modeltest.Hang(""),
				modeltest.HTTPError(500, ""), modeltest.HTTPError(429, ""), modeltest.RateLimited(3 * time.Second), modeltest.RateLimited(time.Hour), modeltest.HTTPError(401, ""),
				modeltest.HTTPError(400, ""), {Panic: "oh"}, modeltest.Raw(nil, nil), modeltest.IgnoreContext(release, modeltest.Say("晚")),
			}
			for range 1 + r.IntN(3) {
				var script []modeltest.Step
				for range 400 {
					script = append(script, steps[r.IntN(len(steps))])
				}
				m := modeltest.New(script...)
				asks, list = append(asks, m), append(list, m)
			}
			c := chain(t, models.ChainOptions{Seed: seed + 1, Timeout: 5 * time.Second}, list...)
			var sum models.Usage
			m := models.Meter(c, func(_ context.Context, u models.Usage) { sum = sum.Add(u) })
			total := 0
			for range 30 {
				before := make([]int, len(asks))
				for i, a := range asks {
					before[i] = len(a.Prompts())
				}
				heard, begin := "", time.Now()
				limit := time.Duration(1+r.IntN(120)) * time.Second
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				text, err := asked(ctx, m, llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }))
				cancel()
				require.LessOrEqual(t, time.Since(begin), limit)
				require.LessOrEqual(t, time.Since(begin), time.Duration(len(list))*(3*5*time.Second+2*3*time.Second+5*time.Second))
				if err == nil {
					require.Equal(t, text, heard, "what was streamed is the answer, once")
				} else {
					require.True(t, strings.HasPrefix("你好", heard), heard) // or all of it, if the timeout came at the end
					var failed *models.ChainError
					require.ErrorAs(t, err, &failed)
					require.NotEmpty(t, failed.Calls)
				}
				for i, a := range asks {
					made := len(a.Prompts()) - before[i]
					require.LessOrEqual(t, made, 3)
					total += made
				}
				time.Sleep(time.Duration(r.IntN(20)) * time.Second)
			}
			require.Equal(t, total, sum.Calls)
			counted := 0
			for _, s := range c.Stats() {
				require.LessOrEqual(t, s.Abandoned, 8)
				require.Equal(t, s.Abandoned, s.Running)
				counted += s.Usage.Calls
			}
			require.Equal(t, total, counted)
			close(release)
			require.NoError(t, c.Wait(t.Context()))
		})
	}
}

// TestChain_ManyCallers checks limits and counters with concurrent callers.
func TestChain_ManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, made atomic.Int32
		faulty := func(seed uint64) llms.Model {
			var mu sync.Mutex
			r := rand.New(rand.NewPCG(seed, 1))
			return modeltest.Func(func(ctx context.Context, _ modeltest.Prompt) modeltest.Step {
				mu.Lock()
				n := r.IntN(6)
				mu.Unlock()
				assert.LessOrEqual(t, running.Add(1), int32(2*4))
				defer running.Add(-1)
				made.Add(1)
				time.Sleep(time.Duration(n) * 300 * time.Millisecond)
				return []modeltest.Step{modeltest.Say("好"), modeltest.Say("好"), modeltest.HTTPError(500, ""), modeltest.RateLimited(2 * time.Second), modeltest.Hang(""), modeltest.CutStream("好")}[n]
			})
		}
		c := chainOf(t, models.ChainOptions{Timeout: 7 * time.Second}, models.Candidate{Model: faulty(1), MaxConcurrent: 4, MaxQueued: 5}, models.Candidate{Model: faulty(2), MaxConcurrent: 4, MaxQueued: 5})
		var mu sync.Mutex
		var sum models.Usage
		answered, failed := 0, 0
		m := models.Meter(c, func(_ context.Context, u models.Usage) {
			mu.Lock()
			defer mu.Unlock()
			sum = sum.Add(u)
		})
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() {
				time.Sleep(time.Duration(i%20) * 400 * time.Millisecond)
				_, err := asked(t.Context(), m)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					answered++
				} else {
					failed++
				}
			})
		}
		wg.Wait()
		assert.Equal(t, 60, answered+failed)
		assert.Equal(t, answered, sum.Calls-sum.Failed)
		assert.EqualValues(t, made.Load(), sum.Calls)
		require.NoError(t, c.Wait(t.Context()))
		for _, s := range c.Stats() {
			assert.Equal(t, []int{0, 0, 0}, []int{s.Running, s.Abandoned, s.Waiting})
		}
	})
}
