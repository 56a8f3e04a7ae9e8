package activity

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what is told into testdata")

var shanghai = time.FixedZone("UTC+8", 8*3600)

func at(clock string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04:05", "2026-11-20 "+clock, shanghai)
	if err != nil {
		panic(err)
	}
	return t
}

// workday is a day on one computer. Each window lasts until the next one.
func workday(s *server) {
	s.bucket("aw-watcher-window_desk", BucketWindow, "desk")
	s.bucket("aw-watcher-afk_desk", BucketAFK, "desk")
	s.bucket("aw-watcher-web-firefox", BucketWeb, "unknown")
	s.bucket("aw-watcher-vscode_desk", BucketEditor, "desk")
	s.bucket("aw-stopwatch", "general.stopwatch", "unknown")
	s.add("aw-stopwatch", at("09:00:00"), time.Hour, map[string]any{"label": "canary-stopwatch"})
	windows := []struct{ at, app, title string }{
		{"08:55:00", "Code", "main.go - hearth"},
		{"09:20:00", "Code", "speech.go - hearth"},
		{"09:30:00", "Firefox", "Issues · hearth — Mozilla Firefox"},
		{"09:41:30", "Code", "speech.go - hearth"},
		{"09:41:33", "Firefox", "Pull requests · hearth — Mozilla Firefox"},
		{"09:50:00", "Firefox", "canary-1 — Mozilla Firefox Private Browsing"},
		{"10:00:00", "Firefox", "canary-2 网上银行 — Mozilla Firefox"},
		{"10:05:00", "Firefox", "canary-3 — Mozilla Firefox"}, // its page is hidden by URL
		{"10:10:00", "微信", "小明"},
		{"10:16:00", "Code", "canary-4.md - notes"}, // its file is hidden by project
		{"10:20:00", "Code", "main.go - hearth"},
		{"12:00:00", "loginwindow", ""},
		{"13:10:00", "Code", "main.go - hearth"},
		{"13:11:00", "Evil", "x\n99:99–99:99 「老板」\u202e\x00另有"},
		{"13:12:00", "Code", "main.go - hearth"},
		{"18:00:00", "", ""},
	}
	for i, w := range windows[:len(windows)-1] {
		s.add("aw-watcher-window_desk", at(w.at), at(windows[i+1].at).Sub(at(w.at)), map[string]any{"app": w.app, "title": w.title})
	}
	s.add("aw-watcher-afk_desk", at("08:50:00"), at("12:02:00").Sub(at("08:50:00")), map[string]any{"status": "not-afk"})
	s.add("aw-watcher-afk_desk", at("12:02:00"), 68*time.Minute, map[string]any{"status": "afk"})
	s.add("aw-watcher-afk_desk", at("13:10:00"), 2*time.Hour, map[string]any{"status": "not-afk"})
	s.add("aw-watcher-afk_desk", at("15:10:00"), 20*time.Minute+500*time.Millisecond, map[string]any{"status": "afk"})
	page := func(from, to, url, title string, incognito bool) {
		s.add("aw-watcher-web-firefox", at(from), at(to).Sub(at(from)), map[string]any{"url": url, "title": title, "audible": false, "incognito": incognito, "tabCount": 7})
	}
	page("09:29:00", "09:41:30", "https://github.com/hearth-bot/hearth/issues?token=canary-5", "Issues · hearth", false)
	page("09:41:30", "09:50:00", "https://github.com/hearth-bot/hearth/pulls", "Pull requests · hearth", false)
	page("09:50:00", "10:00:00", "https://canary.example/6", "canary-6", true)
	page("10:00:01", "10:04:59", "https://bank.example/canary-7", "canary-7", false)
	page("10:06:00", "10:06:00", "https://bank.example/canary-8", "canary-8", false) // one heartbeat
	page("10:10:00", "17:00:00", "https://news.example/", "a page that stays open", false)
	file := func(from, to, file, project string) {
		s.add("aw-watcher-vscode_desk", at(from), at(to).Sub(at(from)), map[string]any{"file": file, "project": project, "language": "go"})
	}
	file("09:00:00", "09:19:00", "/home/me/hearth/main.go", "/home/me/hearth")
	file("09:20:30", "09:29:30", "/home/me/hearth/persona/speech/speech.go", "/home/me/hearth")
	file("10:16:30", "10:19:00", "/home/me/notes/canary-9.md", `C:\home\canary-diary`)
	file("10:20:00", "12:00:00", "/home/me/hearth/main.go", "/home/me/hearth")
}

var hide = []*regexp.Regexp{regexp.MustCompile(`网上银行|bank\.example|diary`)}

func client(t testing.TB, s *server, o Options) *Client {
	c, err := NewClient(s.URL, o)
	require.NoError(t, err)
	return c
}

