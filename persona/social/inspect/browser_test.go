package inspect_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	shots = flag.String("shots", "", "`directory` for pictures of the pages")
	lasts = flag.Duration("busy", 10*time.Second, "`duration` of the busy page's test")
)

// A look is a screen and a language.
type look struct {
	browsertest.Screen
	lang string
}

// looks have each two of their properties together once.
var looks = []look{
	{browsertest.Screen{Width: 1280, Height: 900}, "zh"},
	{browsertest.Screen{Width: 1280, Height: 900, Dark: true}, "en"},
	{browsertest.Screen{Width: 360, Height: 740, Touch: true}, "en"},
	{browsertest.Screen{Width: 360, Height: 740, Touch: true, Dark: true}, "zh"},
}

// signIn sends the token by the form, and opens the live page in a new tab.
func signIn(t *testing.T, b *browsertest.Browser, url string, s browsertest.Screen) *browsertest.Page {
	t.Helper()
	p := b.Page(s)
	p.Load(url + "/")
	require.Equal(t, 1, browsertest.Value[int](p, `document.querySelectorAll("#token").length`))
	p.Eval(fmt.Sprintf(`document.getElementById("token").value = %q, document.forms[0].submit()`, ownerToken), nil)
	require.Eventually(t, func() bool {
		return browsertest.Value[bool](p, `document.readyState === "complete" && document.getElementById("chats") !== null`)
	}, time.Minute, 50*time.Millisecond)
	for _, asked := range p.Requests() {
		assert.NotContains(t, asked, ownerToken)
	}
	next := b.Page(s)
	next.Load(url + "/")
	return next
}

// Every page works in a browser: both languages and themes, a phone and a desktop, by keyboard, readable, with nothing from elsewhere,
// and with hostile text as text.
func TestPages_Browser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newHouseWith(t, modeltest.Always(modeltest.Say("我在呢 "+hostile)), withDocument(t))
	h.fill()
	h.talksLikeUs()
	h.calls("在吗 " + hostile + strings.Repeat("很长", 100))
	h.talk(ownerToken, "主人说 "+hostile)
	decision := h.judged()
	call := h.link(decision, "/bot/0/call")
	record := h.link("/bot/0/memory", "/bot/0/record")
	whatif := h.link(decision, "/bot/0/whatif") + "&names=-&max_replies=1&max_consecutive=x&off=yes"
	whatifMoment := h.link(decision, "/bot/0/whatif") + "&off=yes&policy=interject&range=all"
	signIn(t, b, h.server.URL, browsertest.Screen{Width: 800, Height: 600})
	for _, s := range looks {
		p := b.Page(s.Screen)
		p.Load(h.server.URL + "/bot/0/?lang=" + s.lang)
		for name, path := range map[string]string{
			"live": "/bot/0/", "chat": "/bot/0/chat?chat=qq:group:1", "decision": decision, "call": call, "memory": "/bot/0/memory", "record": record,
			"whatif": whatif, "whatif moment": whatifMoment,
			"search": "/bot/0/memory?q=" + url.QueryEscape("猫"), "people": "/bot/0/people", "person": "/bot/0/person?platform=qq&id=1001", "erase": "/bot/0/person/forget?platform=qq&id=1001",
			"notes": "/bot/0/notes", "covered": "/bot/0/covered?space=qq:group:1&first=1&last=99", "fact": "/bot/0/record?" + recordQuery(groupSpace, "f1").Encode(),
			"change": "/bot/0/change?do=forget&" + recordQuery(groupSpace, "a1").Encode(), "mend": "/bot/0/change?do=mend&text=" + url.QueryEscape("改成这样"+hostile) + "&" + recordQuery(groupSpace, "f1").Encode(),
			"documents": "/bot/0/documents", "document": documentPath, "restore": "/bot/0/document/restore?name=character_state&version=1",
			"plans": "/bot/0/plans", "conversations": "/bot/0/conversations", "waiting": "/bot/0/waiting", "tools": "/bot/0/tools", "settings": "/bot/0/settings?chat=qq:group:1", "changes": "/bot/0/changes", "day": "/bot/0/day", "expressions": expressionsPath,
		} {
			p.Load(h.server.URL + path)
			about := fmt.Sprint(name, s)
			assert.Equal(t, "小炉 · hearth", browsertest.Value[string](p, `document.title`), about)
			assert.Empty(t, p.Errors(), about)
			assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), s.Width, about)
			assert.Empty(t, p.Pale("h1, h2, h3, h4, p, time, bdi, td, th, li, a, pre, code, button, label, summary, span, strong, em, dt, dd, svg text"), about)
			assert.Zero(t, browsertest.Value[int](p, `[...document.querySelectorAll("input:not([type=hidden], [hidden]), textarea, select")].filter(e => !e.labels.length).length`), about)
			p.Press("Tab")
			assert.Contains(t, []string{"A", "BUTTON", "INPUT"}, browsertest.Value[string](p, `document.activeElement.tagName`), about)
			if *shots != "" {
				require.NoError(t, os.WriteFile(filepath.Join(*shots, fmt.Sprintf("inspect-%s-%d-%v.png", name, s.Width, s.Dark)), p.Screenshot(), 0o644))
			}
		}
		for _, asked := range p.Requests() {
			assert.True(t, strings.HasPrefix(asked, h.server.URL+"/") || strings.HasPrefix(asked, "data:"), asked)
		}
	}
}

