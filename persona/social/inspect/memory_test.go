package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	groupSpace = memory.Space("qq:group:1")
	otherSpace = memory.Space("qq:group:2")
	bea        = "1002"
)

// onDisk stores the memory of a bot in a SQLite file. The bot plans nothing by itself.
func onDisk(t *testing.T) func(*social.Options) {
	return func(o *social.Options) {
		db, err := sqlite.Open(filepath.Join(t.TempDir(), "bot.db"), sqlite.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		o.Storage.Store, o.Background.Autonomy = db, nil
	}
}

// fill stores two people with every kind of data, and hostile text in every field that people or models write.
func (h *house) fill() {
	h.Helper()
	m, ctx := h.bot.Memory(), h.Context()
	at := time.Now().Add(-48 * time.Hour)
	say := func(s memory.Space, id, person, name, text string) memory.Record {
		at = at.Add(time.Minute)
		return memory.Record{ID: id, Space: s, Kind: memory.KindMessage, Person: person, Name: name, Text: text, At: at}
	}
	require.NoError(h, m.Put(ctx,
		say(groupSpace, "a1", "1001", "安"+hostile, "年糕是我的猫"+hostile), say(groupSpace, "b1", bea, "贝", "我不养猫"), say(otherSpace, "a2", "1001", "安安", "在别的群"),
		memory.Record{ID: "f1", Space: groupSpace, Kind: memory.KindFact, Person: "1001", Text: "安养猫" + hostile, Sources: []string{"a1"}, Tags: []string{"from:1001", hostile}, At: at, Importance: .5},
		memory.Record{ID: "dream:1:0", Space: groupSpace, Kind: memory.KindFact, Text: "大家喜欢猫", Sources: []string{"f1"}, At: at}))
	require.NoError(h, m.SetSummary(ctx, groupSpace, memory.RollingSummary{Text: "聊了猫" + hostile, FirstSeq: 1, LastSeq: 1 << 20, At: at}))
	people, notes := m.People(groupSpace), m.Notes(groupSpace)
	require.NoError(h, people.SetImpression(ctx, at, "1001", "爱猫的人"+hostile, "a1", "gone"))
	_, err := people.RecordInteraction(ctx, at, "1001", memory.Interaction{Feeling: memory.Happy})
	require.NoError(h, err)
	require.NoError(h, people.LearnNicknames(ctx, at, nil, memory.NicknameUse{Person: "1001", Name: "猫奴<b>", UsedBy: bea, Reliable: true}, memory.NicknameUse{Person: bea, Name: "小贝", UsedBy: "1001", Reliable: true}))
	require.NoError(h, people.SetImpression(ctx, at, bea, "不爱猫", "b1"))
	require.NoError(h, notes.SetInnerState(ctx, at, "想摸猫"+hostile, "a1"))
	require.NoError(h, notes.SetSlot(ctx, at, "猫"+hostile, "1001 要送猫粮"+hostile))
	require.NoError(h, notes.SetScratch(ctx, at, "那次"+hostile, "便", "猫粮快到了"+hostile))
}

// post sends a form and returns the page after the redirect.
func (h *house) post(path string, form url.Values) string {
	h.Helper()
	status, body := h.do(http.MethodPost, path, ownerToken, form)
	require.Equal(h, http.StatusOK, status, body)
	return body
}

// safe checks that hostile text is shown as text.
func (h *house) safe(path string) string {
	h.Helper()
	body := h.get(path)
	assert.NotContains(h, body, "<script>document", path)
	assert.NotContains(h, body, "<img src=x", path)
	assert.NotContains(h, body, "<b>", path)
	return body
}

func recordQuery(s memory.Space, id string) url.Values {
	return url.Values{"space": {string(s)}, "id": {id}}
}

// stored reports whether a record is stored.
func (h *house) stored(s memory.Space, id string) bool {
	h.Helper()
	recs, err := h.bot.Memory().Get(h.Context(), s, id)
	require.NoError(h, err)
	return len(recs) == 1
}

// People are listed and found by name, nickname and id. A person's page has everything about them.
func TestPages_People(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), onDisk(t))
	assert.Contains(t, h.get("/bot/0/people"), "还不认识谁")
	h.fill()
	all := h.safe("/bot/0/people")
	for _, want := range []string{"qq:1001", "qq:1002", "安安", "爱猫的人", "小贝", "2 + 1"} {
		assert.Contains(t, all, want)
	}
	for q, want := range map[string][]bool{"1001": {true, false}, "QQ:1002": {false, true}, "安安": {true, false}, "小贝": {false, true}, "猫奴<": {true, false}, "没有": {false, false}, hostile: {true, false}} {
		found := h.safe("/bot/0/people?q=" + url.QueryEscape(q))
		assert.Equal(t, want, []bool{strings.Contains(found, ">qq:1001<"), strings.Contains(found, ">qq:1002<")}, q)
	}
	page := h.safe("/bot/0/person?platform=qq&id=1001")
	for _, want := range []string{"爱猫的人", "猫奴&lt;b&gt;", "安养猫", "年糕是我的猫", "在别的群", "要送猫粮", "想摸猫", "已经不在的条数： 1", "亲近", "大家喜欢猫"} {
		assert.Equal(t, want != "想摸猫" && want != "大家喜欢猫", strings.Contains(page, want), "%q: notes that name the person, records by and about them", want)
	}
	for path, want := range map[string]int{"platform=qq&id=404": 404, "platform=qq&id=": 404, "platform=other&id=1001": 404, "": 404, "platform=" + url.QueryEscape(hostile) + "&id=%00": 404} {
		status, body := h.do(http.MethodGet, "/bot/0/person?"+path, ownerToken, nil)
		assert.Equal(t, want, status, path)
		assert.NotContains(t, body, "<script>document")
	}
}

