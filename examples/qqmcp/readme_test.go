package main

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blocks returns the code blocks of a kind.
func blocks(t *testing.T, file, kind string) (all []string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
	}
	return all
}

// servers finds the entries of a client's configuration that start a server or name its URL.
func servers(v any) (found []map[string]any) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if object["command"] != nil || object["url"] != nil {
		return []map[string]any{object}
	}
	for _, inner := range object {
		found = append(found, servers(inner)...)
	}
	return found
}

// Each configuration in the READMEs is JSON, names this program and has valid flags.
func TestReadme_Configurations(t *testing.T) {
	for _, file := range []string{"README.md", "README.zh-CN.md"} {
		configs := blocks(t, file, "json")
		require.Len(t, configs, 6, file)
		for _, c := range configs {
			var v any
			require.NoError(t, json.Unmarshal([]byte(c), &v), c)
			found := servers(v)
			require.Len(t, found, 1, c)
			if url, ok := found[0]["url"]; ok {
				assert.Equal(t, "http://127.0.0.1:8765/mcp", url)
				continue
			}
			assert.Equal(t, "qqmcp", found[0]["command"])
			var args []string
			for _, a := range found[0]["args"].([]any) {
				args = append(args, a.(string))
			}
			o, err := parse(args, io.Discard)
			require.NoError(t, err, c)
			assert.Equal(t, int64(10001), o.qq)
			assert.NotEmpty(t, o.groups)
		}
	}
}

// The command lines in the READMEs are valid, and both READMEs have the same ones.
func TestReadme_Commands(t *testing.T) {
	lines := func(file string) []string { return append(blocks(t, file, "sh"), blocks(t, file, "json")...) }
	assert.Equal(t, lines("README.md"), lines("README.zh-CN.md"))
	n := 0
	for _, block := range blocks(t, "README.md", "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, "#")
			var words []string
			for _, w := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
				words = append(words, strings.Trim(w, `"`))
			}
			i := slices.Index(words, "qqmcp")
			if i < 0 {
				continue
			}
			n++
			_, err := parse(words[i+1:], io.Discard)
			assert.NoError(t, err, line)
		}
	}
	assert.Equal(t, 5, n)
	headings := func(file string) int {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Count(string(text), "\n## ")
	}
	assert.Equal(t, headings("README.md"), headings("README.zh-CN.md"))
}

// Both READMEs name all tools.
func TestReadme_Tools(t *testing.T) {
	for _, file := range []string{"README.md", "README.zh-CN.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range []string{"get_recent_context", "batch_get_recent_context", "send_message", "wait_for_message", "get_message",
			"compress_context", "check_status", "get_group_list"} {
			assert.Contains(t, string(text), "| `"+name+"` |", file)
		}
	}
}
