package onebot

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sign(secret, body string) string {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha1=" + hex.EncodeToString(mac.Sum(nil))
}

// poster posts events to a webhook like an implementation.
type poster struct {
	t      *testing.T
	url    string
	secret string
	header http.Header
	client *http.Client
}

// post returns status and body of the response.
func (p poster) post(body string) (int, string) {
	r, err := http.NewRequest("POST", p.url, strings.NewReader(body))
	require.NoError(p.t, err)
	r.Header.Set("Content-Type", "application/json")
	if p.secret != "" {
		r.Header.Set("X-Signature", sign(p.secret, body))
	}
	for k, v := range p.header {
		r.Header[k] = v
	}
	resp, err := p.client.Do(r)
	require.NoError(p.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	return resp.StatusCode, string(b)
}

// hooked serves a webhook with a running Run.
func hooked(t *testing.T, w *Webhook, run func(context.Context) error) (poster, *running) {
	srv := httptest.NewServer(w)
	t.Cleanup(srv.Close)
	r := start(t, func(ctx context.Context, _ Handler) error { return run(ctx) }, nil)
	eventually(t, func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.running != nil })
	return poster{t: t, url: srv.URL + "/onebot", secret: w.opts.Token, client: http.DefaultClient}, r
}

// hookedInBubble is hooked over a network in memory, for synctest bubbles.
func hookedInBubble(t *testing.T, w *Webhook, run func(context.Context) error) (poster, *running) {
	n := network(t, w)
	r := start(t, func(ctx context.Context, _ Handler) error { return run(ctx) }, nil)
	synctest.Wait()
	return poster{t: t, url: "http://pipe/onebot", secret: w.opts.Token, client: n.client}, r
}

func TestWebhook(t *testing.T) {
	type got struct {
		bot *Bot
		e   Event
	}
	events := make(chan got, 10)
	w := NewWebhook(Options{Token: "geheim", MaxEventAge: -1})
	release := make(chan struct{})
	p, run := hooked(t, w, func(ctx context.Context) error {
		return w.Run(ctx, func(_ context.Context, bot *Bot, e Event) { events <- got{bot, e}; <-release })
	})
	for i := range int64(3) { // no request waits for a handler
		status, body := p.post(groupText(10000, 1, i, "在吗"))
		assert.Equal(t, 204, status)
		assert.Empty(t, body)
	}
	g := <-events
	assert.Equal(t, "在吗", g.e.(*GroupMessage).Message.Text())
	assert.EqualValues(t, 10000, g.bot.SelfID())
	b, ok := w.Bot(10000)
	assert.True(t, ok)
	assert.Same(t, b, g.bot)
	_, err := b.GetLoginInfo(t.Context())
	is(t, err, ErrDisconnected)
	assert.Error(t, w.Run(t.Context(), nil), "a second Run")
	assert.Error(t, w.RunQuick(t.Context(), func(context.Context, *Bot, Event) QuickOperation { return nil }))
	close(release)
	assert.EqualValues(t, 1, (<-events).e.(*GroupMessage).MessageID)
	assert.EqualValues(t, 2, (<-events).e.(*GroupMessage).MessageID)
	_, ok = w.Bot(5)
	assert.False(t, ok)
	require.NoError(t, run.stop())
	status, _ := p.post(groupText(10000, 1, 9, "x"))
	assert.Equal(t, 503, status)
	whole(t, w.Stats())
}

func TestWebhook_Refuses(t *testing.T) {
	var bad []string
	w := NewWebhook(Options{Token: "geheim", ReadLimit: 2000, MaxEventAge: -1, OnMalformed: func(b []byte) { bad = append(bad, string(b)) }})
	p, _ := hooked(t, w, func(ctx context.Context) error { return w.Run(ctx, nil) })
	event := groupText(10000, 1, 1, "x")
	odd := func(key string, value ...string) poster {
		q := p
		q.header = http.Header{key: value}
		return q
	}
	for name, k := range map[string]struct {
		by   poster
		body string
		want int
	}{
		"unsigned":           {odd("X-Signature"), event, 401},
		"wrong secret":       {odd("X-Signature", sign("falsch", event)), event, 403},
		"of another body":    {odd("X-Signature", sign("geheim", event+" ")), event, 403},
		"no scheme":          {odd("X-Signature", strings.TrimPrefix(sign("geheim", event), "sha1=")), event, 403},
		"another scheme":     {odd("X-Signature", strings.Replace(sign("geheim", event), "sha1", "md5", 1)), event, 403},
		"shortened":          {odd("X-Signature", sign("geheim", event)[:20]), event, 403},
		"empty":              {odd("X-Signature", "sha1="), event, 403},
		"form of a web page": {odd("Content-Type", "text/plain"), event, 415},
		"no type":            {odd("Content-Type"), event, 415},
		"no JSON":            {p, "{", 400},
		"no event":           {p, `{"a":1}`, 400},
		"nothing":            {p, ``, 400},
		"no account":         {p, groupText(0, 1, 2, "x"), 400},
		"too large":          {p, groupText(10000, 1, 3, strings.Repeat("x", 2000)), 413},
		"well":               {odd("Content-Type", "application/json; charset=utf-8"), groupText(10000, 1, 4, "x"), 204},
		"upper case":         {odd("X-Signature", "sha1="+strings.ToUpper(sign("geheim", event)[5:])), event, 204},
		"account by header":  {odd("X-Self-Id", "20000"), groupText(0, 1, 5, "x"), 204},
	} {
		status, _ := k.by.post(k.body)
		assert.Equal(t, k.want, status, name)
	}
	_, ok := w.Bot(20000)
	assert.True(t, ok)
	resp, err := http.Get(p.url)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 405, resp.StatusCode)
	assert.EqualValues(t, 4, w.Stats().Malformed)
	assert.ElementsMatch(t, []string{"{", `{"a":1}`, "", groupText(0, 1, 2, "x")}, bad)
}