// The live page follows what happens.
func TestPages_Live(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newHouse(t, modeltest.Always(modeltest.Say("我在呢")))
	p := signIn(t, b, h.server.URL, browsertest.Screen{Width: 1280, Height: 900})
	h.calls("在吗")
	shows := func(text string) func() bool {
		return func() bool {
			return strings.Contains(browsertest.Value[string](p, `document.body.innerText`), text)
		}
	}
	require.Eventually(t, shows("我在呢"), time.Minute, 50*time.Millisecond)
	require.Eventually(t, shows("技术群"), time.Minute, 50*time.Millisecond)
	_, err := h.bot.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !shows("在吗")() }, time.Minute, 50*time.Millisecond, "what was erased leaves an open page")
	assert.Empty(t, p.Errors())
}

// A browser has at most six connections to a host. Hidden tabs use none, so more tabs may be open, and they get what they missed.
func TestPages_ManyTabs(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newHouse(t, modeltest.Always(modeltest.Say("我在呢")))
	screen := browsertest.Screen{Width: 800, Height: 600}
	tabs := []*browsertest.Page{signIn(t, b, h.server.URL, screen)}
	show := func(p *browsertest.Page, shown bool) {
		p.Eval(fmt.Sprintf(`Object.defineProperty(document, "hidden", {value: %v, configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`, !shown), nil)
	}
	has := func(p *browsertest.Page, text string) func() bool {
		return func() bool {
			return strings.Contains(browsertest.Value[string](p, `document.body.innerText`), text)
		}
	}
	for len(tabs) < 8 {
		show(tabs[len(tabs)-1], false)
		p := b.Page(screen)
		p.Load(h.server.URL + "/bot/0/")
		tabs = append(tabs, p)
	}
	h.calls("在吗")
	require.Eventually(t, has(tabs[7], "我在呢"), time.Minute, 50*time.Millisecond)
	assert.False(t, has(tabs[0], "我在呢")(), "nobody looks at it")
	show(tabs[0], true)
	require.Eventually(t, has(tabs[0], "我在呢"), time.Minute, 50*time.Millisecond)
	assert.Empty(t, tabs[0].Errors())
}

// A busyBot reports events of many chats.
type busyBot struct {
	inspect.Bot
	mu sync.Mutex
	f  func(trace.Event)
}

