package inspect_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withDocument gives a bot a document with three versions in a SQLite file.
func withDocument(t *testing.T) func(*social.Options) {
	return func(o *social.Options) {
		var h patch.History
		at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
		require.NoError(t, h.Set(at, "# 我\n爱喝茶\n爱猫\n", "as it was given"))
		require.NoError(t, h.Set(at.Add(time.Hour), "# 我\n爱喝茶\n爱狗"+hostile+"\n", "batch/1"+hostile))
		require.NoError(t, h.Set(at.Add(2*time.Hour), "# 我\n爱喝咖啡\n爱狗"+hostile+"\n新的一行\n", "batch/2"))
		row, err := json.Marshal(&h)
		require.NoError(t, err)
		db, err := sqlite.Open(filepath.Join(t.TempDir(), "bot.db"), sqlite.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		require.NoError(t, db.Apply(t.Context(), map[string][]byte{"paper/character_state": row}))
		o.Storage.Store, o.Background.Autonomy = db, &social.Autonomy{}
	}
}

const documentPath = "/bot/0/document?name=character_state"

// A document shows its versions with time and reason and the difference of any two. The owner restores one after a preview.
func TestPages_Documents(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), withDocument(t))
	assert.Contains(t, h.safe("/bot/0/documents"), documentPath)
	page := h.safe(documentPath)
	for _, want := range []string{"爱喝咖啡", "batch/2", "batch/1", "启动时给的", "还没写", "2026-03-01", ">+2<", ">−1<"} {
		assert.Contains(t, page, want)
	}
	compared := h.safe(documentPath + "&a=1&b=2")
	assert.Contains(t, compared, `<span class="removed">− <bdi>爱猫</bdi></span>`)
	assert.Contains(t, compared, `<span class="added">+ <bdi>爱狗`)
	for _, bad := range []string{"/bot/0/document?name=" + url.QueryEscape(hostile), "/bot/0/document/restore?name=character_state&version=9", "/bot/0/document/restore?name=x&version=1"} {
		status, body := h.do(http.MethodGet, bad, ownerToken, nil)
		assert.Equal(t, http.StatusNotFound, status, bad)
		assert.NotContains(t, body, "<script>document")
	}
	h.safe(documentPath + "&a=x&b=99")

	restore := h.link(documentPath, "/bot/0/document/restore[^\"]*version=1")
	preview := h.safe(restore)
	assert.Contains(t, preview, `<span class="added">+ <bdi>爱猫</bdi></span>`)
	assert.Contains(t, h.get(documentPath), "爱喝咖啡", "a preview changes nothing")
	form := formOf(preview)
	after := h.post("/bot/0/document/restore", form)
	assert.Contains(t, after, "退回到第 1 版")
	all, err := h.bot.Documents(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "# 我\n爱喝茶\n爱猫\n", all[0].Versions[0].Text)
	assert.Len(t, all[0].Versions, 5, "nothing is lost")

	status, body := h.do(http.MethodPost, "/bot/0/document/restore", ownerToken, form)
	assert.Equal(t, http.StatusUnprocessableEntity, status, "it has changed since the preview")
	assert.Contains(t, body, "所以什么也没改")
	h.post("/bot/0/document/restore", formOf(h.get("/bot/0/document/restore?name=character_state&version=3")))
	assert.Contains(t, h.get(documentPath), "爱喝咖啡", "that is undone in the same way")
}

// Without autonomy there are no documents.
func TestPages_NoDocuments(t *testing.T) {
	h := newHouseWith(t, modeltest.Always(modeltest.Say("好")), func(o *social.Options) { o.Background.Autonomy = nil })
	assert.Contains(t, h.get("/bot/0/documents"), "没有")
	status, _ := h.do(http.MethodGet, documentPath, ownerToken, nil)
	assert.Equal(t, http.StatusNotFound, status)
	assert.ErrorIs(t, h.bot.RestoreDocument(t.Context(), "character_state", 1), social.ErrNoAutonomy)
}
