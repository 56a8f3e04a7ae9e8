package inspect_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	ownerToken = "the-owner's-token-1"
	readToken  = "a-reader's-token-22"
	self       = 10000
	ann        = 1001
	patience   = time.Minute
)

// hostile is text that must be shown as text.
const hostile = `</td><script>document.title="owned"</script><img src=x onerror=alert(1)>{{.}}`

// A house is a bot in a simulated QQ with its pages.
type house struct {
	*testing.T
	qq     *onebottest.Server
	group  *onebottest.Group
	friend *onebottest.Friend
	bot    *social.Bot
	model  *modeltest.Model
	server *httptest.Server
}

func newHouse(t *testing.T, model *modeltest.Model) *house {
	t.Helper()
	return newHouseWith(t, model, func(*social.Options) {})
}

// newHouseWith is newHouse with other options of the bot.
func newHouseWith(t *testing.T, model *modeltest.Model, change func(*social.Options)) *house {
	t.Helper()
	h := &house{T: t, model: model, qq: onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})}
	t.Cleanup(h.qq.Close)
	h.group = h.qq.Group(1, "技术群")
	h.group.Member(ann, "安")
	h.friend = h.qq.Friend(ann, "安")
	client, err := onebot.NewClient(h.qq.Start(), onebot.Options{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	opts, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: model, Link: onebotlink.New(client, onebotlink.Options{}),
		When: social.When{Attention: heartflow.Options{Policy: heartflow.MentionOnly{}}},
	})
	require.NoError(t, err)
	opts.Background.Digest, opts.Background.Facts, opts.Reply.Speech = nil, nil, nil
	change(&opts)
	h.bot, err = social.New(preset.Scale(opts, 50))
	require.NoError(t, err)
	pages, err := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: "小炉", Bot: h.bot}}, Token: ownerToken, ReadToken: readToken})
	require.NoError(t, err)
	h.server = httptest.NewServer(pages)
	ended := make(chan error, 1)
	go func() { ended <- h.bot.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended); pages.Close(); h.server.Close() })
	require.NoError(t, h.qq.WaitLink(t.Context()))
	return h
}

// calls lets somebody address the bot, and waits until the bot has answered and its turn is over.
func (h *house) calls(text string) {
	h.Helper()
	before := len(h.qq.Sent())
	h.group.Say(ann, onebot.Message{onebot.At(self), onebot.Text(" " + text)})
	_, err := h.qq.WaitSent(h.Context(), before+1)
	require.NoError(h, err)
	h.waitFor(h.judged(), "结果: spoke")
}

// waitFor waits until a page contains a text.
func (h *house) waitFor(path, text string) {
	h.Helper()
	require.Eventually(h, func() bool { return strings.Contains(h.get(path), text) }, patience, 10*time.Millisecond, "%s never contained %q", path, text)
}

