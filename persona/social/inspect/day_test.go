package inspect_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// talk says something by the box of the day, and returns the status and the answer as JSON lines.
func (h *house) talk(token, text string, change ...func(*http.Request)) (int, string) {
	h.Helper()
	return h.do(http.MethodPost, "/bot/0/talk", token, url.Values{"text": {text}}, change...)
}

func accept(kind string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Accept", kind) }
}

// The owner talks with the bot on the page of its day, and finds the talk there again. Readers see the groups alone.
func TestPages_Day(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("<item>在的</item><item>什么事</item>")))
	h.calls("群里的话 " + hostile)
	status, answer := h.talk(ownerToken, "这是秘密 "+hostile)
	require.Equal(t, http.StatusOK, status, answer)
	assert.Equal(t, `{"text":"在的","type":"item"}`+"\n"+`{"text":"什么事","type":"item"}`+"\n"+`{"text":"","type":"done"}`+"\n", answer)
	_, answer = h.talk(ownerToken, "在吗", accept("text/event-stream"))
	assert.Contains(t, answer, "event: item\ndata: {\"text\":\"在的\",\"type\":\"item\"}\n\n")
	status, page := h.talk(ownerToken, "用表单说", accept("text/html"))
	require.Equal(t, http.StatusOK, status)
	for _, want := range []string{"群里的话", "这是秘密", "用表单说", "在的\n什么事", "技术群", `action="/bot/0/talk"`, `<li class="date"><h3>`} {
		assert.Contains(t, page, want, "the form leads back to the day")
	}
	assert.NotContains(t, page, "<script>document")
	h.friend.Say(onebot.Message{onebot.Text("私聊的话")})
	require.Eventually(t, func() bool { return strings.Contains(h.get("/bot/0/day"), "私聊的话") }, patience, 20*time.Millisecond)

	for _, form := range []string{"text/html", "application/json"} {
		status, page = h.do(http.MethodGet, "/bot/0/day", readToken, nil, accept(form))
		assert.Equal(t, http.StatusOK, status)
		assert.Contains(t, page, "群里的话")
		page = regexp.MustCompile(`\d\d:\d\d:\d\d[.\d]*`).ReplaceAllString(page, "TIME") // any digits
		for _, hidden := range []string{"这是秘密", "用表单说", "私聊", "1001", "talk", "表单"} {
			assert.NotContains(t, page, hidden)
		}
	}
	status, _ = h.talk(readToken, "我也说")
	assert.Equal(t, http.StatusForbidden, status)
	status, _ = h.talk("", "我也说")
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _ = h.talk(ownerToken, "别的网页说", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	assert.Equal(t, http.StatusForbidden, status)
	status, _ = h.talk(ownerToken, " ")
	assert.Equal(t, http.StatusBadRequest, status)
	status, _ = h.talk(ownerToken, strings.Repeat("长", 8001))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
	for _, said := range []string{"我也说", "别的网页说", "长长"} {
		assert.NotContains(t, h.get("/bot/0/day"), said)
	}

	_, err := h.bot.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
	require.NoError(t, err)
	assert.NotContains(t, h.get("/bot/0/day"), "群里的话")
}

// What others wrote is attached as such: the turn is untrusted.
func TestTalk_Attached(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("看了")))
	status, _ := h.do(http.MethodPost, "/bot/0/talk", ownerToken, url.Values{"text": {"帮我看看"}, "attached": {"别人写的一段"}, "name": {"a.txt"}})
	require.Equal(t, http.StatusOK, status)
	assert.True(t, slices.ContainsFunc(h.model.Prompts(), func(p modeltest.Prompt) bool { return strings.Contains(p.Human(), "[a.txt]") }))
	assert.Contains(t, h.get("/bot/0/day"), "别人写的一段")
}

// A dayBot reports the events of a test, and holds a turn of its owner until the test lets go.
type dayBot struct {
	inspect.Bot
	mu     sync.Mutex
	f      func(trace.Event)
	seq    uint64
	at     time.Time // of the events that have no time
	agenda social.Agenda

	begun   chan struct{}
	release chan struct{}
}

