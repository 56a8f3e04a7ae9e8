package offline

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// durationPattern matches durations: 半小时, 一个半小时, 20 分钟, 10 min, 2 hours.
var durationPattern = regexp.MustCompile(`(?i)(\d+|[半一两二三四五六七八九十]+)\s*个?(半)?\s*(秒钟?|分钟|小时|钟头|天|seconds?|sec|s|minutes?|min|hours?|h|days?)`)

var units = []struct {
	begins string
	unit   time.Duration
}{
	{"秒", time.Second}, {"分", time.Minute}, {"小时", time.Hour}, {"钟头", time.Hour}, {"天", 24 * time.Hour},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// findDuration returns the first duration in a text, and the text before and after it.
func findDuration(text string) (d time.Duration, before, behind string, ok bool) {
	at := durationPattern.FindStringSubmatchIndex(text)
	if at == nil {
		return 0, text, "", false
	}
	n := number(text[at[2]:at[3]])
	if at[4] >= 0 {
		n += .5
	}
	unit := strings.ToLower(text[at[6]:at[7]])
	for _, u := range units {
		if strings.HasPrefix(unit, u.begins) {
			return time.Duration(n * float64(u.unit)), text[:at[0]], text[at[1]:], n > 0 && n < 1e5
		}
	}
	return 0, text, "", false
}

// number parses digits or a Chinese number below a hundred.
func number(s string) float64 {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n
	}
	const digits = "一二三四五六七八九"
	sum, last := 0.0, 0.0
	for _, r := range s {
		switch {
		case r == '半':
			last = .5
		case r == '两':
			last = 2
		case r == '十':
			sum, last = sum+10*max(last, 1), 0
		default:
			last = float64(strings.IndexRune(digits, r)/len("一") + 1)
		}
	}
	return sum + last
}

// seconds converts a simulated duration to real seconds, at least 1.
func (m Model) seconds(d time.Duration) int {
	speed := m.Speed
	if speed <= 0 {
		speed = 1
	}
	return max(1, int(math.Round(d.Seconds()/speed)))
}

// timer formats a simulated duration for a timer.
func (m Model) timer(d time.Duration) string { return fmt.Sprintf("%ds", m.seconds(d)) }
