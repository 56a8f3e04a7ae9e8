package nit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func callID(id, name, args string) llms.ToolCall {
	c := call(name, args)
	c.ID = id
	return c
}

func TestView_RepeatedCallIsReplayed(t *testing.T) {
	var ran, reads atomic.Int64
	var whys []nit.Outcome
	r := nit.Registry{Limits: nit.Limits{Calls: -1}, Audit: func(_ context.Context, rec nit.Record) { whys = append(whys, rec.Outcome) }}
	broken := errors.New("broken")
	fail, err := nit.Define("fail", nit.L1, "d", func(context.Context, none) (string, error) { return fmt.Sprint(ran.Add(1)), broken })
	require.NoError(t, err)
	add(t, &r, buyer(t, "buy", nit.L1, &ran), buyer(t, "look", nit.L1, &reads, nit.ReadOnly()), fail)
	v := r.View(persona)
	sub := v.Filter(func(nit.ToolInfo) bool { return true })
	first := v.Call(t.Context(), callID("c1", "buy", `{"what":"tea"}`))
	assert.Equal(t, "bought tea", first.Content)
	assert.Equal(t, first, v.Call(t.Context(), callID("c1", "buy", `{"what":"tea"}`)))
	assert.Equal(t, first, sub.Call(t.Context(), callID("c1", "buy", `{"what":"tea"}`)))
	assert.EqualValues(t, 1, ran.Load())
	assert.Equal(t, []nit.Outcome{nit.OK, nit.Replayed, nit.Replayed}, whys)

	for i, c := range []llms.ToolCall{
		callID("c2", "buy", `{"what":"tea"}`), callID("c1", "buy", `{"what":"coffee"}`), // some models reuse one id for several calls
		callID("", "buy", `{"what":"tea"}`), callID("", "buy", `{"what":"tea"}`),
	} {
		v.Call(t.Context(), c)
		assert.EqualValues(t, i+2, ran.Load())
	}
	for range 3 {
		v.Call(t.Context(), callID("r", "look", ""))
		sub.Call(t.Context(), callID("f", "fail", ""))
	}
	assert.EqualValues(t, 3, reads.Load(), "what changes nothing may be made again")
	assert.EqualValues(t, 6, ran.Load(), "a failure may have had its effect")
	assert.Equal(t, "error: the tool failed", v.Call(t.Context(), callID("f", "fail", "")).Content)
	r.View(persona).Call(t.Context(), callID("c1", "buy", `{"what":"tea"}`))
	assert.EqualValues(t, 7, ran.Load(), "another turn")

	limited := nit.Registry{Limits: nit.Limits{Calls: 2}}
	add(t, &limited, buyer(t, "buy", nit.L1, &ran))
	v = limited.View(persona)
	for range 2 {
		assert.Equal(t, "bought ", v.Call(t.Context(), callID("c", "buy", "")).Content)
	}
	assert.Equal(t, "error: no tool calls left for now", v.Call(t.Context(), callID("c", "buy", "")).Content, "a repetition is a call, too")
}

// Only calls that reached their tool are remembered.
func TestView_RefusedCallIsRetried(t *testing.T) {
	var ran atomic.Int64
	allow := false
	var r nit.Registry
	add(t, &r, buyer(t, "buy", nit.L1, &ran))
	v := r.View(persona).WithGuard(func(context.Context, nit.ToolInfo) error {
		if !allow {
			return errors.New("not yet")
		}
		return nil
	})
	assert.Equal(t, "error: not allowed now", v.Call(t.Context(), callID("c", "buy", "")).Content)
	allow = true
	for range 2 {
		assert.Equal(t, "bought ", v.Call(t.Context(), callID("c", "buy", "")).Content)
	}
	assert.EqualValues(t, 1, ran.Load())
}

func TestView_ConcurrentRepeatedCallIsReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		r := nit.Registry{Limits: nit.Limits{Calls: -1}}
		slow, err := nit.Define("slow", nit.L1, "d", func(ctx context.Context, _ none) (int64, error) {
			time.Sleep(time.Second)
			return ran.Add(1), nil
		})
		require.NoError(t, err)
		add(t, &r, slow)
		v := r.View(persona)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				assert.Equal(t, "1", v.Call(t.Context(), callID("c", "slow", "{}")).Content)
			})
		}
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			time.Sleep(10 * time.Millisecond)
			start := time.Now()
			assert.Equal(t, "error: the tool failed", v.Call(ctx, callID("c", "slow", "{}")).Content)
			assert.Equal(t, 90*time.Millisecond, time.Since(start), "who does not want to wait need not")
		})
		wg.Wait()
		assert.EqualValues(t, 1, ran.Load())
	})
}