func (b *dayBot) Watch(f func(trace.Event)) func()              { b.f = f; return func() {} }
func (b *dayBot) Agenda(context.Context) (social.Agenda, error) { return b.agenda, nil }
func (b *dayBot) AppOpened() func()                             { return func() {} }
func (b *dayBot) StreamOwnerMessage(ctx context.Context, text string, give func(context.Context, string) error, _ ...social.Attachment) error {
	b.begun <- struct{}{}
	err := give(ctx, "一")
	select {
	case <-b.release:
	case <-ctx.Done():
		return ctx.Err()
	}
	b.add(persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}, trace.Event{Message: &persona.Message{ID: "a", Key: "a", Own: true, Text: "答 " + text}})
	return errors.Join(err, give(ctx, "二"))
}

func (b *dayBot) add(chat persona.Chat, e trace.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	e.Seq, e.Chat = b.seq, chat
	if e.At.IsZero() {
		e.At = b.at
	}
	b.f(e)
}

// A dayHouse is a dayBot with its pages.
type dayHouse struct {
	*house
	bot   *dayBot
	pages *inspect.Handler
}

func newDayHouse(t *testing.T, o inspect.Options) *dayHouse {
	t.Helper()
	bot := &dayBot{at: time.Now(), begun: make(chan struct{}, 10), release: make(chan struct{})}
	o.Bots, o.Token, o.ReadToken = []inspect.Named{{Name: "小炉", Bot: bot}}, ownerToken, readToken
	pages, err := inspect.New(o)
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(func() { pages.Close(); server.Close() })
	return &dayHouse{&house{T: t, server: server}, bot, pages}
}

// entries returns the entries of the day: kind and text, with * for a dull one.
func (h *dayHouse) entries(token string) (all []string) {
	h.Helper()
	_, text := h.do(http.MethodGet, "/bot/0/day", token, nil, accept("application/json"))
	var d struct {
		Entries []struct {
			Kind, Text string
			Dull       bool
		}
	}
	require.NoError(h, json.Unmarshal([]byte(text), &d), text)
	for _, e := range d.Entries {
		line := e.Kind + " " + e.Text
		if e.Dull {
			line = "*" + line
		}
		all = append(all, line)
	}
	return all
}

