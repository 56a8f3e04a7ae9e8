package inspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A lifeHouse is a house whose bot has a life of its own, keeps its data in a file, and can be stopped and started again.
type lifeHouse struct {
	house
	path    string
	unclear atomic.Bool // sends have no known outcome
	stop    func()
}

// An unclearLink loses sends.
type unclearLink struct {
	social.Link
	unclear *atomic.Bool
}

func (l unclearLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	if l.unclear.Load() {
		return "", social.ErrUnclear
	}
	return l.Link.Send(ctx, chat, out)
}

func (l unclearLink) Features() social.LinkFeatures { return social.FeaturesOf(l.Link) }

func newLifeHouse(t *testing.T, answer string) *lifeHouse {
	t.Helper()
	h := &lifeHouse{house: house{T: t, model: modeltest.Always(modeltest.Say(answer)), qq: onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})}, path: filepath.Join(t.TempDir(), "bot.db")}
	t.Cleanup(h.qq.Close)
	h.group = h.qq.Group(1, "技术群")
	h.group.Member(ann, "安")
	h.friend = h.qq.Friend(ann, "安")
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

func (h *lifeHouse) start() {
	h.Helper()
	db, err := sqlite.Open(h.path, sqlite.Options{})
	require.NoError(h, err)
	client, err := onebot.NewClient(h.qq.Start(), onebot.Options{})
	require.NoError(h, err)
	ctx, cancel := context.WithCancel(context.Background())
	opts, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: h.model, Link: unclearLink{onebotlink.New(client, onebotlink.Options{}), &h.unclear}, Storage: social.Storage{Store: db},
		When: social.When{Attention: heartflow.Options{Policy: heartflow.MentionOnly{}}}, Access: social.Access{Requests: social.AskOwner},
		Background: social.Background{Autonomy: &social.Autonomy{Planner: schedule.PlannerOptions{BackgroundPerHour: -1, ReflectEvery: -1}}},
	})
	require.NoError(h, err)
	opts.Background.Digest, opts.Reply.Speech, opts.Reply.Excuses = nil, nil, nil
	h.bot, err = social.New(preset.Scale(opts, 50))
	require.NoError(h, err)
	pages, err := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: "小炉", Bot: h.bot}}, Token: ownerToken, ReadToken: readToken})
	require.NoError(h, err)
	h.server = httptest.NewServer(pages)
	ended := make(chan error, 1)
	go func() { ended <- h.bot.Run(ctx) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(h, <-ended)
		pages.Close()
		h.server.Close()
		assert.NoError(h, db.Close())
	})
	require.NoError(h, h.qq.WaitLink(h.Context()))
	_, err = h.bot.Agenda(h.Context()) // waits until the bot has started
	require.NoError(h, err)
}

// restart starts the bot again with its file.
func (h *lifeHouse) restart() {
	h.Helper()
	h.stop()
	h.start()
}

// post sends a form, and returns the page after the redirect. want is the status.
func (h *lifeHouse) post(want int, path string, form ...string) string {
	h.Helper()
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Set(form[i], form[i+1])
	}
	status, body := h.do(http.MethodPost, path, ownerToken, values)
	require.Equal(h, want, status, body)
	return body
}

// waits returns the page when it has a text.
func (h *lifeHouse) waits(path, pattern string) []string {
	h.Helper()
	var found []string
	match := regexp.MustCompile(pattern)
	require.Eventually(h, func() bool {
		found = match.FindStringSubmatch(h.get(path))
		return found != nil
	}, patience, 20*time.Millisecond, "%s: %s", path, pattern)
	return found
}

func (h *lifeHouse) addTask(title string, in time.Duration) string {
	h.Helper()
	task, err := h.bot.AddTask(h.Context(), schedule.Task{Title: title, Motivation: "有人要 " + hostile, ScheduledAt: time.Now().Add(in), Origin: schedule.Origin{Chat: groupChat}})
	require.NoError(h, err)
	return task.ID
}

var groupChat = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