// A person is forgotten after a preview and a second step, with all accounts of the same person. Others stay.
func TestPages_ErasePerson(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), func(o *social.Options) {
		onDisk(t)(o)
		o.Access.SamePerson = [][]persona.Account{{{Platform: "qq", ID: "1001"}, {Platform: "qqbot", ID: "OPEN"}}}
	})
	h.fill()
	require.NoError(t, h.bot.Memory().Put(t.Context(), memory.Record{ID: "o1", Space: "qqbot:group:G", Kind: memory.KindMessage, Person: "OPEN", Name: "安", Text: "另一个账号", At: time.Now()}))
	assert.Contains(t, h.get("/bot/0/person?platform=qq&id=1001"), "qqbot:OPEN")
	const form = "/bot/0/person/forget?platform=qq&id=1001"
	preview := h.safe(form)
	for _, want := range []string{"qqbot:OPEN", "group_1", "group_2", "group_G", "大家喜欢猫", "要送猫粮", "想摸猫", "聊了猫", "不能恢复"} {
		if want == "聊了猫" {
			assert.NotContains(t, preview, want, "a summary is named by its chat")
			continue
		}
		assert.Contains(t, preview, strings.NewReplacer("group_1", "qq:group:1", "group_2", "qq:group:2", "group_G", "qqbot:group:G").Replace(want))
	}
	assert.Contains(t, preview, "一共 5", "two messages, the other account's, and two facts")
	assert.True(t, h.stored(groupSpace, "a1"), "a preview erases nothing")

	who := url.Values{"platform": {"qq"}, "id": {"1001"}}
	status, body := h.do(http.MethodPost, "/bot/0/person/forget", ownerToken, who)
	assert.Equal(t, http.StatusUnprocessableEntity, status, "the box is not ticked")
	assert.Contains(t, body, `role="alert"`)
	assert.True(t, h.stored(groupSpace, "a1"))

	who.Set("sure", "1")
	after := h.post("/bot/0/person/forget", who)
	assert.Contains(t, after, "已经忘掉了，删除的记忆条数： 5")
	assert.NotContains(t, after, "qq:1001")
	assert.NotContains(t, after, "OPEN")
	assert.Contains(t, after, "qq:1002")
	for s, id := range map[memory.Space]string{groupSpace: "a1", otherSpace: "a2", "qqbot:group:G": "o1"} {
		assert.False(t, h.stored(s, id))
	}
	assert.True(t, h.stored(groupSpace, "b1"))
	assert.NotContains(t, h.get("/bot/0/notes"), "要送猫粮")
	status, _ = h.do(http.MethodGet, "/bot/0/person?platform=qq&id=1001", ownerToken, nil)
	assert.Equal(t, http.StatusNotFound, status)
}

// Summaries link to their messages. Notes show their place and sources.
func TestPages_Notes(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), onDisk(t))
	h.fill()
	page := h.safe("/bot/0/notes")
	for _, want := range []string{"聊了猫", "想摸猫", "要送猫粮", "猫粮快到了", "那次", "便笺", "心境", "大家喜欢猫", "做梦得来"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, h.get("/bot/0/notes?space=qq:group:2"), "聊了猫")
	covered := h.safe(h.link("/bot/0/notes", "/bot/0/covered"))
	assert.Contains(t, covered, "年糕是我的猫")
	assert.Contains(t, covered, "我不养猫")
	assert.NotContains(t, covered, "在别的群")
	assert.NotContains(t, covered, "安养猫", "a fact is no message")
	for _, bad := range []string{"", "space=&first=1&last=2", "space=qq:group:1&first=x&last=2", "space=qq:group:1&first=1&last=-2"} {
		status, _ := h.do(http.MethodGet, "/bot/0/covered?"+bad, ownerToken, nil)
		assert.Equal(t, http.StatusNotFound, status, bad)
	}
	first := h.link("/bot/0/notes", "/bot/0/record")
	assert.Contains(t, h.safe(first), "年糕")
}

