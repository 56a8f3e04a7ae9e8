package inspect_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var groupOne = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

// A reader sees the state of the link with its latency, the budget and the usage; and after a drop why and when.
func TestPages_Health(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("我在呢")))
	h.qq.Handle("send_group_msg", func(json.RawMessage) (any, error) {
		time.Sleep(300 * time.Millisecond)
		return map[string]any{"message_id": 77}, nil
	})
	h.group.Say(ann, onebot.Message{onebot.At(self), onebot.Text(" 在吗")})
	shows := func(path, token string, all ...string) {
		t.Helper()
		var page string
		require.Eventually(t, func() bool {
			_, page = h.do(http.MethodGet, path, token, nil)
			for _, text := range all {
				if !strings.Contains(page, text) {
					return false
				}
			}
			return true
		}, patience, 20*time.Millisecond, "%v", all)
	}
	shows("/bot/0/?lang=zh", readToken, "qq 10000", "在线", " 毫秒", "0 次", "（0 / 64 MB）", "最近一小时", " / 12,000,000（0%）", " / 96,000,000（", "不受限制", "用途：回复", "合计")
	slow := regexp.MustCompile(` / (\d{3,}) 毫秒`) // of the call that took 300 ms at least
	require.Eventually(t, func() bool { return slow.MatchString(h.get("/bot/0/?lang=zh")) }, patience, 20*time.Millisecond)
	shows("/bot/0/?lang=en", readToken, "online", " ms", "(0 / 64 MB)", "last hour", "no restriction", "purpose: reply", "total")
	shows("/bot/0/chat?chat=qq:group:1&lang=zh", readToken, "最近 24 小时", "一共 2 条消息，其中机器人说了 1 条", "<svg", `class="own"`, "最近一天", "（不限）")
	shows("/bot/0/chat?chat=qq:group:1&lang=en", readToken, "2 messages, 1 of them by the bot", "(no limit)")
	status, _ := h.do(http.MethodGet, "/bot/0/chat?chat=qq:private:1001", readToken, nil)
	assert.Equal(t, http.StatusNotFound, status)
	_, page := h.do(http.MethodGet, "/bot/0/", readToken, nil)
	assert.NotContains(t, page, "费用", "no prices are given")

	h.qq.DropLinks()
	shows("/bot/0/?lang=zh", readToken, "1 次，上次断在 ", "onebot: read")
	require.NoError(t, h.qq.WaitLink(t.Context()))
	h.qq.RefuseConnections(true)
	h.qq.DropLinks()
	shows("/bot/0/?lang=zh", readToken, "断开，已 ", `class="stop"`)
	h.qq.RefuseConnections(false)
}

// What was forgotten is not counted.
func TestPages_TimelineForgets(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("好")))
	h.calls("记一下")
	chat := "/bot/0/chat?chat=qq:group:1&lang=zh"
	require.Eventually(t, func() bool { return strings.Contains(h.get(chat), "一共 2 条消息") }, patience, 20*time.Millisecond)
	assert.Contains(t, h.get(chat), "，最多的一小时是 ")
	_, err := h.bot.EraseChat(t.Context(), groupOne, nil)
	require.NoError(t, err)
	assert.Contains(t, h.get(chat), "一共 0 条消息，其中机器人说了 0 条")
}

// The numbers of an open page change in place: no row is replaced and nothing moves.
func TestPages_HealthStaysInPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newHouse(t, modeltest.Always(modeltest.Say("我在呢")))
	h.calls("在吗")
	signIn(t, b, h.server.URL, browsertest.Screen{Width: 800, Height: 600})
	for _, s := range []browsertest.Screen{{Width: 1280, Height: 900}, {Width: 360, Height: 740, Touch: true}} {
		p := b.Page(s)
		p.Load(h.server.URL + "/bot/0/")
		p.Eval(`document.querySelector("details").open = true`, nil)
		p.Eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`, nil)
		p.Eval(`window.kept = [...document.querySelectorAll("#links tbody tr, #budget tbody tr, #usage tbody tr")]; window.shift = 0;
			new PerformanceObserver(l => { for (const e of l.getEntries()) for (const n of e.sources) if (n.node && n.node.parentElement && n.node.parentElement.closest(".numbers")) window.shift += e.value }).observe({type: "layout-shift"})`, nil)
		before := browsertest.Value[string](p, `document.getElementById("budget").innerText`)
		h.calls("还在吗")
		require.Eventually(t, func() bool {
			return browsertest.Value[string](p, `document.getElementById("budget").innerText`) != before
		}, time.Minute, 50*time.Millisecond)
		assert.True(t, browsertest.Value[bool](p, `kept.length > 4 && kept.every(r => r.isConnected)`))
		assert.Zero(t, browsertest.Value[float64](p, `window.shift`), s)
		h.qq.DropLinks()
		require.Eventually(t, func() bool {
			return strings.Contains(browsertest.Value[string](p, `document.getElementById("links").innerText`), "onebot: read")
		}, time.Minute, 50*time.Millisecond)
		require.NoError(t, h.qq.WaitLink(t.Context()))
		assert.Empty(t, p.Errors())
	}
}

// With prices the usage has its cost. Names of models are shown as text.
func TestPages_Cost(t *testing.T) {
	bot := &pricedBot{}
	pages, err := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: "炉", Bot: bot}}, Token: ownerToken, Prices: models.Prices{hostile: {Prompt: 2, Cached: .2, Answer: 3}}})
	require.NoError(t, err)
	defer pages.Close()
	ask := func(lang string) string {
		r := httptest.NewRequest(http.MethodGet, "/bot/0/?lang="+lang, nil)
		r.Host = "localhost"
		r.Header.Set("Authorization", "Bearer "+ownerToken)
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	page := ask("zh")
	assert.Contains(t, page, "费用按 -price 里的单价算")
	assert.Contains(t, page, "<bdi>3.2000</bdi>", "of the model, with its cache")
	assert.Equal(t, 2, strings.Count(page, "<bdi>3.2000</bdi>"), "the other model has no price, so the total is the same")
	assert.Contains(t, page, "<bdi>1,500,000</bdi>")
	assert.Contains(t, page, "<bdi>67%</bdi>")
	assert.Contains(t, page, "（没有名字的模型）")
	assert.NotContains(t, page, "<script>document")
	assert.Contains(t, ask("en"), "The cost is that of the prices")
}

// A pricedBot has used two models, one of them without a name.
type pricedBot struct{ busyBot }

func (b *pricedBot) UsageByModel() map[string]models.Usage {
	return map[string]models.Usage{hostile: {Calls: 3, Prompt: 1_500_000, CacheRead: 1_000_000, Completion: 666_666 + 1}, "": {Calls: 1, Failed: 1, Prompt: 10}}
}
