package onebot

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Frames up to ReadLimit pass, events and responses alike. A larger one only closes the link.
func TestClient_LargeFrames(t *testing.T) {
	limit := 64 << 20
	if testing.Short() {
		limit = 4 << 20
	}
	frame := groupText(10000, 1, 1, "")
	pad := strings.Repeat("x", limit-len(frame))
	frame = groupText(10000, 1, 1, pad)
	require.Len(t, frame, limit)
	var links atomic.Int64
	imp := implement(t, func(p *peer, r *http.Request) {
		p.send(groupText(10000, 1, 0, "first"))
		if links.Add(1) > 1 {
			p.hold()
			return
		}
		p.send(frame)
		p.send(groupText(10000, 1, 2, "next"))
		for {
			r, err := p.read()
			if err != nil {
				return
			}
			if r.Action != "get_file" { // the watchdog's request
				p.answer(r, `{"user_id":10000}`)
				continue
			}
			p.answer(r, strconv.Quote(pad[:limit/8]))
			p.send(frame + " ")
		}
	})
	o := Options{MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond}
	if testing.Short() {
		o.ReadLimit = int64(limit)
	}
	c := must(NewClient(imp.url, o))
	sizes := make(chan int, 100)
	start(t, c.Run, func(_ context.Context, _ *Bot, e Event) {
		sizes <- len(e.(*GroupMessage).Message[0].Data) - len(`{"text":""}`)
	})
	assert.Equal(t, 5, <-sizes)
	assert.Equal(t, len(pad), <-sizes)
	assert.Equal(t, 4, <-sizes)
	var s string
	require.NoError(t, c.Bot().Call(t.Context(), "get_file", nil, &s))
	assert.Len(t, s, limit/8)
	assert.Equal(t, 5, <-sizes, "a new link")
}

// A bot may send large frames. Other calls wait no longer than the write takes.
func TestClient_LargeSend(t *testing.T) {
	imp := implement(t, func(p *peer, r *http.Request) { p.serve(`{"message_id":1}`) })
	c := must(NewClient(imp.url, Options{}))
	start(t, c.Run, nil)
	up(t, c)
	_, err := c.Bot().SendGroupMsg(t.Context(), 1, Message{Image("base64://" + strings.Repeat("A", 8<<20))})
	require.NoError(t, err)
	_, err = c.Bot().SendGroupMsg(t.Context(), 1, Message{Text("x")})
	require.NoError(t, err)
	assert.EqualValues(t, 1, imp.dials.Load())
}

// A burst of 20,000 events arrives complete and in order.
func TestClient_Burst(t *testing.T) {
	n := int64(20_000)
	if testing.Short() {
		n = 2_000
	}
	const chats = 7
	imp := implement(t, func(p *peer, r *http.Request) {
		for i := range n {
			p.send(groupText(10000, 1+i%chats, i/chats, "x"))
		}
		p.hold()
	})
	var next [chats + 1]int64
	c := must(NewClient(imp.url, Options{}))
	start(t, c.Run, func(_ context.Context, _ *Bot, e Event) {
		m := e.(*GroupMessage)
		if next[m.GroupID] != m.MessageID {
			t.Errorf("group %d: got %d, want %d", m.GroupID, m.MessageID, next[m.GroupID])
		}
		next[m.GroupID] = m.MessageID + 1
	})
	eventually(t, func() bool { return c.Stats().Handled == uint64(n) })
	s := c.Stats()
	whole(t, s)
	assert.Zero(t, s.Dropped)
}
