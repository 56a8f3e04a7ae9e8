package onebot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type jsonText string

func (s jsonText) MarshalJSON() ([]byte, error) { return []byte(s), nil }

func marshalled(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// part sends one part of a response as NapCat does.
func (p *peer) part(r request, typ, more string) error {
	return p.send(fmt.Sprintf(`{"status":"ok","retcode":0,"data":{"type":%q%s},"message":"","wording":"","echo":%s,"stream":"stream-action"}`, typ, more, r.Echo))
}

// streaming responds to "n" with n parts and the last one, to "fail" with one part and a refusal, to "die" with one
// part and the end of the link, to "stall" with one part only.
func streaming(p *peer, _ *http.Request) {
	for {
		r, err := p.read()
		if err != nil {
			return
		}
		var o struct {
			N   int
			Pad int
		}
		json.Unmarshal(r.Params, &o)
		for i := range o.N {
			p.part(r, "stream", fmt.Sprintf(`,"index":%d,"data":%q`, i, strings.Repeat("x", o.Pad)))
		}
		switch r.Action {
		case "download_file_stream":
			p.part(r, "response", `,"data_type":"file_complete"`)
		case "fail":
			p.send(fmt.Sprintf(`{"status":"failed","retcode":1200,"data":{"type":"error","data_type":"error"},"message":"file not found","echo":%s,"stream":"stream-action"}`, r.Echo))
		case "die":
			p.ws.CloseNow()
		case "plain":
			p.answer(r, `{"x":1}`)
		}
	}
}

func collect(b *Bot, ctx context.Context, action string, params any) (parts []string, err error) {
	for data, e := range b.Stream(ctx, action, params) {
		if e != nil {
			return parts, e
		}
		parts = append(parts, string(data))
	}
	return parts, nil
}

func TestStream(t *testing.T) {
	bubble(t, Options{CallTimeout: time.Second, MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond}, streaming, testStream)
}

func testStream(t *testing.T, imp *pipes, c *Client) {
	synctest.Wait()
	b := c.Bot()
	type params struct {
		N   int `json:"n"`
		Pad int `json:"pad"`
	}
	parts, err := collect(b, t.Context(), "download_file_stream", params{N: 500})
	require.NoError(t, err)
	require.Len(t, parts, 501)
	for i := range 500 {
		assert.Equal(t, fmt.Sprintf(`{"type":"stream","index":%d,"data":""}`, i), parts[i])
	}
	assert.Equal(t, `{"type":"response","data_type":"file_complete"}`, parts[500])

	parts, err = collect(b, t.Context(), "plain", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{`{"x":1}`}, parts, "an answer without parts is one")

	parts, err = collect(b, t.Context(), "fail", params{N: 1})
	assert.Len(t, parts, 1)
	assert.ErrorIs(t, err, ErrFailed)
	assert.EqualError(t, err, "onebot: call fail: retcode 1200: file not found")

	parts, err = collect(b, t.Context(), "stall", params{N: 2})
	assert.Len(t, parts, 2)
	assert.ErrorIs(t, err, ErrTimeout, "the next part does not come")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range b.Stream(ctx, "stall", params{N: 1}) {
		cancel()
	}
	_, err = collect(b, ctx, "download_file_stream", nil)
	assert.ErrorIs(t, err, context.Canceled)

	for range b.Stream(t.Context(), "download_file_stream", params{N: 50}) {
		break
	}
	assert.NoError(t, b.Call(t.Context(), "plain", nil, nil), "the rest goes to nobody")
	assert.EqualValues(t, 1, imp.dials.Load())

	n := 0
	for _, err := range b.Stream(t.Context(), "download_file_stream", params{N: 3}) {
		require.NoError(t, err, "a slow loop is not the peer's fault")
		if n++; n == 1 {
			time.Sleep(2 * time.Second)
		}
	}
	assert.Equal(t, 4, n)

	parts, err = collect(b, t.Context(), "die", params{N: 3})
	assert.LessOrEqual(t, len(parts), 3)
	assert.ErrorIs(t, err, ErrDisconnected)
	eventually(t, func() bool { return b.Call(t.Context(), "plain", nil, nil) == nil })
	_, err = collect(b, t.Context(), "x", 5)
	assert.ErrorIs(t, err, ErrBadParams)
	assert.Empty(t, c.acc.api.Load().calls.pending, "no call is left behind")
}

// A loop slower than the parts gets an error after too many parts wait. Events and other calls are not delayed.
func TestStream_SlowReader(t *testing.T) {
	imp := implement(t, streaming)
	c := must(NewClient(imp.url, Options{QueueBytes: 100_000}))
	start(t, c.Run, nil)
	up(t, c)
	n := 0
	var err error
	for _, err = range c.Bot().Stream(t.Context(), "download_file_stream", map[string]any{"n": 100, "pad": 10_000}) {
		if n++; n == 1 {
			require.NoError(t, c.Bot().Call(t.Context(), "plain", nil, nil)) // its response follows all parts
		}
	}
	assert.ErrorIs(t, err, errSlowStream)
	assert.Less(t, n, 30)
	assert.NoError(t, c.Bot().Call(t.Context(), "plain", nil, nil))
}

// A part keeps its whole frame in memory, so the frame counts.
func TestStream_PartsOfLargeFrames(t *testing.T) {
	p := parts{limit: 1000, ready: make(chan struct{}, 1)}
	assert.True(t, p.add(json.RawMessage(`1`), 900))
	assert.False(t, p.add(json.RawMessage(`2`), 900))
	items, over := p.take()
	assert.Len(t, items, 1)
	assert.True(t, over)
}

// Bots with other Callers can stream, too.
func TestStream_AnyCaller(t *testing.T) {
	b := NewBot(callerFunc(func(_ context.Context, _ string, _, result any) error {
		return json.Unmarshal([]byte(`{"x":1}`), result)
	}), 1)
	parts, err := collect(b, t.Context(), "x", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{`{"x":1}`}, parts)
}
