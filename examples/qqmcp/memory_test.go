//go:build linux

package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peak returns the maximum resident memory of a process in kB.
func (p *process) peak() int {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(text))
	require.NotNil(p.t, m)
	kb, err := strconv.Atoi(m[1])
	require.NoError(p.t, err)
	return kb
}

// 10,000 messages through 100 chats, stored or summarized, and read meanwhile, need less than 30 MB with the default settings of Go's
// runtime.
func TestPeakMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		most  int // MB; the specification's limit of 50 with a database
		flags []string
	}{
		"kept":      {30, []string{"--compress-every", "1000"}},
		"summed up": {30, []string{"--buffer-size", "70"}},
		"on disk":   {50, []string{"--compress-every", "1000", "--db", "qq.db"}},
	} {
		t.Run(name, func(t *testing.T) {
			peak := peakOf(t, name != "summed up", tt.flags)
			t.Logf("%s, first peak: %.1f MB", name, float64(peak)/1024)
			for range 4 { // the time of garbage collections varies
				if peak < tt.most<<10 {
					break
				}
				peak = peakOf(t, name != "summed up", tt.flags)
			}
			t.Logf("peak: %.1f MB", float64(peak)/1024)
			assert.Less(t, peak, tt.most<<10)
		})
	}
}

// peakOf returns the peak memory of one process in kB, with or without storing all messages.
func peakOf(t *testing.T, all bool, flags []string) int {
	qq := onebottest.New(onebottest.Options{SelfID: self, Heartbeat: time.Second})
	defer qq.Close()
	var groups []*onebottest.Group
	for i := range 100 {
		g := qq.Group(int64(5000+i), fmt.Sprint("第", i, "群"))
		g.Member(zhang, "张三")
		groups = append(groups, g)
	}
	p := startProcess(t, []string{"GOGC=", "GOMEMLIMIT="}, append([]string{"--qq", "10001", "--onebot-ws", qq.Start(), "--log-level", "warn"}, flags...)...)
	p.greet()
	p.until(func(s statusOut) bool {
		return s.QQLoggedIn && len(s.MonitoredGroups) == 100 && s.BufferStats.GroupsTracked == 100
	})
	text := strings.Repeat("今天天气真好，我们一起去爬山吧。", 4)
	for round := range 100 {
		for i, g := range groups {
			g.Say(zhang, onebot.Message{onebot.Text(fmt.Sprint(round, " ", i, " ", text))})
		}
		if last := fmt.Sprint(`"content":"`, round, " 99 "); round%10 == 9 {
			until(t, func() bool {
				raw, failed := p.ask("get_recent_context", `{"target":"5099","limit":50}`)
				return !failed && strings.Contains(string(raw), last)
			})
		}
	}
	for i := range 100 {
		until(t, func() bool {
			raw, failed := p.ask("get_recent_context", fmt.Sprintf(`{"target":"%d","limit":50}`, 5000+i))
			return !failed && strings.Contains(string(raw), fmt.Sprint(`"content":"99 `, i, " "))
		})
	}
	if all {
		p.until(func(s statusOut) bool { return s.BufferStats.TotalMessagesBuffered == 10_000 }) // possibly from the history
	}
	peak := p.peak()
	require.NoError(t, p.in.Close())
	p.wait()
	return peak
}

// TestStart logs the time from the start of the process to the first answer.
func TestStart(t *testing.T) {
	best := time.Hour
	for range 5 {
		began := time.Now()
		p := startProcess(t, nil, "--demo")
		p.send(hello)
		p.next()
		best = min(best, time.Since(began))
		require.NoError(t, p.in.Close())
		p.wait()
	}
	t.Logf("the first answer came after %v", best)
	assert.Less(t, best, 10*time.Second)
}
