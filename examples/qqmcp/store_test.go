package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Messages and summary survive a restart. Messages of the meantime come after them, each once.
func TestStore_Restart(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "qq.db")
	qq, g, f := newQQ(t, onebottest.Options{})
	ready := func(s *session) func() bool {
		return func() bool {
			r := s.p.chats.find(chat{id: 123456})
			return r != nil && !r.needsHistory() && s.p.account.inGroup(123456)
		}
	}
	s := launch(t, qq, "--db", db, "--friends", "555666", "--buffer-size", "20", "--compress-every", "10")
	until(t, ready(s))
	for i := range 35 {
		g.Say(zhang, says(fmt.Sprint("第", i)))
	}
	f.Say(says("私聊"))
	until(t, func() bool {
		c := s.context(1)
		return c.MessageCount > 0 && c.Messages[0].Content == "第34" && s.p.chats.find(chat{private: true, id: li}) != nil &&
			len(s.p.chats.find(chat{private: true, id: li}).view().all) == 1
	})
	before := s.context(50)
	require.NotNil(t, before.CompressedSummary)
	until(t, func() bool { // written completely; a running write is interrupted at the end and repeated
		rows, err := s.p.db.Load(t.Context(), "qqmcp/10001/")
		require.NoError(t, err)
		return strings.Contains(string(rows["qqmcp/10001/group:123456"]), "第34") && strings.Contains(string(rows["qqmcp/10001/private:555666"]), "私聊")
	})
	s.end()

	for i := range 3 {
		g.Say(zhang, says(fmt.Sprint("不在时说的", i)))
	}
	s = launch(t, qq, "--db", db)
	assert.Equal(t, before.Messages, s.context(50).Messages[:before.MessageCount], "at once, before QQ is there")
	until(t, ready(s))
	until(t, func() bool { return s.context(1).Messages[0].Content == "不在时说的2" })
	after := s.context(50)
	assert.Equal(t, before.MessageCount+3, after.MessageCount)
	assert.Equal(t, before.CompressedSummary, after.CompressedSummary)
	assert.Equal(t, uint64(3), s.p.chats.find(chat{id: 123456}).receivedCount(), "what was said since is news")
	assert.Contains(t, s.fails("get_recent_context", args{"target": li, "target_type": "private"}), "名单", "a friend who is not listed any more")
	s.end()

	store, err := sqlite.Open(db, sqlite.Options{})
	require.NoError(t, err)
	rows, err := store.Load(t.Context(), "qqmcp/10001/")
	require.NoError(t, err)
	assert.Len(t, rows, 2, "whom the flags leave out is left alone")
	require.NoError(t, store.Apply(t.Context(), map[string][]byte{"qqmcp/10001/group:123456": []byte("{broken"), "qqmcp/10001/nonsense": []byte("{}")}))
	require.NoError(t, store.Close())
	s = launch(t, qq, "--db", db)
	until(t, ready(s))
	assert.Contains(t, s.log.String(), "cannot be read")
}

// A kill loses little.
func TestStore_Periodic(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "qq.db")
	qq, g, _ := newQQ(t, onebottest.Options{})
	s := launch(t, qq, "--db", db)
	until(t, func() bool { return s.p.account.inGroup(123456) })
	g.Say(zhang, says("在吗"))
	until(t, func() bool {
		rows, err := s.p.db.Load(t.Context(), "qqmcp/")
		require.NoError(t, err)
		return len(rows) == 1
	})
}

// A message that is still being handled at the end is saved.
func TestStore_AtEnd(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "qq.db")
	qq, g, _ := newQQ(t, onebottest.Options{})
	s := launch(t, qq, "--db", db, "--groups", "123456")
	until(t, func() bool {
		r := s.p.chats.find(chat{id: 123456})
		return r != nil && !r.needsHistory()
	})
	qq.WithholdResponse("get_msg", -1)
	g.Say(zhang, onebot.Message{onebot.Reply(4711), onebot.Text("最后的")})
	_, err := qq.WaitCalls(t.Context(), 1, "get_msg")
	require.NoError(t, err)
	s.stop()
	require.NoError(t, <-s.ended)
	s.ended <- nil
	again := launch(t, nil, "--db", db, "--groups", "123456")
	assert.Len(t, again.p.chats.open(chat{id: 123456}).view().all, 1)
}
