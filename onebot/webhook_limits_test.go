package onebot

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countingBody counts the bytes that are read from an endless body.
type countingBody struct{ read int }

func (b *countingBody) Read(p []byte) (int, error) {
	b.read += len(p)
	return len(p), nil
}

func (b *countingBody) Close() error { return nil }

// A request that cannot be trusted is refused before its body is read.
func TestWebhook_RefusesUnread(t *testing.T) {
	w := NewWebhook(Options{Token: "geheim"})
	run := start(t, func(ctx context.Context, _ Handler) error { return w.Run(ctx, nil) }, nil)
	defer run.stop()
	eventually(t, func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.running != nil })
	valid := sign("geheim", "x")
	for name, k := range map[string]struct {
		signature string
		length    int64
		status    int
		read      bool
	}{
		"unsigned":        {"", 100, 401, false},
		"another scheme":  {strings.Replace(valid, "sha1", "sha256", 1), 100, 403, false},
		"short":           {valid[:20], 100, 403, false},
		"long":            {valid + "00", 100, 403, false},
		"not hexadecimal": {"sha1=" + strings.Repeat("z", 40), 100, 403, false},
		"too large":       {valid, 8<<20 + 1, 413, false},
		"endless":         {valid, -1, 413, true},
	} {
		body := new(countingBody)
		r := httptest.NewRequest("POST", "/", body)
		r.ContentLength = k.length
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Signature", k.signature)
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		assert.Equal(t, k.status, rec.Code, name)
		assert.Equal(t, k.read, body.read > 0, name)
		assert.LessOrEqual(t, body.read, 16<<20, name)
	}
}

// stalledPost posts a body that ends only when the returned pipe is closed; status gets the response's status.
func stalledPost(t *testing.T, p poster, start string) (rest *io.PipeWriter, status chan int) {
	body, rest := io.Pipe()
	r, err := http.NewRequest("POST", p.url, body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	status = make(chan int, 1)
	go func() {
		resp, err := p.client.Do(r)
		if err != nil {
			status <- 0
			return
		}
		resp.Body.Close()
		status <- resp.StatusCode
	}()
	io.WriteString(rest, start)
	return rest, status
}

// A body has ten seconds, however it is sent.
func TestWebhook_SlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWebhook(Options{})
		p, run := hookedInBubble(t, w, func(ctx context.Context) error { return w.Run(ctx, nil) })
		began := time.Now()
		rest, status := stalledPost(t, p, `{"post_type":`)
		go func() {
			for range 1000 {
				time.Sleep(time.Second)
				if _, err := io.WriteString(rest, " "); err != nil {
					return
				}
			}
		}()
		assert.Contains(t, []int{0, 408}, <-status)
		assert.Equal(t, bodyTimeout, time.Since(began))
		rest.Close()
		time.Sleep(time.Second) // the writer ends
		require.NoError(t, run.stop())
	})
}

// The limit of the body is not one of the operation.
func TestWebhook_SlowOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWebhook(Options{QuickTimeout: time.Minute})
		p, _ := hookedInBubble(t, w, func(ctx context.Context) error {
			return w.RunQuick(ctx, func(ctx context.Context, _ *Bot, _ Event) QuickOperation {
				time.Sleep(3 * bodyTimeout)
				return QuickReply{Reply: Message{Text("在")}}
			})
		})
		status, body := p.post(groupText(10000, 1, 1, "x"))
		assert.Equal(t, 200, status)
		assert.Contains(t, body, "在")
	})
}

// Few large bodies are read at the same time. Small ones do not wait for them.
func TestWebhook_LargeBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handled := 0
		w := NewWebhook(Options{})
		p, _ := hookedInBubble(t, w, func(ctx context.Context) error {
			return w.Run(ctx, func(context.Context, *Bot, Event) { handled++ })
		})
		large := groupText(10000, 1, 1, strings.Repeat("x", 2*smallBody))
		var stalled []chan int
		for range largeBodies {
			rest, status := stalledPost(t, p, large[:smallBody+1])
			defer rest.Close()
			stalled = append(stalled, status)
		}
		synctest.Wait()
		assert.Len(t, w.large, largeBodies)
		began := time.Now()
		status, _ := p.post(groupText(10000, 1, 2, "small"))
		assert.Equal(t, 204, status)
		assert.Zero(t, time.Since(began))
		ninth, waiting := stalledPost(t, p, large[:smallBody+1])
		defer ninth.Close()
		for _, s := range append(stalled, waiting) {
			assert.Contains(t, []int{0, 408, 503}, <-s)
		}
		assert.Equal(t, bodyTimeout, time.Since(began))
		assert.Empty(t, w.large)
		status, _ = p.post(large)
		assert.Equal(t, 204, status)
		assert.Empty(t, w.large)
		synctest.Wait()
		assert.Equal(t, 2, handled)
	})
}

