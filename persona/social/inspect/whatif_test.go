package inspect_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// says lets somebody say something that does not address the bot, and waits until it was judged.
func (h *house) says(text string) {
	h.Helper()
	before := h.bot.Stats().SilentBatches
	h.group.Say(ann, onebot.Message{onebot.Text(text)})
	require.Eventually(h, func() bool { return h.bot.Stats().SilentBatches > before }, patience, 10*time.Millisecond)
}

// From a decision to the same moment under other settings, with the gates of both side by side and the stretch before it.
func TestPages_WhatIf(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("我在呢")))
	h.says("今天吃火锅 " + hostile)
	h.calls("在吗")
	prompts, sent := len(h.model.Prompts()), len(h.qq.Sent())
	at := h.link(h.judged(), "/bot/0/whatif")
	page := h.get(at)
	for _, text := range []string{"两套设置结果一样", "当时", "重放：改过的设置", "在吗", "有人 @ 我", "说了", "100%", "模型会怎么答", "叫到才说"} {
		assert.Contains(t, page, text)
	}
	assert.NotContains(t, page, "<script>document")

	keyword := h.get(at + "&keywords=" + url.QueryEscape("火锅，烤肉"))
	assert.Contains(t, keyword, "<strong>1 条消息结果不同</strong>")
	assert.Contains(t, keyword, `value="火锅，烤肉"`, "the address keeps the form")
	assert.Contains(t, keyword, `<a href="#m1">`)
	assert.Contains(t, keyword, `<tr id="m1" class="differs">`)

	capped := h.get(at + "&max_replies=1&policy=interject")
	assert.Contains(t, capped, "✓ 0 / 1", "the gate under the changed settings")
	assert.Contains(t, capped, `<option value="interject" selected>`)

	chat := h.get(h.link("/bot/0/chat?chat=qq:group:1", "/bot/0/whatif") + "&off=yes&range=all&lang=en")
	for _, text := range []string{"At this moment", "I am turned off here", "1 messages are decided differently", "What a model would have answered", `<option value="all" selected>`} {
		assert.Contains(t, chat, text)
	}
	assert.Len(t, h.model.Prompts(), prompts, "no model was asked")
	assert.Len(t, h.qq.Sent(), sent, "nothing was sent")
}

// Each invalid value has its error beside it, in the language of the page, and nothing is replayed.
func TestPages_WhatIfErrors(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("好")))
	h.calls("在吗")
	at := h.link(h.judged(), "/bot/0/whatif")
	for query, both := range map[string][2]string{
		"policy=loud": {"从列表里选一个", "choose one of the list"}, "names=%20,%E2%80%8B": {"看得见的字", "visible character"}, "keywords=%E2%80%8B": {"看得见的字", "visible character"},
		"banned_words=%E2%80%8B": {"看得见的字", "visible character"}, "quiet_hours=night": {"23:00-07:30", "23:00-07:30"}, "max_replies=-1": {"大于 0", "above 0"},
		"window_minutes=1.5": {"大于 0", "above 0"}, "max_consecutive=" + url.QueryEscape(hostile): {"大于 0", "above 0"}, "off=maybe": {"选是或者否", "Choose yes or no"},
	} {
		for i, lang := range []string{"zh", "en"} {
			page := h.get(at + "&lang=" + lang + "&" + query)
			assert.Contains(t, page, both[i], query)
			assert.Contains(t, page, `aria-invalid="true"`, query)
			assert.NotContains(t, page, `id="m1"`, query)
			assert.NotContains(t, page, "<script>document")
		}
	}
	assert.Contains(t, h.get(at+"&names=-&quiet_hours=-&banned_words=-&max_replies=3&speak_less=yes"), `id="m1"`, "valid values are replayed")
	for path, want := range map[string]int{
		"/bot/0/whatif": http.StatusNotFound, "/bot/0/whatif?seq=99999": http.StatusNotFound, "/bot/0/whatif?chat=qq:group:404": http.StatusOK,
		"/bot/0/whatif?chat=app:private:master": http.StatusOK, at + "&until=x": http.StatusOK,
	} {
		status, _ := h.do(http.MethodGet, path, ownerToken, nil)
		assert.Equal(t, want, status, path)
	}
	for token, want := range map[string]int{readToken: http.StatusForbidden, "": http.StatusUnauthorized} {
		status, body := h.do(http.MethodGet, at, token, nil)
		assert.Equal(t, want, status)
		assert.NotContains(t, body, "在吗")
	}
	status, page := h.do(http.MethodGet, strings.TrimSuffix(h.judged(), "x"), readToken, nil)
	assert.Equal(t, http.StatusOK, status)
	assert.NotContains(t, page, "whatif", "a reader is not offered what it may not open")
}