func (b *busyBot) Watch(f func(trace.Event)) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.f = f
	return func() {}
}
func (b *busyBot) Stats() social.Stats                    { return social.Stats{Received: 1} }
func (b *busyBot) Usage() map[models.Purpose]models.Usage { return nil }
func (b *busyBot) CacheShare() (float64, bool)            { return .5, true }
func (b *busyBot) LinkHealth() []trace.LinkHealth {
	return []trace.LinkHealth{{Self: persona.Account{Platform: "qq", ID: "1"}, Online: true, Heartbeat: time.Now(), Calls: 128, P50: time.Duration(rand.IntN(1e8)), P95: time.Duration(rand.IntN(1e9)), Queued: rand.IntN(100), QueueLimit: 64 << 20}}
}
func (b *busyBot) Allowance(persona.Chat) (trace.Allowance, bool) { return trace.Allowance{}, false }
func (b *busyBot) Budget() heartflow.BudgetState {
	return heartflow.BudgetState{Usage: heartflow.Usage{HourTokens: rand.IntN(1e6), DayTokens: rand.IntN(1e7)}, Limits: heartflow.Limits{HourTokens: 1e6, DayTokens: 1e7}}
}
func (b *busyBot) ChatBudget(persona.Chat) heartflow.BudgetState { return b.Budget() }
func (b *busyBot) UsageByModel() map[string]models.Usage {
	return map[string]models.Usage{"m": {Calls: rand.IntN(1000), Prompt: rand.IntN(1e6), CacheRead: 1000, Completion: 10}}
}
func (b *busyBot) ChatStatus(persona.Chat) social.ChatStatus {
	return social.ChatStatus{State: "chat", Energy: rand.Float64()}
}

// run reports messages and decisions at a rate until ctx ends.
func (b *busyBot) run(ctx context.Context, chats, perSecond int) {
	ticker := time.NewTicker(time.Second / time.Duration(perSecond))
	defer ticker.Stop()
	for seq := uint64(0); ; seq += 2 {
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(seq / 2 % uint64(chats))}
		m := &persona.Message{ID: fmt.Sprint(seq), Key: fmt.Sprint(seq, "@1"), Chat: chat, ChatName: "群 " + chat.ID, Name: "安", Text: "说了一句话 " + fmt.Sprint(seq)}
		b.f(trace.Event{Seq: seq + 1, At: time.Now(), Chat: chat, Message: m})
		b.f(trace.Event{Seq: seq + 2, At: time.Now(), Chat: chat, Decision: &heartflow.Trace{Kind: heartflow.KindJudge, Why: []heartflow.Code{heartflow.WhyNotCalled}}})
		if seq < uint64(2*chats) {
			continue // each chat once, at once
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// With 1000 chats and 50 decisions a second an open page stays smooth: its heap and its size do not grow, and the browser is rarely
// busy for long. -busy 60s is the whole measurement.
func TestPages_Busy(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	bot := &busyBot{}
	pages, err := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: "忙", Bot: bot}}, Token: ownerToken})
	require.NoError(t, err)
	defer pages.Close()
	server := httptest.NewServer(http.Handler(pages))
	defer server.CloseClientConnections()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); bot.run(ctx, 1000, 50) }()
	defer func() { stop(); <-ended }()

	p := signIn(t, b, server.URL, browsertest.Screen{Width: 1280, Height: 900})
	require.Eventually(t, func() bool {
		return browsertest.Value[int](p, `document.querySelectorAll("#chats tbody tr").length`) == 1000
	}, time.Minute, 50*time.Millisecond)
	p.Eval(`window.long = 0, new PerformanceObserver(l => { for (const e of l.getEntries()) window.long += e.duration }).observe({type: "longtask"})`, nil)
	time.Sleep(*lasts) // until the lists are full and the script is compiled
	heap, size := p.Heap(), browsertest.Value[int](p, `document.querySelectorAll("*").length`)
	first := browsertest.Value[int](p, `+document.querySelector("#lines li").dataset.seq`)
	p.Eval(`window.long = 0`, nil)
	began := time.Now()
	time.Sleep(*lasts)
	grown := float64(p.Heap()) / float64(heap)
	long := browsertest.Value[float64](p, `window.long`) / time.Since(began).Seconds()
	t.Logf("heap %.2f times of %d kB, %.1f ms of long tasks a second, %d elements", grown, heap>>10, long, size)
	most := 1.1
	if *lasts < time.Minute { // the browser still compiles the script
		most = 1.25
	}
	assert.Less(t, grown, most)
	assert.InDelta(t, size, browsertest.Value[int](p, `document.querySelectorAll("*").length`), float64(size)/50)
	assert.Greater(t, browsertest.Value[int](p, `+document.querySelector("#lines li").dataset.seq`), first, "it is alive")
	assert.Empty(t, p.Errors())
}
