package heartflow

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLogModel(t *testing.T) {
	var seen []Trace
	a := newAttention[string](Options{OnTrace: func(t Trace) { seen = append(seen, t) }})
	call := ModelCall{
		Purpose: "reply", Model: "qwen", Took: 2500 * time.Millisecond, FirstToken: 1300 * time.Millisecond, Streamed: true, Tokens: 3400,
		Attempts: []ModelAttempt{{Model: "deepseek", Error: "rate limited (429)", Took: 100 * time.Millisecond}, {Model: "qwen", Took: 2 * time.Second}},
	}
	a.LogModel(t0, "stranger", call)
	a.LogModel(t0, "", call)
	assert.Empty(t, a.Traces("stranger"), "an unknown chat stays unknown")
	a.Observe(t0, "g", Message{ID: "1", From: "7", At: t0, Text: "在吗"})
	a.LogModel(t0, "g", call)
	require.Len(t, seen, 3)
	assert.Equal(t, []string{"stranger", "", "g"}, []string{seen[0].Chat, seen[1].Chat, seen[2].Chat})
	assert.Equal(t, seen[2], a.Traces("g")[0])
	assert.Equal(t, t0.Format("15:04:05")+" g model reply qwen 2.5s first token 1.3s 3400 tokens, failed: deepseek rate limited (429) 0.1s", seen[2].String())

	text, err := json.Marshal(seen[2])
	require.NoError(t, err)
	var back Trace
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, call, *back.Call)
	text, err = json.Marshal(Trace{Kind: KindJudge})
	require.NoError(t, err)
	assert.NotContains(t, string(text), "Call", "other traces are written as before")

	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "trace", seen[2])
	assert.Contains(t, log.String(), `trace.call="reply qwen 2.5s`)
}

func TestModelCall_String(t *testing.T) {
	assert.Equal(t, "judge 1s 0 tokens, failed: a breaker open 0s, b timed out 1s", ModelCall{
		Purpose: "judge", Took: time.Second, Attempts: []ModelAttempt{{Model: "a", Error: "breaker open"}, {Model: "b", Error: "timed out", Took: time.Second}},
	}.String())
	assert.Equal(t, "plan 0.25s 10 tokens", ModelCall{Purpose: "plan", Took: 250 * time.Millisecond, FirstToken: 250 * time.Millisecond, Tokens: 10}.String())
}
