package qqbot_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A hooked is a running webhook behind a real server.
type hooked struct {
	*recorder
	s    *qqbottest.Server
	c    *qqbot.Client
	hook *qqbot.Webhook
	url  string
	stop func()
}

func hook(t *testing.T, o qqbot.Options, h qqbot.Handler) *hooked {
	k := &hooked{recorder: &recorder{}, s: qqbottest.New(qqbottest.Options{RetryAfter: time.Second})} // long enough for a slow test
	t.Cleanup(k.s.Close)
	k.c = k.s.Client(o)
	k.hook = k.c.Webhook()
	srv := httptest.NewServer(k.hook)
	t.Cleanup(srv.Close)
	k.url = srv.URL
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	if h == nil {
		h = k.handle
	}
	go func() { ended <- k.hook.Run(ctx, h) }()
	k.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	t.Cleanup(k.stop)
	require.Eventually(t, func() bool { return k.send(t, nil, nil) != 503 }, time.Minute, time.Millisecond)
	return k
}

// send posts a body and returns the status.
func (k *hooked) send(t *testing.T, body []byte, header http.Header) int {
	status, _ := k.post(t, body, header)
	return status
}

func (k *hooked) post(t *testing.T, body []byte, header http.Header) (int, string) {
	req, err := http.NewRequest(http.MethodPost, k.url, bytes.NewReader(body))
	require.NoError(t, err)
	if header != nil {
		req.Header = header
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

func (k *hooked) wait(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(k.ids()) >= n }, time.Minute, time.Millisecond)
}

func TestWebhook(t *testing.T) {
	k := hook(t, qqbot.Options{}, nil)
	require.NoError(t, k.s.Validate(t.Context(), k.url, nil))
	k.s.Post(k.url, nil)
	u := k.s.User("U")
	var want []string
	for i := range 20 {
		want = append(want, u.Say(fmt.Sprint(i)).EventID)
	}
	k.wait(t, 20)
	assert.Equal(t, want, k.ids())
	require.NoError(t, k.s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool { return len(all) == 20 }))
	for _, p := range k.s.Pushes() {
		assert.True(t, p.Acked)
	}
	_, err := k.c.Send(t.Context(), qqbot.UserChat("U"), qqbot.Out{Text: "在"})
	require.NoError(t, err)
	assert.Error(t, k.c.Run(t.Context(), nil), "while the webhook runs")
	assert.Error(t, k.hook.Run(t.Context(), nil))
	k.stop()
	status, _ := k.post(t, nil, nil)
	assert.Equal(t, 503, status)
}

// The answer does not wait for the handler. A full queue refuses, and the platform sends again.
func TestWebhook_AcknowledgesFirst(t *testing.T) {
	gate := make(chan struct{})
	var rec recorder
	k := hook(t, qqbot.Options{QueueBytes: 8 << 10}, func(ctx context.Context, e qqbot.Event) {
		<-gate
		rec.handle(ctx, e)
	})
	k.s.Post(k.url, nil)
	u := k.s.User("U")
	first := u.Say("一")
	require.NoError(t, k.s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool {
		return len(all) == 1 && all[0].Acked && all[0].EventID == first.EventID
	}))
	for range 10 {
		u.Say("快")
	}
	require.NoError(t, k.s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool { return all[len(all)-1].Status == 503 }))
	close(gate)
	require.NoError(t, k.s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool {
		return slices.ContainsFunc(all, func(p qqbottest.Push) bool { return p.Attempt > 1 && p.Acked })
	}))
}

func event(id, message string) []byte {
	return fmt.Appendf(nil, `{"op":0,"id":%q,"t":"C2C_MESSAGE_CREATE","s":1,"d":{"id":%q,"author":{"user_openid":"U"},"content":"在吗"}}`, id, message)
}

func TestWebhook_Repeats(t *testing.T) {
	k := hook(t, qqbot.Options{}, nil)
	body := event("e1", "m1")
	header := k.s.Sign(body, time.Now())
	for range 3 {
		status, answer := k.post(t, body, header)
		assert.Equal(t, 200, status)
		assert.JSONEq(t, `{"op":12,"d":0}`, answer)
	}
	assert.Equal(t, 200, k.send(t, body, k.s.Sign(body, time.Now().Add(-5*time.Second))), "signed again")
	other := event("e2", "m1")
	assert.Equal(t, 200, k.send(t, other, k.s.Sign(other, time.Now())), "the same message as another event")
	bare := []byte(`{"op":0,"t":"X","d":{}}`)
	header = k.s.Sign(bare, time.Now())
	assert.Equal(t, 200, k.send(t, bare, header))
	assert.Equal(t, 200, k.send(t, bare, header), "without an id the signature identifies it")
	k.wait(t, 2)
	k.stop()
	assert.Equal(t, []string{"e1", ""}, k.ids())
	assert.EqualValues(t, 5, k.c.Stats().Repeated)
}