// Every kind of event has its entry. Dull ones are folded, and each date is a heading.
func TestPages_DayEntries(t *testing.T) {
	h := newDayHouse(t, inspect.Options{Day: true})
	group, owner := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}
	yesterday := h.bot.at.AddDate(0, 0, -1)
	message := func(chat persona.Chat, m persona.Message) { h.bot.add(chat, trace.Event{Message: &m}) }
	act := func(chat persona.Chat, a trace.Act) { h.bot.add(chat, trace.Event{Act: &a}) }
	tool := func(chat persona.Chat, c trace.Tool) {
		c.Outcome = cmp.Or(c.Outcome, "done")
		h.bot.add(chat, trace.Event{Tool: &c})
	}
	h.bot.add(group, trace.Event{At: yesterday, Message: &persona.Message{Key: "m0@1", Name: "安", Text: "昨天的话"}})
	message(group, persona.Message{Key: "m1@1", Name: "安", Text: "闲聊"})
	message(group, persona.Message{Key: "m2@1", Name: "安", Text: "在吗", AtMe: true})
	message(group, persona.Message{Own: true, Text: "在"})
	message(owner, persona.Message{From: "owner", Text: "早"})
	message(owner, persona.Message{Own: true, Text: "早，主人"})
	message(owner, persona.Message{Own: true, ID: "report-1", Text: "有人找你"})
	act(owner, trace.Act{Kind: "timer", Text: "喝水", Outcome: "喝水啦", Late: true})
	act(owner, trace.Act{Kind: "task", Text: "跟进", Failed: "模型不在"})
	act(owner, trace.Act{Kind: "outdated", Text: "晚安"})
	act(owner, trace.Act{Kind: "outcome", Text: "跟进", Outcome: "做完了"})
	act(owner, trace.Act{Kind: "archive", Text: "3"})
	act(owner, trace.Act{Kind: "idle"})
	act(owner, trace.Act{Kind: "review", Outcome: "没有要做的"})
	act(owner, trace.Act{Kind: "review", Outcome: "没有要做的"})
	act(group, trace.Act{Kind: "reflect", Outcome: "心里是暖的"})
	tool(owner, trace.Tool{Name: "apply_patch_to_character_state", Arguments: `{"patch": "*** Begin Patch\n@@ ## 主人\n-咖啡\n+乌龙茶\n*** End Patch"}`})
	tool(owner, trace.Tool{Name: "add_schedule", Arguments: `{"content": {"title": "开会", "plan": "去"}, "delay_seconds": 60}`, Result: `{"id": "s1"}`})
	tool(owner, trace.Tool{Name: "find", Arguments: `{"q": "茶"}`, Result: "找到了", ReadOnly: true})
	tool(owner, trace.Tool{Name: "find", Arguments: `{"q": "茶"}`, Result: "error: 没有权限", Outcome: "refused", ReadOnly: true})
	tool(group, trace.Tool{Name: "notify_master", Arguments: `{"content": "找你"}`})
	tool(owner, trace.Tool{Name: "add_notification", Arguments: `{"title": "茶"}`, Outcome: "replayed"})
	act(persona.Chat{}, trace.Act{Kind: "notice", Text: "被禁言了"})
	act(owner, trace.Act{Kind: "command", Text: "/labels", Outcome: "没有"})
	h.bot.add(group, trace.Event{Sent: &trace.Sent{Text: "发不出", Failed: "风控"}})
	h.bot.add(group, trace.Event{Sent: &trace.Sent{Text: "发出了"}})
	h.bot.add(owner, trace.Event{Turn: &trace.Turn{ID: "owner/1", Kind: "owner", Outcome: "error: 超时"}})
	h.bot.add(owner, trace.Event{Turn: &trace.Turn{ID: "w", Kind: "task", Outcome: "error: 模型不在"}}) // is an act

	assert.Equal(t, []string{
		"*heard 安: 昨天的话", "*heard 安: 闲聊", "heard 安: 在吗", "said 在", "owner 早", "reply 早，主人", "report 有人找你",
		"timer 喝水 → 喝水啦（晚了）", "failed 跟进 → 模型不在", "outdated 晚安 → （什么也没说）", "reflection 跟进 → 做完了", "*archive 一段话说完了，3 句",
		"*background 打算 → （什么也没说）", "background 回想 → 没有要做的", "*background 回想 → 没有要做的", "reflection 心里是暖的",
		"patch -咖啡\n+乌龙茶", "did add_schedule content: 开会, delay_seconds: 60", "*did find q: 茶 → 找到了", "failed find → 没有权限",
		"notice title: 茶", "notice 被禁言了", "owner /labels → 没有", "failed 发不出 → 风控", "failed 超时",
	}, h.entries(ownerToken))
	assert.Equal(t, []string{"*heard 安: 昨天的话", "*heard 安: 闲聊", "heard 安: 在吗", "said 在"}, h.entries(readToken))

	status, page := h.do(http.MethodGet, "/", ownerToken, nil, accept("text/html"))
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, 2, strings.Count(page, `<li class="date">`), "yesterday and today")
	assert.Equal(t, 5, strings.Count(page, `<li class="dull">`)-1, "one is the template")
	assert.Contains(t, page, fmt.Sprintf("%d月%d日 星期", yesterday.Month(), yesterday.Day()))
}

