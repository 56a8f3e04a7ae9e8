//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The connection drops three times in an active chat, and the process is killed in between. With its database each message
// exists once and in order.
func TestProgram_DroppedAndKilled(t *testing.T) {
	qq, g, _ := newQQ(t, onebottest.Options{})
	url := qq.Start()
	db := filepath.Join(t.TempDir(), "qq.db")
	launch := func() *process {
		p := startProcess(t, nil, "--qq", fmt.Sprint(self), "--onebot-ws", url, "--db", db, "--log-level", "debug")
		p.greet()
		p.until(func(s statusOut) bool { return s.QQLoggedIn && s.BufferStats.GroupsTracked == 1 })
		return p
	}
	p := launch()
	n := 0
	var want []string
	say := func(times int) {
		for range times {
			n++
			want = append(want, fmt.Sprint("第", n))
			g.Say(zhang, says(fmt.Sprint("第", n)))
		}
	}
	read := func() (got []string) {
		raw, failed := p.ask("get_recent_context", `{"target":"123456","limit":50}`)
		require.False(t, failed)
		var c contextOut
		require.NoError(t, json.Unmarshal(raw, &c))
		return contents(c.Messages)
	}
	caughtUp := func() {
		until(t, func() bool {
			got := read()
			return len(got) > 0 && got[len(got)-1] == fmt.Sprint("第", n)
		})
	}
	say(3)
	caughtUp()
	for round := range 3 {
		qq.RefuseConnections(true)
		qq.DropLinks()
		say(2)
		if round == 1 {
			require.NoError(t, p.cmd.Process.Kill())
			require.Error(t, p.cmd.Wait())
			qq.RefuseConnections(false)
			p = launch()
		}
		qq.RefuseConnections(false)
		say(2)
		caughtUp()
		say(2)
		caughtUp()
	}
	assert.Equal(t, want, read())
	require.NoError(t, p.in.Close())
	p.wait()
}
