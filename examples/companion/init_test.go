package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each flag has a Chinese text in the file of -init, and the file is valid with every key set to its default.
func TestInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "companion.yaml")
	_, err := parse([]string{"-init", path}, io.Discard)
	require.ErrorIs(t, err, program.ErrDone)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "（还没有中文说明）", "add the flag to examples/internal/config/texts.go")
	text = regexp.MustCompile(`(?m)^#([a-z]|  \S|    \S)`).ReplaceAll(text, []byte("$1"))
	require.NoError(t, os.WriteFile(path, text, 0o600))
	o, err := parse([]string{"-config", path}, io.Discard)
	require.NoError(t, err)
	plain, err := parse(nil, io.Discard)
	require.NoError(t, err)
	o.file, plain.file = nil, nil
	assert.Equal(t, plain, o)
}