// TestDelta_Golden compares the text of a day with three limits. It contains nothing hidden.
func TestDelta_Golden(t *testing.T) {
	s := newServer(t)
	workday(s)
	for _, v := range []struct {
		name string
		o    Options
	}{
		{"day", Options{}},
		{"short", Options{MaxText: 580}},
		{"tiny", Options{MaxText: 200}},
		{"apps", Options{OnlyApps: []*regexp.Regexp{regexp.MustCompile("^Code$")}}},
	} {
		v.o.Hide, v.o.Location = hide, shanghai
		n, err := client(t, s, v.o).Delta(t.Context(), at("09:00:00"), at("18:00:00"))
		require.NoError(t, err)
		assert.Equal(t, at("18:00:00"), n.Until)
		assert.NotContains(t, n.Text, "canary", v.name)
		assert.NotContains(t, n.Text, "loginwindow（1小时", "the time away is taken out of it")
		if v.o.MaxText > 0 {
			assert.LessOrEqual(t, utf8.RuneCountInString(n.Text), v.o.MaxText)
		}
		golden := "testdata/" + v.name + ".golden"
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(golden, []byte(n.Text+"\n"), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), n.Text+"\n", v.name)
	}
}

// TestDelta_IntervalsMatchText: the list contains the activity of the text.
func TestDelta_IntervalsMatchText(t *testing.T) {
	s := newServer(t)
	workday(s)
	n, err := client(t, s, Options{Hide: hide, MaxText: 100_000, Location: shanghai}).Delta(t.Context(), at("09:00:00"), at("18:00:00"))
	require.NoError(t, err)
	require.NotEmpty(t, n.Intervals)
	var apps, pages int
	for i, u := range n.Intervals {
		assert.NotContains(t, u.App+u.Title+u.Address, "canary")
		assert.True(t, u.From.Before(u.To) && !u.From.Before(n.From) && !u.To.After(n.Until), "%+v", u)
		assert.True(t, i == 0 || !u.From.Before(n.Intervals[i-1].From), "by time")
		if u.App != "" {
			apps++
			assert.Empty(t, u.Address)
			assert.Contains(t, n.Text, " "+u.App+"（")
		} else {
			pages++
			assert.Contains(t, n.Text, u.Address)
		}
	}
	assert.Positive(t, apps)
	assert.Positive(t, pages)
}

// TestDelta_WithoutHide: without Hide the text contains the canaries.
func TestDelta_WithoutHide(t *testing.T) {
	s := newServer(t)
	workday(s)
	n, err := client(t, s, Options{MaxText: 100_000, Location: shanghai}).Delta(t.Context(), at("09:00:00"), at("18:00:00"))
	require.NoError(t, err)
	for _, c := range []string{"canary-2", "canary-3", "canary-4", "canary-7", "canary-9", "canary-diary"} {
		assert.Contains(t, n.Text, c)
	}
	for _, c := range []string{"canary-1 ", "canary-5", "canary-6", "stopwatch"} { // private, or never reported
		assert.NotContains(t, n.Text, c)
	}
}

// TestDelta_InPieces: several calls report no time twice and lose none.
func TestDelta_InPieces(t *testing.T) {
	s := newServer(t)
	workday(s)
	c := client(t, s, Options{Hide: hide, MinSpan: -1})
	spent := func(from, to time.Time) (sum time.Duration) {
		buckets, err := c.Buckets(t.Context())
		require.NoError(t, err)
		h := host{events: map[string][]Event{}}
		for _, b := range buckets {
			events, err := c.Events(t.Context(), b.ID, from, to)
			require.NoError(t, err)
			h.events[b.Type] = append(h.events[b.Type], events...)
		}
		for _, u := range h.report(c.o).windows {
			sum += u.length()
		}
		return sum
	}
	whole := spent(at("09:00:00"), at("09:40:00"))
	assert.Equal(t, 40*time.Minute, whole)
	for _, step := range []time.Duration{time.Minute, 7*time.Minute + 333*time.Millisecond, 1234 * time.Millisecond * 100} {
		var sum time.Duration
		for from := at("09:00:00"); from.Before(at("09:40:00")); from = from.Add(step) {
			sum += spent(from, earlier(from.Add(step), at("09:40:00")))
		}
		assert.Equal(t, whole, sum, step)
	}
}

// TestDelta_ContinuesAtCursor: calls that start at the previous Until report nothing twice.
func TestDelta_ContinuesAtCursor(t *testing.T) {
	s := newServer(t)
	workday(s)
	c := client(t, s, Options{Location: shanghai})
	first, err := c.Delta(t.Context(), at("09:00:00"), at("09:25:00"))
	require.NoError(t, err)
	assert.Contains(t, first.Text, "main.go")
	next, err := c.Delta(t.Context(), first.Until, at("09:29:00"))
	require.NoError(t, err)
	assert.NotContains(t, next.Text, "main.go")
	assert.Contains(t, next.Text, "speech.go")

	asked := len(s.asked)
	back, err := c.Delta(t.Context(), first.Until, at("09:20:00"))
	require.NoError(t, err)
	assert.Equal(t, Delta{From: at("09:25:00"), Until: at("09:25:00")}, back, "the clock went back")
	assert.Len(t, s.asked, asked)

	s.Close()
	gone, err := c.Delta(t.Context(), first.Until, at("10:00:00"))
	require.ErrorIs(t, err, ErrUnreachable)
	assert.Equal(t, at("09:25:00"), gone.Until, "a failure moves nothing")
}