// The owner moves and cancels tasks, changes the heartbeat and lets the bot sleep; it holds after a restart. What is not possible is
// explained, and changes nothing.
func TestPages_Plans(t *testing.T) {
	h := newLifeHouse(t, "好")
	later, never := h.addTask("浇花", 30*24*time.Hour), h.addTask("不浇花", 30*24*time.Hour)
	page := h.get("/bot/0/plans")
	assert.Contains(t, page, "浇花")
	assert.NotContains(t, page, "<script>document")
	assert.Contains(t, h.get("/bot/0/plan?id="+later), "cancel")
	at := time.Now().Add(90 * 24 * time.Hour).Truncate(time.Minute)
	moved := h.post(http.StatusOK, "/bot/0/plan", "id", later, "do", "postpone", "at", at.Format("2006-01-02T15:04"))
	assert.Contains(t, moved, at.Format("2006-01-02 15:04"))
	assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/plan", "id", later, "do", "postpone", "at", "2001-01-01T00:00"), "已经过了")
	assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/plan", "id", later, "do", "postpone", "at", "明天"), "看不懂")
	h.post(http.StatusOK, "/bot/0/plan", "id", never, "do", "cancel")
	assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/plan", "id", never, "do", "cancel"), "已经开始做了，或者已经结束了")
	h.post(http.StatusNotFound, "/bot/0/plan", "id", "s99", "do", "cancel")
	h.post(http.StatusNotFound, "/bot/0/plans", "do", "?")

	h.post(http.StatusOK, "/bot/0/plans", "do", "interval", "interval", "10m")
	h.post(http.StatusOK, "/bot/0/plans", "do", "off")
	assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/plans", "do", "interval", "interval", "5h"), "1 秒到 1 小时")
	assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/plans", "do", "interval", "interval", "often"), "看不懂")
	assert.Contains(t, h.post(http.StatusOK, "/bot/0/plans", "do", "sleep", "for", "8h"), "在睡觉")
	h.restart()
	page = h.get("/bot/0/plans")
	assert.Contains(t, page, "在睡觉")
	assert.Contains(t, page, `value="10m0s"`)
	assert.Contains(t, page, `value="on"`, "the heartbeat is off")
	assert.Contains(t, page, at.Format("2006-01-02 15:04"))
	assert.Regexp(t, `取消了 <bdi>不浇花`, page)
	assert.NotContains(t, h.post(http.StatusOK, "/bot/0/plans", "do", "wake"), "在睡觉")
	h.post(http.StatusOK, "/bot/0/plans", "do", "on")

	changes := h.get("/bot/0/changes")
	for _, want := range []string{"网页", "计划的事 " + later, "计划的事 " + never, "心跳", "睡觉"} {
		assert.Contains(t, changes, want)
	}
	assert.NotContains(t, changes, "浇花", "no words of plans")
	h.addTask("现在就做", 0)
	h.waits("/bot/0/plans", `做计划的事</td>`)
}

// A send that may have been delivered waits over a restart until the owner says what happened. It is not sent again.
func TestPages_Unclear(t *testing.T) {
	for _, sent := range []bool{true, false} {
		t.Run(fmt.Sprint(sent), func(t *testing.T) {
			h := newLifeHouse(t, "送到了吗 "+hostile)
			h.unclear.Store(true)
			h.group.Say(ann, onebot.Message{onebot.At(self), onebot.Text(" 在吗")})
			id := h.waits("/bot/0/waiting", `name="id" value="([^"]+)"`)[1]
			assert.NotContains(t, h.get("/bot/0/waiting"), "<script>document")
			h.unclear.Store(false)
			h.restart()
			h.waits("/bot/0/waiting", `name="id" value="`+regexp.QuoteMeta(id)+`"`)
			do := map[bool]string{true: "sent", false: "unsent"}[sent]
			assert.NotContains(t, h.post(http.StatusOK, "/bot/0/waiting", "id", id, "do", do), "送到了吗")
			assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/waiting", "id", id, "do", do), "已经处理过了")
			h.restart()
			assert.NotContains(t, h.get("/bot/0/waiting"), "送到了吗")
			found := h.get("/bot/0/memory?q=" + url.QueryEscape("送到了吗"))
			assert.Equal(t, sent, regexp.MustCompile(`<bdi>送到了吗`).MatchString(found) || regexp.MustCompile(`送到了吗 &lt;/td&gt;`).MatchString(found), "it is in the history")
			assert.Empty(t, h.qq.Sent())
		})
	}
}