// go-cqhttp posts an event again if no response came in time.
func TestWebhook_DropsDuplicates(t *testing.T) { synctest.Test(t, testDropsDuplicates) }

func testDropsDuplicates(t *testing.T) {
	var mu sync.Mutex
	var got []string
	w := NewWebhook(Options{})
	p, run := hookedInBubble(t, w, func(ctx context.Context) error {
		return w.Run(ctx, func(_ context.Context, _ *Bot, e Event) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, string(e.Raw()))
		})
	})
	poke := `{"post_type":"notice","notice_type":"notify","sub_type":"poke","self_id":10000,"user_id":5,"target_id":10000,"time":%d}`
	recall := `{"post_type":"notice","notice_type":"group_recall","self_id":10000,"group_id":1,"user_id":5,"message_id":7,"time":1735689600}`
	unsigned := strings.Replace(groupText(10000, 1, 3330331745, "x"), `"x"`, `"y"`, 1)
	once := []string{
		groupText(10000, 1, 7, "x"), groupText(20000, 1, 7, "x"), groupText(10000, 1, 8, "x"),
		strings.Replace(groupText(10000, 1, 7, "x"), "1735689600", "1735689601", 1), // ids repeat
		recall, fmt.Sprintf(poke, 1), fmt.Sprintf(poke, 2), groupText(10000, 1, -964635551, "x"),
	}
	for range 3 {
		for _, body := range once {
			status, _ := p.post(body)
			assert.Equal(t, 204, status)
		}
		p.post(unsigned) // the previous message with its id unsigned
		time.Sleep(1500 * time.Millisecond)
	}
	synctest.Wait()
	require.NoError(t, run.stop())
	assert.ElementsMatch(t, once, got)
	s := w.Stats()
	whole(t, s)
	assert.EqualValues(t, 2*len(once)+3, s.Duplicates)
}

// Two pokes within a second are two events, although their bytes are equal. A recall has an id.
func TestWebhook_TwoPokes(t *testing.T) { synctest.Test(t, testTwoPokes) }

func testTwoPokes(t *testing.T) {
	w := NewWebhook(Options{})
	pokes, recalls := 0, 0
	p, run := hookedInBubble(t, w, func(ctx context.Context) error {
		return w.Run(ctx, func(_ context.Context, _ *Bot, e Event) {
			switch e.(type) {
			case *Poke:
				pokes++
			case *FriendRecall:
				recalls++
			}
		})
	})
	for range 2 {
		p.post(`{"post_type":"notice","notice_type":"notify","sub_type":"poke","self_id":10000,"user_id":5,"target_id":10000,"time":1735689600}`)
		p.post(`{"post_type":"notice","notice_type":"friend_recall","self_id":10000,"user_id":5,"message_id":7,"time":1735689600}`)
		time.Sleep(900 * time.Millisecond)
	}
	require.NoError(t, run.stop())
	assert.Equal(t, []int{2, 1}, []int{pokes, recalls})
}

func TestRecentEvents(t *testing.T) {
	now := time.Unix(1735689600, 0)
	var r recentEvents
	r.init(20 * time.Minute)
	message := func(id int64) *frame { return &frame{post: "message", messageID: id} }
	notice := func(s string) *frame { return &frame{post: "notice", raw: []byte(s)} }
	assert.True(t, r.add(now, message(1)))
	assert.False(t, r.add(now, message(1)), "a message has an id")

	// a poke, its twin half a second later, and the repeats of both after 1.5 s
	assert.True(t, r.add(now, notice("poke")))
	assert.True(t, r.add(now.Add(500*time.Millisecond), notice("poke")))
	assert.True(t, r.add(now.Add(900*time.Millisecond), notice("poke")))
	assert.False(t, r.add(now.Add(1500*time.Millisecond), notice("poke")))
	assert.False(t, r.add(now.Add(2*time.Second), notice("poke")))
	assert.False(t, r.add(now.Add(20*time.Minute), notice("poke")))

	// each event is remembered for 20 to 40 minutes, at any rate
	for i := range int64(recentLimit / 4) {
		require.True(t, r.add(now.Add(time.Duration(i)*50*time.Millisecond), message(i+2)))
	}
	assert.False(t, r.add(now.Add(20*time.Minute), message(1)))
	assert.False(t, r.add(now.Add(39*time.Minute), message(recentLimit/4)))
	assert.True(t, r.add(now.Add(61*time.Minute), message(1)), "forgotten")
}

