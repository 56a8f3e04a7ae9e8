package onebot

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
)

// Extreme times, and times in milliseconds, over every transport.
func TestTransports_ExtremeTimes(t *testing.T) {
	frame := func(id int64, stamp string) string {
		return strings.Replace(groupText(10000, 1, id, "x"), `"time":1735689600`, `"time":`+stamp, 1)
	}
	stamps := []string{"0", "-1", "253402300799", "253402300800", "1735689600", "1735689600123", "1735689600123456", "9223372036854775807",
		`"1735689600"`, "1735689600.0", "null", "1e400"}
	want := []int64{0, -1, 253402300799, 253402300, 1735689600, 1735689600, 1735689600, 9223372036, 1735689600, 1735689600}
	var mu sync.Mutex
	got := map[string][]time.Time{}
	note := func(way string) Handler {
		return func(_ context.Context, _ *Bot, e Event) {
			m, ok := e.(*GroupMessage)
			if !ok {
				return
			}
			_, err := m.Time.MarshalJSON()
			assert.NoError(t, err, "a time that can be written")
			mu.Lock()
			defer mu.Unlock()
			assert.EqualValues(t, len(got[way])+1, m.MessageID, "in the order of arrival, whatever the times say")
			got[way] = append(got[way], m.Time)
		}
	}
	pour := func(p *peer) {
		for i, s := range stamps {
			p.send(frame(int64(i+1), s))
		}
		p.hold()
	}
	imp := implement(t, func(p *peer, _ *http.Request) { pour(p) })
	start(t, must(NewClient(imp.url, Options{})).Run, note("client"))
	_, url, _ := waiting(t, Options{}, note("server"))
	go pour(connect(t, url, "X-Self-ID", "10000"))
	w := NewWebhook(Options{})
	p, _ := hooked(t, w, func(ctx context.Context) error { return w.Run(ctx, note("webhook")) })
	for i, s := range stamps {
		p.post(frame(int64(i+1), s))
	}
	for _, way := range []string{"client", "server", "webhook"} {
		eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(got[way]) == len(stamps) })
		for i, sec := range want {
			assert.Equal(t, sec, got[way][i].Unix(), "%s: %s", way, stamps[i])
		}
		assert.True(t, got[way][10].IsZero(), "null")
	}
}

// OnMalformed gets unusable frames unchanged, over every transport.
func TestTransports_OnMalformed(t *testing.T) {
	frames := []string{`{`, `hello`, `{"x":1}`, `{"post_type":"message"`, "\x00\xff"}
	var mu sync.Mutex
	var seen []string
	o := Options{OnMalformed: func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, string(b))
	}}
	imp := implement(t, func(p *peer, _ *http.Request) {
		for _, f := range frames[:4] {
			p.send(f)
		}
		p.ws.Write(context.Background(), websocket.MessageBinary, []byte(frames[4]))
		p.lifecycle(10000)
		p.hold()
	})
	c := must(NewClient(imp.url, o))
	start(t, c.Run, nil)
	eventually(t, func() bool { return c.Stats().Handled == 1 })
	mu.Lock()
	assert.Equal(t, frames, seen)
	mu.Unlock()
	assert.EqualValues(t, len(frames), c.Stats().Malformed)
	assert.EqualValues(t, 1, c.Stats().Links)
}

// A Webhook accepts an event of size ReadLimit and refuses a larger one.
func TestWebhook_ReadLimit(t *testing.T) {
	const limit = 8 << 20
	sizes := make(chan int, 2)
	w := NewWebhook(Options{ReadLimit: limit})
	p, _ := hooked(t, w, func(ctx context.Context) error {
		return w.Run(ctx, func(_ context.Context, _ *Bot, e Event) { sizes <- len(e.Raw()) })
	})
	frame := groupText(10000, 1, 1, strings.Repeat("x", limit-len(groupText(10000, 1, 1, ""))))
	status, _ := p.post(frame)
	assert.Equal(t, 204, status)
	assert.Equal(t, limit, <-sizes)
	status, _ = p.post(frame + " ")
	assert.Equal(t, 413, status)
}

// Two accounts at one server and two clients in one process: events and calls never mix.
func TestTransports_AccountsInParallel(t *testing.T) {
	const n = 100
	var mu sync.Mutex
	got := map[string]int64{}
	handler := func(way string) Handler {
		return func(ctx context.Context, bot *Bot, e Event) {
			m, ok := e.(*GroupMessage)
			if !ok {
				return
			}
			id, err := bot.SendGroupMsg(ctx, m.GroupID, Message{Text("y")})
			assert.NoError(t, err)
			assert.Equal(t, m.SelfID, id)
			mu.Lock()
			defer mu.Unlock()
			key := fmt.Sprint(way, m.SelfID)
			assert.Equal(t, got[key], m.MessageID)
			got[key]++
		}
	}
	talk := func(p *peer, self int64) {
		go func() {
			p.lifecycle(self)
			for i := range int64(n) {
				p.send(groupText(self, 1, i, "x"))
			}
		}()
		p.serve(fmt.Sprintf(`{"message_id":%d}`, self))
	}
	_, url, _ := waiting(t, Options{}, handler("server"))
	for _, self := range []int64{1, 2} {
		p := connect(t, url, "X-Self-ID", fmt.Sprint(self))
		go talk(p, self)
		imp := implement(t, func(p *peer, _ *http.Request) { talk(p, self) })
		start(t, must(NewClient(imp.url, Options{})).Run, handler("client"))
	}
	eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return got["server1"] == n && got["server2"] == n && got["client1"] == n && got["client2"] == n
	})
}