// A request waits over a restart, and is answered once.
func TestPages_Requests(t *testing.T) {
	h := newLifeHouse(t, "好")
	h.qq.FriendRequest(3001, "小满", "加我 "+hostile)
	id := h.waits("/bot/0/waiting", `name="id" value="([^"]+)"`)[1]
	assert.NotContains(t, h.get("/bot/0/waiting"), "<script>document")
	h.restart()
	page := h.get("/bot/0/waiting")
	assert.Contains(t, page, "加我")
	assert.NotContains(t, h.post(http.StatusOK, "/bot/0/waiting", "id", id, "kind", "friend", "platform", "qq", "do", "reject", "reason", "不认识"), "加我")
	h.post(http.StatusUnprocessableEntity, "/bot/0/waiting", "id", id, "kind", "friend", "platform", "qq", "do", "approve")
	all := h.qq.Requests()
	require.Len(t, all, 1)
	assert.True(t, all[0].Answered)
	assert.False(t, all[0].Approved)
	h.restart()
	assert.NotContains(t, h.get("/bot/0/waiting"), "加我")
	_, err := h.bot.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "3001"}, nil)
	require.NoError(t, err)
	assert.NotContains(t, h.get("/bot/0/changes"), "3001")
}

// A plugin is switched off and on, also over a restart.
func TestPages_Tools(t *testing.T) {
	h := newLifeHouse(t, "好")
	page := h.get("/bot/0/tools")
	assert.Regexp(t, `<code>qq_send_text</code></td><td>L1</td><td>聊天`, page)
	h.post(http.StatusOK, "/bot/0/tools", "do", "off", "plugin", "social_adapter")
	h.restart()
	page = h.get("/bot/0/tools")
	assert.Contains(t, page, "关了")
	assert.Regexp(t, `<code>qq_send_text</code></td><td>L1</td><td>没有`, page)
	h.post(http.StatusOK, "/bot/0/tools", "do", "on", "plugin", "social_adapter")
	assert.Contains(t, h.post(http.StatusOK, "/bot/0/tools", "do", "unload"), "没装")
	assert.NotContains(t, h.post(http.StatusOK, "/bot/0/tools", "do", "load"), "没装")
	assert.Contains(t, h.post(http.StatusUnprocessableEntity, "/bot/0/tools", "do", "off", "plugin", "?"), "不能开关")
	assert.Contains(t, h.get("/bot/0/changes"), "插件 social_adapter")
}

// The settings of a chat are edited in a form. What is wrong is said at its field and nothing is lost of what was written.
func TestPages_Settings(t *testing.T) {
	h := newLifeHouse(t, "好")
	form := "/bot/0/settings?chat=qq:group:1"
	assert.Contains(t, h.get(form), "<bdi>小炉</bdi>", "the default of the names")
	saved := []string{
		"chat", "qq:group:1", "off", "", "names", "小炉\r\n炉子 " + hostile, "keywords_none", "1", "policy", "interject", "quiet_hours", "23:00-07:30", "max_replies", "7", "public", "false",
	}
	page := h.post(http.StatusOK, "/bot/0/settings", saved...)
	assert.NotContains(t, page, "<script>document")
	h.restart()
	all, err := h.bot.Overrides(t.Context())
	require.NoError(t, err)
	no := false
	want := social.ChatSettings{Names: []string{"小炉", "炉子 " + hostile}, Keywords: []string{}, Policy: "interject", QuietHours: []heartflow.Span{{From: 23 * time.Hour, To: 7*time.Hour + 30*time.Minute}}, MaxReplies: 7, Public: &no}
	assert.Equal(t, want, all[groupChat])
	assert.Contains(t, h.get("/bot/0/chat?chat=qq:group:1"), "最多回几条")
	h.post(http.StatusOK, "/bot/0/settings", saved...)
	changed, err := h.bot.Changes(t.Context())
	require.NoError(t, err)
	assert.Len(t, changed, 6, "the second time nothing changed")
	assert.Equal(t, "page", changed[0].By)

	for field, wrong := range map[string][2]string{
		"max_replies": {"多", "整数"}, "quiet_hours": {"晚上", "23:00-07:30 这样"}, "banned_patterns": {"(", "missing closing"}, "max_interjections": {"99999", "1000"}, "policy": {"?", "is no policy"},
	} {
		page := h.post(http.StatusUnprocessableEntity, "/bot/0/settings", "chat", "qq:group:1", "names", "改过的", field, wrong[0])
		assert.Contains(t, page, wrong[1], field)
		assert.Contains(t, page, "改过的", "what was written stays")
	}
	all, err = h.bot.Overrides(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, all[groupChat])
	h.post(http.StatusOK, "/bot/0/settings", "chat", "qq:group:1", "do", "reset")
	all, err = h.bot.Overrides(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)
	h.post(http.StatusNotFound, "/bot/0/settings", "chat", "?")

	assert.Contains(t, h.post(http.StatusOK, "/bot/0/mute", "chat", "qq:group:1", "for", "3h"), "安静着")
	h.restart()
	assert.WithinDuration(t, time.Now().Add(3*time.Hour), h.bot.ChatStatus(groupChat).QuietUntil, time.Minute)
	assert.NotContains(t, h.post(http.StatusOK, "/bot/0/mute", "chat", "qq:group:1", "end", "1"), "安静着")
	h.post(http.StatusUnprocessableEntity, "/bot/0/mute", "chat", "qq:group:1", "for", "long")
}

