package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// full returns a program with 100 full chats.
func full(t testing.TB) *program {
	o, err := parse([]string{"--qq", "10001"}, &journal{})
	require.NoError(t, err)
	p, err := newProgram(o, newLog(o.level, &journal{}))
	require.NoError(t, err)
	t.Cleanup(p.close)
	for c := range 100 {
		r := p.chats.open(chat{id: int64(1000 + c)})
		for i := range 100 {
			r.add(message{id: int64(c*1000 + i + 1), sender: int64(i%7 + 1), name: "张三", text: fmt.Sprint(i, strings.Repeat("今天天气真好，", 20)), at: time.Now().Unix()})
		}
	}
	return p
}

// Reading a context of 50 long messages takes far less than a millisecond. The test logs the cost of the registry and JSON.
func TestContext_Speed(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures")
	}
	p := full(t)
	tool, err := p.contextTool()
	require.NoError(t, err)
	tools := &nit.Registry{Limits: nit.Limits{Calls: -1, ResultChars: -1}}
	require.NoError(t, tools.Add(tool))
	view := tools.View(nit.Principal{Tiers: nit.L1})
	var handler, door []time.Duration
	for i := range 5000 {
		target := 1000 + i%100
		began := time.Now()
		r, err := p.findChat(chatTarget{Target: nit.ID(fmt.Sprint(target))})
		require.NoError(t, err)
		c := p.readContext(r, 50)
		handler = append(handler, time.Since(began))
		require.Equal(t, 50, c.MessageCount)

		began = time.Now()
		res, err := view.Do(context.Background(), "get_recent_context", fmt.Sprintf(`{"target":"%d","limit":50}`, target))
		door = append(door, time.Since(began))
		require.NoError(t, err)
		if i == 0 {
			require.True(t, json.Valid([]byte(res.Text)))
		}
	}
	for name, took := range map[string][]time.Duration{"in the handler": handler, "with arguments checked and JSON written": door} {
		slices.Sort(took)
		t.Logf("%s: p50 %v, p99 %v", name, took[len(took)/2], took[len(took)*99/100])
	}
	assert.Less(t, handler[len(handler)/2], time.Millisecond) // the median, because a busy machine has slow outliers
}

func BenchmarkContext(b *testing.B) {
	p := full(b)
	b.ReportAllocs()
	for b.Loop() {
		r, _ := p.findChat(chatTarget{Target: "1050"})
		p.readContext(r, 50)
	}
}