// Each change of a record is shown before it is made: labels, derived records, notes and people.
func TestPages_Change(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), onDisk(t))
	h.fill()
	preview := func(do, id string) string {
		t.Helper()
		q := recordQuery(groupSpace, id)
		q.Set("do", do)
		return h.safe("/bot/0/change?" + q.Encode())
	}
	forget := preview("forget", "a1")
	for _, want := range []string{"安养猫", "大家喜欢猫", "想摸猫", "爱猫的人", "qq:group:1", "（删除）", "作废重写的摘要"} {
		assert.Contains(t, forget, want)
	}
	hide := preview("hide", "a1")
	assert.Contains(t, hide, "qq:group:1（藏起来的）")
	assert.Contains(t, hide, "安养猫")
	endorse := preview("endorse", "b1")
	assert.Contains(t, endorse, "<code>U qq:group:1</code>")
	assert.Contains(t, endorse, "<code>T qq:group:1</code>")
	assert.Contains(t, endorse, "别的什么都不变")
	for _, id := range []string{"a1", "f1", "dream:1:0", "b1"} {
		assert.True(t, h.stored(groupSpace, id), "a preview changes nothing")
	}
	q := recordQuery(groupSpace, "a1")
	q.Set("do", "steal")
	status, _ := h.do(http.MethodGet, "/bot/0/change?"+q.Encode(), ownerToken, nil)
	assert.Equal(t, http.StatusNotFound, status)
	for _, bad := range []url.Values{recordQuery("", "a1"), recordQuery(groupSpace, "no such"), {}} {
		status, _ := h.do(http.MethodGet, "/bot/0/record?"+bad.Encode(), ownerToken, nil)
		assert.Equal(t, http.StatusNotFound, status)
	}
	form := recordQuery(groupSpace, "a1")
	form.Set("do", "hide")
	h.post("/bot/0/record", form)
	assert.True(t, h.stored(groupSpace.Secret(), "a1"))
	assert.True(t, h.stored(groupSpace.Secret(), "f1"))
	form = recordQuery(groupSpace.Secret(), "a1")
	form.Set("do", "forget")
	h.post("/bot/0/record", form)
	assert.False(t, h.stored(groupSpace.Secret(), "a1"))
	assert.False(t, h.stored(groupSpace.Secret(), "f1"))
}

// formOf returns the hidden fields of the last form of a page, as a browser sends them.
func formOf(body string) url.Values {
	form := url.Values{}
	unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&", "&#43;", "+")
	body = body[strings.LastIndex(body, "<form"):]
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(body, -1) {
		form.Set(m[1], strings.ReplaceAll(unescape.Replace(m[2]), "\n", "\r\n"))
	}
	return form
}

// The owner corrects a fact after a preview. What was derived from it is deleted, and its new words are found.
func TestPages_Mend(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), onDisk(t))
	h.fill()
	assert.Contains(t, h.get("/bot/0/record?"+recordQuery(groupSpace, "a1").Encode()), "这是说过的原话")
	const text = "安养的是狗\n叫豆豆 <i>&\"'"
	mend := func(id, text string) (int, string) {
		form := recordQuery(groupSpace, id)
		form.Set("do", "mend")
		form.Set("text", text)
		form.Set("trust", "1")
		return h.do(http.MethodPost, "/bot/0/change", ownerToken, form)
	}
	for id, text := range map[string]string{"a1": "改原话", "f1": " \r\n "} {
		status, body := mend(id, text)
		assert.Equal(t, http.StatusUnprocessableEntity, status)
		assert.Contains(t, body, "不能这样改写")
	}
	status, preview := mend("f1", strings.ReplaceAll(text, "\n", "\r\n"))
	require.Equal(t, http.StatusOK, status)
	for _, want := range []string{`class="removed"`, `class="added"`, "叫豆豆 &lt;i&gt;", "大家喜欢猫", "<code>U qq:group:1</code>", "<code>T qq:group:1</code>"} {
		assert.Contains(t, preview, want)
	}
	assert.NotContains(t, preview, "<i>")
	form := formOf(preview)
	form.Set("do", "mend")
	record := h.post("/bot/0/record", form)
	assert.Contains(t, record, "主人改写过")
	assert.Contains(t, record, "<code>T qq:group:1</code>")
	recs, err := h.bot.Memory().Get(t.Context(), groupSpace, "f1")
	require.NoError(t, err)
	require.Len(t, recs, 1)
	assert.Equal(t, text, recs[0].Text)
	assert.Equal(t, []string{"a1"}, recs[0].Sources)
	assert.False(t, h.stored(groupSpace, "dream:1:0"), "derived from the old text")
	assert.Contains(t, h.get("/bot/0/memory?q="+url.QueryEscape("豆豆")), "安养的是狗")

	status, body := h.do(http.MethodPost, "/bot/0/record", ownerToken, form)
	assert.Equal(t, http.StatusUnprocessableEntity, status, "it has changed since")
	assert.Contains(t, body, "所以什么也没改")
}