// do makes a request with a token.
func (h *house) do(method, path, token string, form url.Values, change ...func(*http.Request)) (int, string) {
	h.Helper()
	req, err := http.NewRequestWithContext(h.Context(), method, h.server.URL+path, strings.NewReader(form.Encode()))
	require.NoError(h, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, c := range change {
		c(req)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(h, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(h, err)
	return resp.StatusCode, string(body)
}

func (h *house) get(path string) string {
	h.Helper()
	status, body := h.do(http.MethodGet, path, ownerToken, nil)
	require.Equal(h, http.StatusOK, status, body)
	return body
}

// link returns the first link of a page that matches, after it is there.
func (h *house) link(path, pattern string) string {
	h.Helper()
	match := regexp.MustCompile(`href="(` + pattern + `[^"]*)"`)
	var found []string
	require.Eventually(h, func() bool {
		found = match.FindStringSubmatch(h.get(path))
		return found != nil
	}, patience, 20*time.Millisecond)
	return strings.ReplaceAll(found[1], "&amp;", "&")
}

// judged returns the page of the last judgement that let the bot begin.
func (h *house) judged() string {
	h.Helper()
	all := regexp.MustCompile(`<a href="([^"]*decision\?seq=\d+)">判断：问模型`).FindAllStringSubmatch(h.get("/bot/0/"), -1)
	require.NotEmpty(h, all)
	return all[len(all)-1][1]
}

// From the live page to the decision, its gates, the prompt by part, and the same prompt asked again.
func TestPages_Decision(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("我在呢")))
	h.calls("在吗 " + hostile)
	live := h.get("/bot/0/")
	assert.Contains(t, live, "技术群")
	assert.Contains(t, live, "我在呢")
	assert.NotContains(t, live, "<script>document")

	at := h.judged()
	decision := h.get(at)
	assert.Contains(t, decision, "有人 @ 我")
	assert.Contains(t, decision, "✓")
	assert.Contains(t, decision, "我在呢")
	assert.Contains(t, decision, "spoke")
	assert.NotContains(t, decision, "<script>document")

	call := h.link(at, "/bot/0/call")
	text := h.get(call)
	assert.Contains(t, text, "recent")
	assert.Contains(t, text, "U qq:group:1", "the label of the message")
	assert.Contains(t, text, "你是小炉")

	before := len(h.model.Prompts())
	status, again := h.do(http.MethodPost, "/bot/0/try", ownerToken, url.Values{"seq": {regexp.MustCompile(`\d+$`).FindString(call)}, "system": {"你是小炉"}, "prompt": {"改过的"}})
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, again, "我在呢")
	require.Len(t, h.model.Prompts(), before+1)
	assert.Contains(t, h.model.Prompts()[before].Human(), "改过的")
	assert.Len(t, h.qq.Sent(), 1, "nothing was sent")
}

// A reader sees groups and decisions, and no private chat, prompt or memory. Nothing without a token, from another page or host.
func TestAccess(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("好")))
	h.friend.Say(onebot.Message{onebot.Text("这是秘密")})
	_, err := h.qq.WaitSent(t.Context(), 1)
	require.NoError(t, err)
	h.calls("群里的话")
	require.Contains(t, h.get("/bot/0/"), "这是秘密")
	decision := h.link("/bot/0/", "/bot/0/decision")

	for _, path := range []string{"/", "/bot/0/", decision, "/bot/0/memory", "/bot/0/people", "/bot/0/notes", "/bot/0/documents", "/bot/0/plans", "/bot/0/events", "/bot/0/whatif?chat=qq:group:1", "/bot/0/plan?id=s1", "/bot/0/conversations", "/bot/0/waiting", "/bot/0/tools", "/bot/0/settings?chat=qq:group:1", "/bot/0/changes", "/bot/0/day", "/bot/0/day/events", expressionsPath} {
		for _, token := range []string{"", "wrong", ownerToken + "x"} {
			status, body := h.do(http.MethodGet, path, token, nil)
			assert.Equal(t, http.StatusUnauthorized, status, path)
			assert.NotContains(t, body, "群里的话")
		}
	}
	status, live := h.do(http.MethodGet, "/bot/0/", readToken, nil)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, live, "群里的话")
	assert.NotContains(t, live, "秘密")
	assert.NotContains(t, live, "1001", "nor whose private chat it is")
	for _, path := range []string{"/bot/0/memory", "/bot/0/plans", "/bot/0/call?seq=1", "/bot/0/record?space=x&id=y", "/bot/0/whatif?chat=qq:group:1", "/bot/0/plan?id=s1", "/bot/0/conversations", "/bot/0/waiting", "/bot/0/tools", "/bot/0/settings?chat=qq:group:1", "/bot/0/changes", expressionsPath,
		"/bot/0/change?space=x&id=y&do=forget", "/bot/0/people", "/bot/0/person?platform=qq&id=1001", "/bot/0/person/forget?platform=qq&id=1001", "/bot/0/notes",
		"/bot/0/covered?space=x&first=1&last=2", "/bot/0/documents", "/bot/0/document?name=x", "/bot/0/document/restore?name=x&version=1",
	} {
		status, _ := h.do(http.MethodGet, path, readToken, nil)
		assert.Equal(t, http.StatusForbidden, status, path)
	}
	status, _ = h.do(http.MethodGet, "/bot/0/chat?chat=qq:private:1001", readToken, nil)
	assert.Equal(t, http.StatusNotFound, status)
	for _, path := range []string{"/bot/0/try", "/bot/0/record", "/bot/0/mute", "/bot/0/change", "/bot/0/person/forget", "/bot/0/document/restore", "/bot/0/plans", "/bot/0/plan", "/bot/0/waiting", "/bot/0/tools", "/bot/0/settings", "/bot/0/talk", "/bot/0/expressions"} {
		status, _ := h.do(http.MethodPost, path, readToken, url.Values{})
		assert.Equal(t, http.StatusForbidden, status, path)
	}
	crossSite := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	status, _ = h.do(http.MethodPost, "/bot/0/mute", ownerToken, url.Values{"chat": {"qq:group:1"}}, crossSite)
	assert.Equal(t, http.StatusForbidden, status)
	status, _ = h.do(http.MethodGet, "/", ownerToken, nil, func(r *http.Request) { r.Host = "evil.example" })
	assert.Equal(t, http.StatusMisdirectedRequest, status)

	_, err = inspect.New(inspect.Options{Bots: []inspect.Named{{Bot: h.bot}}, Token: "short"})
	assert.ErrorContains(t, err, "shorter than 16")
	_, err = inspect.New(inspect.Options{Token: ownerToken})
	assert.ErrorContains(t, err, "Bots is empty")
}