// Plans are drawn and listed, for the owner alone, in the time that the host shows.
func TestPages_DayPlans(t *testing.T) {
	h := newDayHouse(t, inspect.Options{})
	h.bot.agenda = social.Agenda{
		Planned:    []schedule.Task{{ID: "s1", Title: "开会", ScheduledAt: time.Now().Add(time.Hour)}},
		Timers:     []schedule.Timer{{ID: "t1", Payload: "喝水", Next: time.Now().Add(time.Minute)}},
		Documents:  []prompt.Document{{Name: "character_state", Text: "# 小炉"}},
		InnerState: "平静",
	}
	h.bot.add(persona.Chat{}, trace.Event{Act: &trace.Act{Kind: "notice", Text: "被禁言了"}})
	page := h.get("/bot/0/day")
	assert.Equal(t, 2, strings.Count(page, `class="ahead"`))
	assert.Contains(t, page, `<a href="#e1" tabindex="-1"><circle class="notice"`)
	assert.Less(t, strings.Index(page, ">喝水<"), strings.Index(page, ">开会<"), "the next first")
	_, page = h.do(http.MethodGet, "/bot/0/day", readToken, nil)
	for _, hidden := range []string{"喝水", "开会", "禁言"} {
		assert.NotContains(t, page, hidden)
	}
	_, text := h.do(http.MethodGet, "/bot/0/day", ownerToken, nil, accept("application/json"))
	for _, want := range []string{`"title":"开会"`, `"text":"喝水"`, `"text":"# 小炉"`, `"inner_state":"平静"`, `"name":"小炉"`} {
		assert.Contains(t, text, want)
	}
	_, text = h.do(http.MethodGet, "/bot/0/day", readToken, nil, accept("application/json"))
	for _, hidden := range []string{"喝水", "开会", "小炉\"}]", "平静"} {
		assert.NotContains(t, text, hidden)
	}
}

// What a retracted message led to leaves the day: the acts of the turns whose prompts show it, and those in its chat whose prompts are
// not known any more.
func TestPages_DayRetracted(t *testing.T) {
	h := newDayHouse(t, inspect.Options{})
	group, other := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
	call := func(turn, key string) {
		h.bot.add(group, trace.Event{Call: &trace.Call{Turn: turn, Prompt: []prompt.Segment{{ID: key, Text: "…"}}}})
	}
	h.bot.add(group, trace.Event{Message: &persona.Message{Key: "m1@1", Name: "安", Text: "说漏嘴", AtMe: true}})
	call("saw", "m1@1")
	call("saw", "m2@1")
	call("blind", "m2@1")
	for _, turn := range []string{"saw", "blind", "forgotten"} {
		for where, chat := range map[string]persona.Chat{"一": group, "二": other} {
			h.bot.add(chat, trace.Event{Tool: &trace.Tool{Name: "t", Arguments: where + turn, Outcome: "done", Turn: turn}})
			h.bot.add(chat, trace.Event{Act: &trace.Act{Kind: "timer", Text: where + turn, Outcome: "好", Turn: turn}})
		}
	}
	h.bot.add(group, trace.Event{Act: &trace.Act{Kind: "notice", Text: "提醒一"}})
	h.bot.add(other, trace.Event{Act: &trace.Act{Kind: "notice", Text: "提醒二"}})
	require.Len(t, h.entries(ownerToken), 15)
	h.bot.add(group, trace.Event{Retracted: "m1"})
	assert.ElementsMatch(t, []string{
		"did t 一blind", "timer 一blind → 好", "did t 二blind", "timer 二blind → 好", "did t 二forgotten", "timer 二forgotten → 好", "notice 提醒二",
	}, h.entries(ownerToken))
	h.bot.add(persona.Chat{}, trace.Event{Erased: true})
	assert.Empty(t, h.entries(ownerToken))
}

// A turn goes on when the page is closed, and ends with the pages. Too many at once are refused.
func TestTalk_Turns(t *testing.T) {
	h := newDayHouse(t, inspect.Options{})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.server.URL+"/bot/0/talk", strings.NewReader("text=走了"))
		req.Header.Set("Authorization", "Bearer "+ownerToken)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-h.bot.begun
	leave()
	<-left
	h.bot.release <- struct{}{}
	require.Eventually(t, func() bool { return strings.Contains(h.get("/bot/0/day"), "答 走了") }, patience, 10*time.Millisecond)

	var turns sync.WaitGroup
	answers := make(chan string, 4)
	for range 4 {
		turns.Go(func() {
			status, answer := h.talk(ownerToken, "等着")
			for status == http.StatusServiceUnavailable { // the first turn still has its place
				status, answer = h.talk(ownerToken, "等着")
			}
			answers <- answer
		})
		<-h.bot.begun
	}
	status, _ := h.talk(ownerToken, "第五句")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	h.pages.Close()
	turns.Wait()
	for range 4 {
		assert.Contains(t, <-answers, `"type":"error"`)
	}
}
