//go:build unix

package qq_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Only regular files are opened, because opening a pipe would block.
func TestSendFile_PipeDoesNotBlock(t *testing.T) {
	s, dir := gallery(t, qq.Options{})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	assert.Equal(t, "error: the tool failed: 没有这个文件，或者它是空的，或者太大", s.call(agentIn, "qq_send_file", `{"path":"pipe"}`).Content)
}
