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

// The character comes from a directory, and a start with the same -db keeps it.
func TestPersona(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"persona.json": "\ufeff" + `{"name": "阿灯", "aliases": ["灯灯"], "interests": ["猫"]}`, "about.md": "\ufeff守着灯的人。", "prompts/rules.md": "少说。"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	db := filepath.Join(t.TempDir(), "bot.db")
	for _, args := range [][]string{{"-persona", dir, "-db", db}, {"-db", db}} {
		o, err := parse(args, io.Discard)
		require.NoError(t, err)
		require.NoError(t, o.useCharacter(t.Context()))
		assert.Equal(t, []string{"阿灯", "灯灯", "守着灯的人。", "猫", "少说。"}, []string{o.name, o.aliases[0], o.about, o.interests[0], o.prompts.Rules})
		var to social.Options
		to.Background.Digest = &social.Digest{}
		o.adjust(&to, nil)
		assert.Equal(t, "少说。", to.Reply.Prompts.Rules)
	}
	_, err := parse([]string{"-persona", dir, "-about", "x"}, io.Discard)
	require.ErrorContains(t, err, "-persona and -about exclude each other")
}

// A mistake that only the program can see has its line, too.
func TestConfig_Mistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groupbot.yaml")
	for text, says := range map[string]string{
		"name: 小灯\nattention: sometimes\n": ":2: attention: -attention \"sometimes\" is unknown",
		"owner: [10001, 小明]\n":             ":1: owner: -owner: \"小明\" is no QQ number",
		"quote: sometimes\n":               ":1: quote: -quote \"sometimes\" is unknown",
		"\nvoice: soft\n":                  ":2: voice: -voice does nothing without -model-for speak",
		"voice-chance: 2\n":                ":1: voice-chance: -voice-chance 2 must be 0 to 1",
		"reactions-call: perhaps\n":        ":1: reactions-call: \"perhaps\" is no true or false",
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
