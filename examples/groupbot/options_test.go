package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each flag has a Chinese text in the file of -init, and the file is valid with every key set to its default.
func TestInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groupbot.yaml")
	_, err := parse([]string{"-init", path}, io.Discard)
	require.ErrorIs(t, err, program.ErrDone)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "（还没有中文说明）", "add the flag to examples/internal/config/texts.go")
	text = regexp.MustCompile(`(?m)^#([a-z]|  \S|    \S)`).ReplaceAll(text, []byte("$1"))
	require.NoError(t, os.WriteFile(path, text, 0o600))
	o, err := parse([]string{"-config", path}, io.Discard)
	require.NoError(t, err)
	assert.Len(t, o.file.Chats, 2)
	plain, err := parse(nil, io.Discard)
	require.NoError(t, err)
	o.file, plain.file = nil, nil
	assert.Equal(t, plain, o)
}

// A mistake that only the program can see has its line, too.
func TestConfig_Mistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groupbot.yaml")
	for text, says := range map[string]string{
		"name: 小灯\nattention: sometimes\n": ":2: attention: -attention \"sometimes\" is unknown",
		"owner: [10001, 小明]\n":             ":1: owner: -owner: \"小明\" is no QQ number",
		"model: openai\n":                  ":1: model: -model openai needs -model-name",
		"onebot: ws://x\nlisten: :1\n":     ":1: onebot: -onebot and -listen exclude each other",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := parse([]string{"-config", path}, io.Discard)
		require.ErrorContains(t, err, path+says)
	}
	require.NoError(t, os.WriteFile(path, []byte("chats:\n  qq:group:1: {policy: learned}\n"), 0o600))
	o, err := parse([]string{"-config", path}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, map[persona.Chat]social.ChatSettings{{Platform: "qq", Kind: "group", ID: "1"}: {Policy: "learned"}}, o.file.Chats)
}