func TestRecentEvents_Limit(t *testing.T) {
	now := time.Unix(1735689600, 0)
	var r recentEvents
	r.init(time.Minute)
	f := func(id int64) *frame { return &frame{post: "message", messageID: id} }
	for i := range int64(2 * recentLimit) {
		require.True(t, r.add(now, f(i+1)))
		require.False(t, r.add(now, f(i+1)))
		require.LessOrEqual(t, len(r.young)+len(r.old), recentLimit)
	}
	assert.False(t, r.add(now, f(3*recentLimit/2+1)))
	assert.True(t, r.add(now, f(1)), "too many ago")
}

// Each account uses its own Caller.
func TestWebhook_Accounts(t *testing.T) {
	api := func(self int64) string {
		return website(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"status":"ok","retcode":0,"data":{"message_id":%d}}`, self)
		})
	}
	w := NewWebhook(Options{Limiter: NewLimiter(LimiterOptions{ChatInterval: -1, AccountInterval: -1})})
	w.SetCaller(10000, httpClient(t, api(10000), Options{}))
	w.SetCaller(0, httpClient(t, api(1), Options{}))
	ids := make(chan string, 10)
	p, _ := hooked(t, w, func(ctx context.Context) error {
		return w.Run(ctx, func(ctx context.Context, bot *Bot, e Event) {
			id, err := bot.SendGroupMsg(ctx, e.(*GroupMessage).GroupID, Message{Text("y")})
			assert.NoError(t, err)
			parts, err := collect(bot, ctx, "x", nil)
			assert.NoError(t, err)
			assert.Len(t, parts, 1)
			ids <- fmt.Sprint(bot.SelfID(), " ", id)
		})
	})
	p.post(groupText(10000, 1, 1, "x"))
	assert.Equal(t, "10000 10000", <-ids)
	p.post(groupText(20000, 1, 1, "x"))
	assert.Equal(t, "20000 1", <-ids)
	w.SetCaller(20000, httpClient(t, api(2), Options{}))
	p.post(groupText(20000, 1, 2, "x"))
	assert.Equal(t, "20000 2", <-ids)
	a, _ := w.Bot(10000)
	b, _ := w.Bot(20000)
	assert.NotSame(t, a.Limiter, b.Limiter)
	other := NewWebhook(Options{})
	_, err := collect(other.bot(5), t.Context(), "x", nil)
	is(t, err, ErrDisconnected)
}

// With one worker, a full queue, and a handler that calls the API, events are accepted at once, and each lost event
// is reported.
func TestWebhook_FullQueue(t *testing.T) {
	const n = 200
	api := website(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"status":"ok","retcode":0,"data":{}}`)
	})
	w := NewWebhook(Options{Workers: 1, QueueBytes: 10 * 700})
	w.SetCaller(0, httpClient(t, api, Options{}))
	posted := make(chan struct{})
	var mu sync.Mutex
	handled, lost := 0, 0
	p, _ := hooked(t, w, func(ctx context.Context) error {
		return w.Run(ctx, func(ctx context.Context, bot *Bot, e Event) {
			<-posted
			assert.NoError(t, bot.Call(ctx, "send_msg", nil, nil))
			mu.Lock()
			defer mu.Unlock()
			if d, ok := e.(*Dropped); ok {
				lost += d.Count
			} else {
				handled++
			}
		})
	})
	for i := range int64(n) {
		status, _ := p.post(groupText(10000, 1+i%3, i+1, "x"))
		require.Equal(t, 204, status)
	}
	close(posted)
	eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return handled+lost == n })
	whole(t, w.Stats())
	assert.NotZero(t, lost)
}

// An incomplete request does not delay the end of Run.
func TestWebhook_StalledRequest(t *testing.T) { synctest.Test(t, testStalledRequest) }

func testStalledRequest(t *testing.T) {
	w := NewWebhook(Options{})
	p, run := hookedInBubble(t, w, func(ctx context.Context) error { return w.Run(ctx, nil) })
	rest, status := stalledPost(t, p, `{"post_type":`)
	defer rest.Close()
	synctest.Wait()
	assert.Empty(t, status, "it is being read")
	began := time.Now()
	require.NoError(t, run.stop())
	assert.Zero(t, time.Since(began))
	assert.Contains(t, []int{0, 503}, <-status)
}