// A signed event is refused if its time is far from the clock, so that a recorded one cannot be posted again later.
func TestWebhook_EventAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(kind string, d time.Duration) string {
			return fmt.Sprintf(`{"post_type":%s,"self_id":10000,"user_id":5,"message_id":%d,"time":%d}`, kind, d, time.Now().Add(d).Unix())
		}
		const message, recall = `"message","message_type":"private"`, `"notice","notice_type":"friend_recall"`
		for name, k := range map[string]struct {
			o      Options
			body   string
			status int
		}{
			"fresh":               {Options{Token: "geheim"}, at(message, 0), 204},
			"nearly too old":      {Options{Token: "geheim"}, at(message, -10*time.Minute), 204},
			"too old":             {Options{Token: "geheim"}, at(message, -10*time.Minute-time.Second), 403},
			"in the future":       {Options{Token: "geheim"}, at(message, 10*time.Minute+time.Second), 403},
			"recall":              {Options{Token: "geheim"}, at(recall, -time.Hour), 204},
			"milliseconds":        {Options{Token: "geheim"}, strings.Replace(at(message, 0), fmt.Sprint(time.Now().Unix()), fmt.Sprint(time.Now().UnixMilli()), 1), 204},
			"without a time":      {Options{Token: "geheim"}, `{"post_type":"notice","self_id":10000}`, 204},
			"unsigned":            {Options{}, at(message, -time.Hour), 204},
			"without a limit":     {Options{Token: "geheim", MaxEventAge: -1}, at(message, -1000*time.Hour), 204},
			"with another limit":  {Options{Token: "geheim", MaxEventAge: 2 * time.Hour}, at(message, -time.Hour), 204},
			"beyond that limit":   {Options{Token: "geheim", MaxEventAge: 2 * time.Hour}, at(message, -3*time.Hour), 403},
			"zero is a real time": {Options{Token: "geheim"}, `{"post_type":"notice","self_id":10000,"time":0}`, 403},
		} {
			w := NewWebhook(k.o)
			p, run := hookedInBubble(t, w, func(ctx context.Context) error { return w.Run(ctx, nil) })
			status, _ := p.post(k.body)
			assert.Equal(t, k.status, status, name)
			require.NoError(t, run.stop())
		}
	})
}

// A recorded event is known as long as its time is accepted, also after many others.
func TestWebhook_Replay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWebhook(Options{Token: "geheim"})
		handled := 0
		p, run := hookedInBubble(t, w, func(ctx context.Context) error {
			return w.Run(ctx, func(_ context.Context, _ *Bot, e Event) {
				if e.(*GroupMessage).GroupID == 1 {
					handled++
				}
			})
		})
		event := func(group, id int64) string {
			return strings.Replace(groupText(10000, group, id, "x"), "1735689600", fmt.Sprint(time.Now().Unix()), 1)
		}
		recorded := strings.Replace(event(1, 1), fmt.Sprint(time.Now().Unix()), fmt.Sprint(time.Now().Add(9*time.Minute).Unix()), 1) // a fast clock
		for i := range int64(20_000) {
			if i%2_000 == 0 {
				status, _ := p.post(recorded)
				assert.Equal(t, 204, status)
				time.Sleep(110 * time.Second) // 18 minutes until the time is refused
			}
			rec := httptest.NewRecorder()
			body := event(2, i+1)
			r := httptest.NewRequest("POST", "/", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Signature", sign("geheim", body))
			w.ServeHTTP(rec, r)
			require.Equal(t, 204, rec.Code)
		}
		time.Sleep(time.Minute)
		status, _ := p.post(recorded)
		assert.Equal(t, 403, status)
		require.NoError(t, run.stop())
		assert.Equal(t, 1, handled)
	})
}

// Without a token, a web page whose name resolves to loopback (DNS rebinding) reaches neither server.
func TestServers_ForeignHost(t *testing.T) {
	for host, want := range map[string]bool{
		"": true, "127.0.0.1:80": true, "127.9.9.9": true, "localhost": true, "LocalHost.:80": true, "bot.localhost:3": true, "[::1]:80": true, "[::1]": true,
		"[::ffff:127.0.0.1]:1": true, "bot.lan:80": true, "192.168.1.7:80": true, "BOT.lan.": true,
		"evil.example": false, "evil.example:80": false, "localhost.evil.example": false, "evillocalhost": false, "127.0.0.1.evil.example": false,
		"10.0.0.1:80": false, "other.lan": false, "[fe80::1]:80": false, "0.0.0.0": false,
	} {
		for _, token := range []string{"", "geheim"} {
			o := Options{Token: token, Hosts: []string{"bot.lan", "192.168.1.7"}, MaxEventAge: -1}
			w := NewWebhook(o)
			p, run := hooked(t, w, func(ctx context.Context) error { return w.Run(ctx, nil) })
			body := groupText(10000, 1, 1, "x")
			r, err := http.NewRequest("POST", p.url, bytes.NewReader([]byte(body)))
			require.NoError(t, err)
			r.Host = host
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Signature", sign(token, body))
			resp, err := p.client.Do(r)
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, map[bool]int{true: 204, false: 403}[want || token != ""], resp.StatusCode, "webhook: %q, token %q", host, token)
			require.NoError(t, run.stop())

			_, url, run := waiting(t, o, nil)
			if host != "" {
				h := []string{"Host", host, "Origin", "http://" + host, "X-Self-ID", "10000", "Authorization", "Bearer " + token}
				_, status := tryConnect(t, url, h...)
				assert.Equal(t, map[bool]int{true: 101, false: 403}[want || token != ""], status, "server: %q, token %q", host, token)
			}
			require.NoError(t, run.stop())
		}
	}
}
