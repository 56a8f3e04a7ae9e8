package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Plugins can be switched off and on at run time, and the setting survives a restart.
func TestCompanion_Plugins(t *testing.T) {
	t.Parallel()
	args := []string{"-speed", "60", "-db", filepath.Join(t.TempDir(), "a.db")}
	l := startCompanion(t, args...)
	typed := func(line string) {
		_, err := io.WriteString(l.typed, line+"\n")
		require.NoError(t, err)
	}
	remind := func() string { return l.talk(t, "两小时后提醒我喝水") }
	assert.Contains(t, remind(), "到时候叫你：喝水")
	typed("/plugins")
	name := ""
	until(t, func() bool { // each plugin is on a line
		for line := range strings.Lines(l.out.String()) {
			if word := strings.Fields(line); len(word) > 1 && word[0] == "开" && strings.Contains(line, "self") {
				name, _, _ = strings.Cut(word[1], "（")
			}
		}
		return name != ""
	})
	typed("/off nobody")
	until(t, func() bool { return strings.Contains(l.out.String(), "没有这个命令") })
	typed("/off " + name)
	until(t, func() bool { return strings.Contains(l.out.String(), "关 "+name) })
	typed("/标签")
	until(t, func() bool { return strings.Contains(l.out.String(), "信任：/信任 id") })
	assert.NotContains(t, remind(), "到时候叫你", "there is no such tool any more")
	require.NoError(t, l.typed.Close())
	require.NoError(t, <-l.ended)

	l = startCompanion(t, args...)
	assert.NotContains(t, remind(), "到时候叫你")
	typed("/on " + name)
	until(t, func() bool { return strings.Contains(l.out.String(), "\n开 "+name) })
	assert.Contains(t, remind(), "到时候叫你：喝水")
	assert.NotContains(t, l.out.String(), "owner: /", "what is for the program is not said to the being")
}
