package qq_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The owner's agent sends regular files below the root and no other file.
func TestSendFile(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "files")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "文档"), 0o700))
	for name, data := range map[string]string{"secret.txt": "secret", "files/a.txt": "[CQ:at,qq=all]", "files/文档/报告.pdf": "pdf", "files/empty": "", "files/big": strings.Repeat("x", 101)} {
		require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte(data), 0o600))
	}
	if err := os.Symlink("../secret.txt", filepath.Join(dir, "out.txt")); err != nil {
		t.Skip("no symbolic links here")
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	s := newSayer(t, qq.Options{Files: root, MaxFileBytes: 100})
	for _, tt := range []struct{ args, chat, name, data string }{
		{`{"target_id":"炉边","path":"a.txt"}`, "group_123", "a.txt", "[CQ:at,qq=all]"},
		{`{"target_id":"user_5","path":"./文档/报告.pdf"}`, "user_5", "报告.pdf", "pdf"},
	} {
		s.outs, s.chats = nil, nil
		assert.Contains(t, s.call(agent, "qq_send_file", tt.args).Content, `"message_id":"42"`)
		require.Len(t, s.outs, 1, tt.args)
		assert.Equal(t, tt.chat, s.chats[0].SourceID())
		assert.Equal(t, persona.Outgoing{File: persona.SentFile{Name: tt.name, Data: []byte(tt.data)}}, s.outs[0])
	}
	s.outs = nil
	for _, path := range []string{"none.txt", "empty", "big", "文档"} {
		assert.Equal(t, "error: the tool failed: 没有这个文件，或者它是空的，或者太大", s.call(agentIn, "qq_send_file", args(t, map[string]any{"path": path})).Content, path)
	}
	for _, path := range []string{"../secret.txt", "out.txt", "/etc/passwd", "文档/../a.txt", `文档\报告.pdf`, "C:/a", "a.txt:stream", "CON", ".", "file:///etc/passwd", "https://example.com/a"} {
		assert.Equal(t, "error: the tool failed: 只能发文件目录里的文件，path 是其中的相对路径", s.call(agentIn, "qq_send_file", args(t, map[string]any{"path": path})).Content, path)
	}
	for _, p := range []nit.Principal{inGroup, inPrivate, nowhere} {
		assert.Equal(t, s.call(p, "no_such_tool", `{"path":"a.txt"}`), s.call(p, "qq_send_file", `{"path":"a.txt"}`))
	}
	s.err = fmt.Errorf("SECRET: %w", qq.ErrUnclear)
	s.outs = nil
	assert.Equal(t, "error: the tool failed: 可能已经发出去了，不要重发", s.call(agentIn, "qq_send_file", `{"path":"a.txt"}`).Content)
	without := newStage(t)
	assert.Equal(t, without.call(agentIn, "no_such_tool", `{}`), without.call(agentIn, "qq_send_file", `{"path":"a.txt"}`), "without a root")
}

// A list of files is shown in pages that fit into a result, however long its names are.
func TestGroupFiles_LongListsFit(t *testing.T) {
	s := town(t)
	var files []string
	for i := range 100 {
		files = append(files, fmt.Sprintf(`{"file_id":"/%s%d","file_name":"%s","file_size":1,"uploader":987,"upload_time":1700000000}`, strings.Repeat("f", 60), i, strings.Repeat("名", 200)))
	}
	s.answers["get_group_root_files"] = `{"files":[` + strings.Join(files, ",") + `]}`
	for page := 1; page <= 7; page++ {
		got := s.call(agent, "qq_group_files", fmt.Sprintf(`{"group_id":1,"page":%d}`, page)).Content
		assert.NotContains(t, got, "more characters")
		assert.Contains(t, got, `{"total":100,"pages":7,"items":[{"file_id":`)
	}
	s.answers["get_group_file_url"] = `{"url":"file:///etc/passwd"}`
	assert.Equal(t, "error: the tool failed: 没有查到下载地址", s.call(agent, "qq_get_file_url", `{"group_id":1,"file_id":"/x"}`).Content)
}