func TestWebhook_Refuses(t *testing.T) {
	k := hook(t, qqbot.Options{}, nil)
	body := event("e1", "m1")
	good := func(change func(http.Header)) http.Header {
		h := k.s.Sign(body, time.Now())
		if change != nil {
			change(h)
		}
		return h
	}
	other := qqbottest.New(qqbottest.Options{Secret: "another"})
	defer other.Close()
	huge := bytes.Repeat([]byte("x"), 1<<20+1)
	for name, c := range map[string]struct {
		body   []byte
		header http.Header
		want   int
	}{
		"no signature":      {body, http.Header{}, 401},
		"no time":           {body, good(func(h http.Header) { h.Del("X-Signature-Timestamp") }), 401},
		"only a time":       {body, good(func(h http.Header) { h.Del("X-Signature-Ed25519") }), 401},
		"malformed":         {body, good(func(h http.Header) { h.Set("X-Signature-Ed25519", "00") }), 401},
		"wrong key":         {body, other.Sign(body, time.Now()), 401},
		"tampered body":     {bytes.Replace(body, []byte("U"), []byte("V"), 1), good(nil), 401},
		"tampered time":     {body, good(func(h http.Header) { h.Set("X-Signature-Timestamp", fmt.Sprint(time.Now().Unix()+1)) }), 401},
		"split elsewhere":   {append([]byte("1"), body...), good(func(h http.Header) { h.Set("X-Signature-Timestamp", h.Get("X-Signature-Timestamp")[:9]) }), 401},
		"old":               {body, k.s.Sign(body, time.Now().Add(-11*time.Minute)), 401},
		"future":            {body, k.s.Sign(body, time.Now().Add(11*time.Minute)), 401},
		"negative time":     {body, good(func(h http.Header) { h.Set("X-Signature-Timestamp", "-1") }), 401},
		"another bot":       {body, good(func(h http.Header) { h.Set("X-Bot-Appid", "7") }), 401},
		"too large":         {huge, k.s.Sign(huge, time.Now()), 413},
		"large, unsigned":   {huge[:5<<10], http.Header{}, 413},
		"not JSON":          {[]byte("x"), k.s.Sign([]byte("x"), time.Now()), 400},
		"empty":             {nil, http.Header{}, 401},
		"validation forged": {[]byte(`{"op":13,"d":{"plain_token":"a","event_ts":"1"}}`), good(nil), 401},
		"validation broken": {[]byte(`{"op":13,"d":{"plain_token":"","event_ts":"1"}}`), http.Header{}, 400},
		// an answer would be a valid signature of an event
		"oracle":      {[]byte(`{"op":13,"d":{"plain_token":"{\"op\":0}","event_ts":"1725442341"}}`), http.Header{}, 400},
		"oracle time": {[]byte(`{"op":13,"d":{"plain_token":"a","event_ts":"1{"}}`), http.Header{}, 400},
	} {
		assert.Equal(t, c.want, k.send(t, c.body, c.header), name)
	}
	resp, err := http.Get(k.url)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 405, resp.StatusCode)
	assert.Equal(t, 200, k.send(t, []byte(`{"op":13,"d":{"plain_token":"a","event_ts":"1"}}`), http.Header{}))
	k.stop()
	assert.Empty(t, k.all())
}

// A request that is sent slowly, or without a length, neither costs memory nor delays the end of Run.
func TestWebhook_Slow(t *testing.T) {
	k := hook(t, qqbot.Options{WebhookLimit: 64 << 10}, nil)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(k.url, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	head := func(h http.Header, rest string) string {
		return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nX-Signature-Timestamp: %s\r\nX-Signature-Ed25519: %s\r\n%s\r\n\r\n",
			h.Get("X-Signature-Timestamp"), h.Get("X-Signature-Ed25519"), rest)
	}
	h := k.s.Sign([]byte("x"), time.Now())
	endless := dial()
	_, err := io.WriteString(endless, head(h, "Transfer-Encoding: chunked"))
	require.NoError(t, err)
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 32<<10, strings.Repeat("x", 32<<10))
	go func() {
		for {
			if _, err := io.WriteString(endless, chunk); err != nil {
				return
			}
		}
	}()
	answer := make([]byte, 12)
	_, err = io.ReadFull(endless, answer)
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 413", string(answer))

	// 64 slow requests are all that are read
	body := event("e", "m")
	slow := 0
	for k.send(t, body, k.s.Sign(body, time.Now())) != 503 {
		slow++
		require.Less(t, slow, 200)
		_, err := io.WriteString(dial(), head(h, "Content-Length: 10")+"x")
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, slow, 64)
	began := time.Now()
	k.stop()
	assert.Less(t, time.Since(began), 5*time.Second)
}

// FuzzWebhook sends anything without a valid signature. No event reaches the handler.
func FuzzWebhook(f *testing.F) {
	f.Add([]byte(`{"op":0,"d":{}}`), "", "")
	f.Add([]byte(`{"op":13,"d":{"plain_token":"a","event_ts":"1"}}`), "1", strings.Repeat("0", 128))
	s := qqbottest.New(qqbottest.Options{})
	f.Cleanup(s.Close)
	w := s.Client(qqbot.Options{MaxEventAge: -1}).Webhook()
	ctx, cancel := context.WithCancel(context.Background())
	f.Cleanup(cancel)
	go func() {
		_ = w.Run(ctx, func(_ context.Context, e qqbot.Event) { panic("an event without a signature") })
	}()
	f.Fuzz(func(t *testing.T, body []byte, stamp, sig string) {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set("X-Signature-Timestamp", stamp)
		r.Header.Set("X-Signature-Ed25519", sig)
		out := httptest.NewRecorder()
		w.ServeHTTP(out, r)
		if out.Code == 200 {
			assert.NotContains(t, out.Body.String(), `"op"`, "only validations are answered")
		}
	})
}