// The search is narrowed by space, kind, person and time. The newest records come page by page, each once.
func TestPages_Search(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), onDisk(t))
	h.fill()
	found := func(form url.Values) string { return h.safe("/bot/0/memory?" + form.Encode()) }
	for _, c := range []struct {
		form      url.Values
		want, not string
	}{
		{url.Values{"q": {"猫"}, "space": {"qq:group:2"}}, "", "年糕是"}, {url.Values{"space": {"qq:group:2"}}, "在别的群", "我不养猫"}, {url.Values{"kind": {"fact"}}, "安养猫", "我不养猫"},
		{url.Values{"person": {"1002"}}, "我不养猫", "在别的群"}, {url.Values{"person": {"qq:1001"}, "kind": {"message"}}, "在别的群", "我不养猫"}, {url.Values{"person": {"qqbot:1001"}}, "没有", "在别的群"},
		{url.Values{"from": {time.Now().Format(time.DateOnly)}}, "没有", "我不养猫"}, {url.Values{"to": {time.Now().Format(time.DateOnly)}}, "我不养猫", ""},
		{url.Values{"from": {"昨天"}}, "日期不对", ""}, {url.Values{"kind": {hostile}, "space": {hostile}, "person": {hostile}, "q": {hostile}}, "", "我不养猫"},
	} {
		body := found(c.form)
		if i := strings.Index(body, "<tbody>"); c.want != "日期不对" {
			body = body[i:]
		}
		assert.Contains(t, body, c.want, c.form)
		if c.not != "" {
			assert.NotContains(t, body, c.not, c.form)
		}
	}
	assert.Regexp(t, `<meter min="0" max="1" value="[01]\.\d\d" aria-label="用词"`, found(url.Values{"q": {"年糕"}}))

	m, at := h.bot.Memory(), time.Now().Add(-time.Hour)
	for i := range 130 { // many at the same time
		rec := memory.Record{ID: fmt.Sprint("p", i), Space: "qq:group:9", Kind: memory.KindMessage, Person: bea, Text: fmt.Sprintf("第%03d句", i), At: at.Add(time.Duration(i/40) * time.Minute)}
		require.NoError(t, m.Put(t.Context(), rec))
	}
	seen, pages := map[string]int{}, 0
	for path := "/bot/0/memory?space=qq:group:9"; path != ""; pages++ {
		body := h.get(path)
		for _, id := range regexp.MustCompile(`第\d+句`).FindAllString(body, -1) {
			seen[id]++
		}
		path = ""
		if next := regexp.MustCompile(`<p><a href="([^"]*before=[^"]*)"`).FindStringSubmatch(body); next != nil && pages < 9 {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	assert.Equal(t, 3, pages)
	assert.Len(t, seen, 130)
	for id, n := range seen {
		assert.Equal(t, 1, n, id)
	}
}

// A flakyEmbedder fails while broken.
type flakyEmbedder struct {
	memorytest.Embedder
	broken atomic.Bool
}

func (e *flakyEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if e.broken.Load() {
		return nil, errors.New("no answer " + hostile)
	}
	return e.Embedder.EmbedQuery(ctx, text)
}

// The search says when it finds by words only.
func TestPages_SearchVectors(t *testing.T) {
	assert.Contains(t, newHouse(t, modeltest.Always(modeltest.Say("好"))).get("/bot/0/memory"), "没有嵌入模型")
	e := &flakyEmbedder{}
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), func(o *social.Options) { o.Storage.Embedder, o.Storage.EmbedderID = e, "test" })
	h.fill()
	require.Eventually(t, func() bool {
		return strings.Contains(h.get("/bot/0/memory?q="+url.QueryEscape("年糕")), `aria-label="意思"`)
	}, patience, 20*time.Millisecond)
	assert.NotContains(t, h.get("/bot/0/memory"), "只按用词找")
	e.broken.Store(true)
	assert.Contains(t, h.safe("/bot/0/memory?q="+url.QueryEscape("年糕")), "嵌入模型没回答，所以只按用词找")
	e.broken.Store(false)
	assert.NotContains(t, h.get("/bot/0/memory?q="+url.QueryEscape("年糕")), "没回答")
}