// A record is found with the terms of its score, hidden, shown again, endorsed and forgotten with what was kept of it.
func TestPages_Memory(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("好")))
	h.calls("我养了一只叫年糕的猫 " + hostile)
	found := h.get("/bot/0/memory?q=" + url.QueryEscape("年糕"))
	assert.Contains(t, found, `aria-label="用词"`)
	assert.NotContains(t, found, "<script>document")
	path := h.link("/bot/0/memory?q="+url.QueryEscape("年糕"), "/bot/0/record")
	q, err := url.ParseQuery(path[strings.IndexByte(path, '?')+1:])
	require.NoError(t, err)
	assert.Contains(t, h.get(path), "U qq:group:1")
	change := func(do string, form url.Values) {
		t.Helper()
		form.Set("do", do)
		status, body := h.do(http.MethodPost, "/bot/0/record", ownerToken, form)
		require.Equal(t, http.StatusOK, status, body) // after the redirect
	}
	change("hide", q)
	hidden := url.Values{"space": {string(memory.Space(q.Get("space")).Secret())}, "id": {q.Get("id")}}
	assert.Contains(t, h.get("/bot/0/record?"+hidden.Encode()), `value="reveal"`)
	change("reveal", hidden)
	change("endorse", q)
	assert.Contains(t, h.get(path), "T qq:group:1")

	require.NotEmpty(t, h.link("/bot/0/", "/bot/0/decision"))
	change("forget", q)
	assert.NotContains(t, h.get("/bot/0/"), "年糕")
	status, _ := h.do(http.MethodGet, path, ownerToken, nil)
	assert.Equal(t, http.StatusNotFound, status)
	assert.NotContains(t, h.get("/bot/0/memory?q="+url.QueryEscape("年糕")), "一只叫")
}

// What is retracted or erased is gone from the pages, with the prompts that show it.
func TestPages_Forgetting(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("好")))
	id := h.group.Say(ann, onebot.Message{onebot.At(self), onebot.Text(" 说漏嘴了")})
	_, err := h.qq.WaitSent(t.Context(), 1)
	require.NoError(t, err)
	call := h.link(h.judged(), "/bot/0/call")
	require.Contains(t, h.get(call), "说漏嘴了")
	h.qq.Recall(id)
	require.Eventually(t, func() bool { return !strings.Contains(h.get("/bot/0/"), "说漏嘴了") }, patience, 20*time.Millisecond)
	status, _ := h.do(http.MethodGet, call, ownerToken, nil)
	assert.Equal(t, http.StatusNotFound, status)

	h.calls("我叫安安")
	_, err = h.bot.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
	require.NoError(t, err)
	assert.NotContains(t, h.get("/bot/0/"), "安安")
}