// The pages work in a browser also when they are full, with hostile text as text.
func TestPages_LifeBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newLifeHouse(t, "我在呢 "+hostile)
	task := h.addTask("浇花 "+hostile, 30*24*time.Hour)
	h.addTask("现在就做", 0)
	h.waits("/bot/0/plans", `做计划的事</td>`)
	h.qq.FriendRequest(3001, "小满"+hostile, "加我 "+hostile)
	h.unclear.Store(true)
	h.group.Say(ann, onebot.Message{onebot.At(self), onebot.Text(" 在吗")})
	h.waits("/bot/0/waiting", `value="sent"`)
	h.waits("/bot/0/waiting", `value="approve"`)
	h.post(http.StatusOK, "/bot/0/settings", "chat", "qq:group:1", "names", hostile, "max_replies", "7")
	h.post(http.StatusOK, "/bot/0/tools", "do", "off", "plugin", "self")
	signIn(t, b, h.server.URL, browsertest.Screen{Width: 800, Height: 600})
	for _, s := range looks {
		p := b.Page(s.Screen)
		p.Load(h.server.URL + "/bot/0/?lang=" + s.lang)
		for name, path := range map[string]string{
			"plans": "/bot/0/plans", "plan": "/bot/0/plan?id=" + task, "conversations": "/bot/0/conversations", "waiting": "/bot/0/waiting", "tools": "/bot/0/tools",
			"settings": "/bot/0/settings?chat=qq:group:1", "changes": "/bot/0/changes", "chat": "/bot/0/chat?chat=qq:group:1",
		} {
			p.Load(h.server.URL + path)
			about := fmt.Sprint(name, s)
			assert.Equal(t, "小炉 · hearth", browsertest.Value[string](p, `document.title`), about)
			assert.Empty(t, p.Errors(), about)
			assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), s.Width, about)
			assert.Empty(t, p.Pale("h1, h2, h3, p, time, bdi, td, th, li, a, dt, dd, span, pre, code, button, label, summary, input, select, textarea"), about)
			assert.Zero(t, browsertest.Value[int](p, `[...document.querySelectorAll("input:not([type=hidden], [hidden]), textarea, select")].filter(e => !e.labels.length).length`), about)
			if s.lang == "en" {
				assert.False(t, regexp.MustCompile(`[a-z]+_[a-z_]+_help|\b(ch|set|by|wake|task)_`).MatchString(browsertest.Value[string](p, `[...document.querySelectorAll("label, p, th, dt, h2, h3, td:not(:has(code))")].map(e => e.innerText).join("\n")`)), about+": a text is missing")
			}
			if *shots != "" {
				require.NoError(t, os.WriteFile(filepath.Join(*shots, fmt.Sprintf("life-%s-%d-%v.png", name, s.Width, s.Dark)), p.Screenshot(), 0o644))
			}
		}
	}
}
