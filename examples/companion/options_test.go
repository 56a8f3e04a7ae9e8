package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	empty := t.TempDir()
	bad := map[string]struct {
		args []string
		says string
	}{
		"both links":       {[]string{"-onebot", "ws://x", "-listen", ":1"}, "exclude each other"},
		"model":            {[]string{"-model", "gpt"}, "offline, openai or ollama"},
		"which model":      {[]string{"-model", "openai"}, "-model-name"},
		"argument":         {[]string{"start"}, "everything is a flag"},
		"unknown":          {[]string{"-nope"}, "-h lists the flags"},
		"negative time":    {[]string{"-for", "-1s"}, "-for"},
		"negative thought": {[]string{"-think", "-1s"}, "-think"},
		"slow thought":     {[]string{"-think", "1s", "-model", "ollama", "-model-name", "m"}, "-think"},
		"owner":            {[]string{"-owner", "10001,小明"}, "no QQ number"},
		"quote":            {[]string{"-quote", "sometimes"}, "-quote \"sometimes\" is unknown: auto, always or never"},
		"idle voice":       {[]string{"-voice", "soft"}, "-voice does nothing without -model-for speak=NAME"},
		"slow":             {[]string{"-speed", "0.5"}, "-speed"},
		"no speed":         {[]string{"-speed", "NaN"}, "-speed"},
		"speed of a model": {[]string{"-speed", "2", "-model", "openai", "-model-name", "m"}, "on this machine"},
		"of a paid one":    {[]string{"-speed", "2", "-model", "openai", "-model-name", "m", "-base-url", "https://127.0.0.1.example.com/v1"}, "on this machine"},
		"the world":        {[]string{"-http", "0.0.0.0:80"}, "loopback"},
		"all addresses":    {[]string{"-http", ":80"}, "loopback"},
		"a name":           {[]string{"-http", "example.com:80"}, "loopback"},
		"no port":          {[]string{"-http", "127.0.0.1"}, "no address"},
		"short token":      {[]string{"-http-token", "secret"}, "too short"},
		"hide":             {[]string{"-hide", "("}, "-hide"},
		"no persona":       {[]string{"-persona", filepath.Join(empty, "nobody")}, "-persona"},
		"empty persona":    {[]string{"-persona", empty}, "persona.json"},
	}
	for name, test := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := parse(test.args, &bytes.Buffer{})
			require.ErrorContains(t, err, test.says)
			assert.NotContains(t, err.Error(), "\n")
			assert.NotContains(t, err.Error(), "secret", "a token is not printed")
		})
	}
	o, err := parse([]string{"-onebot", "ws://x", "-owner", "10001，10002", "-http", "localhost:0"}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, o.speed, "a real link is not hurried")
	assert.Len(t, o.owners, 2)
	assert.Equal(t, "localhost:0", o.pages.Address)
	o, err = parse([]string{"-http", "off"}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.EqualValues(t, demoSpeed, o.speed)
	assert.Empty(t, o.pages.Address)
	assert.Equal(t, "小炉", o.character.Profile.Name)

	for _, url := range []string{"http://127.0.0.1:8000/v1", "http://localhost:8000", "http://[::1]:8000"} {
		o, err = parse([]string{"-speed", "60", "-http", "off", "-model", "openai", "-model-name", "m", "-base-url", url}, &bytes.Buffer{})
		require.NoError(t, err)
		assert.EqualValues(t, 60, o.speed, "a model on this machine costs nothing")
	}

	var help bytes.Buffer
	_, err = parse([]string{"-h"}, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	assert.Equal(t, 1, strings.Count(help.String(), "-speed"))
}

// The character comes from a directory only.
func TestReadPersona(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "documents"), 0o700))
	for name, text := range map[string]string{"persona.json": `{"name": "阿灯"}`, "about.md": "守着灯的人。", "documents/character_state.md": "# 阿灯\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	o, err := parse([]string{"-persona", dir}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, "阿灯", o.character.Profile.Name)
	assert.Equal(t, "守着灯的人。", o.character.Profile.About)
	assert.Equal(t, "# 阿灯", strings.TrimSpace(o.character.Documents["character_state"]))
}
