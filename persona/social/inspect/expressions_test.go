package inspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/modeltest"
)

const expressionsPath = "/bot/0/expressions?chat=qq:group:1"

// talksLikeUs gives the group a word of its own and hostile messages with it.
func (h *house) talksLikeUs() {
	h.Helper()
	var recs []memory.Record
	for day := range 9 {
		at := time.Now().Add(time.Duration(day-9) * 24 * time.Hour)
		for i, text := range []string{"今天又敲木鱼了 " + hostile, "谁在敲木鱼", "敲木鱼有用吗"} {
			recs = append(recs, memory.Record{ID: fmt.Sprint("e", day, "-", i), Space: groupSpace, Kind: memory.KindMessage, Person: fmt.Sprint(2000 + (day+i)%3), Text: text, At: at.Add(time.Duration(i) * time.Hour)})
		}
	}
	for i, text := range []string{"你好", "早"} {
		recs = append(recs, memory.Record{ID: fmt.Sprint("o", i), Space: otherSpace, Kind: memory.KindMessage, Person: "1001", Text: text, At: time.Now()})
	}
	require.NoError(h, h.bot.Memory().Put(h.Context(), recs...))
}

// The owner sees what was learned in a group, explains it, forbids it and allows it again.
func TestPages_Expressions(t *testing.T) {
	h := newHouse(t, modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if strings.Contains(p.Human(), "## 现在：群里的说法") {
			return modeltest.Say(`{"words": [{"word": "敲木鱼", "meaning": "一种乐器", "kind": "topic"}]}`)
		}
		return modeltest.Say("好")
	}))
	h.calls("在吗")
	h.talksLikeUs()
	h.safe("/bot/0/expressions?chat=qq:group:2")
	assert.Contains(t, h.safe(expressionsPath), "还没学到")
	post := func(form url.Values) int {
		form.Set("chat", "qq:group:1")
		status, _ := h.do(http.MethodPost, "/bot/0/expressions", ownerToken, form)
		return status
	}
	require.Equal(t, http.StatusOK, post(url.Values{"do": {"learn"}}))
	page := h.safe(expressionsPath)
	assert.Contains(t, page, "<bdi>敲木鱼</bdi>")
	assert.Contains(t, page, "谁在敲木鱼")
	require.Eventually(t, func() bool { return strings.Contains(h.safe(expressionsPath), "一种乐器") }, 30*time.Second, 10*time.Millisecond)
	assert.Contains(t, h.safe(expressionsPath), "只是话题里的词")
	require.Equal(t, http.StatusOK, post(url.Values{"do": {"allow"}, "form": {"敲木鱼"}}))
	assert.NotContains(t, h.safe(expressionsPath), "只是话题里的词")
	require.Equal(t, http.StatusOK, post(url.Values{"do": {"explain"}, "form": {"敲木鱼"}, "meaning": {"求好运" + hostile}}))
	require.Equal(t, http.StatusOK, post(url.Values{"do": {"forbid"}, "form": {"敲木鱼"}}))
	page = h.safe(expressionsPath)
	assert.Contains(t, page, "求好运")
	assert.Contains(t, page, "已禁用")
	require.Equal(t, http.StatusOK, post(url.Values{"do": {"allow"}, "form": {"敲木鱼"}}))
	assert.NotContains(t, h.safe(expressionsPath), "已禁用")
	assert.Equal(t, http.StatusNotFound, post(url.Values{"do": {"forbid"}, "form": {"没有"}}))
	assert.Equal(t, http.StatusNotFound, post(url.Values{"do": {"x"}}))
	assert.NotContains(t, h.safe("/bot/0/expressions?chat=qq:group:2"), "<bdi>敲木鱼</bdi>")
}
