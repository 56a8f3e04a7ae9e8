package activity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spent returns the total time of a list.
func spent(all []interval) map[string]time.Duration {
	sum := map[string]time.Duration{}
	for _, u := range all {
		sum[u.group+"/"+u.title] += u.length()
	}
	return sum
}

func event(from, to string, data map[string]any) Event {
	return Event{At: at(from), Duration: at(to).Sub(at(from)), Data: data}
}

func window(from, to, app, title string) Event {
	return event(from, to, map[string]any{"app": app, "title": title})
}

func page(from, to, url, title string, incognito bool) Event {
	return event(from, to, map[string]any{"url": url, "title": title, "incognito": incognito})
}

// TestReport_PrivatePages: a window is hidden with the private page in it, unless they overlap by less than skew.
func TestReport_PrivatePages(t *testing.T) {
	o, err := Options{}.withDefaults()
	require.NoError(t, err)
	for _, v := range []struct {
		what     string
		from, to string // of a private page
		gone     []string
	}{
		{"elsewhere", "11:00:00", "11:10:00", nil},
		{"all of one", "09:10:00", "09:20:00", []string{"Firefox/b"}},
		{"early and late by a second", "09:09:59", "09:20:01", []string{"Firefox/b"}},
		{"a part of one", "09:12:00", "09:13:00", []string{"Firefox/b"}},
		{"a heartbeat", "09:12:00", "09:12:00", []string{"Firefox/b"}},
		{"a second", "09:12:00", "09:12:01", []string{"Firefox/b"}},
		{"a heartbeat at the edge", "09:10:00", "09:10:00", []string{"Firefox/b"}},
		{"over two", "09:05:00", "09:15:00", []string{"Firefox/a", "Firefox/b"}},
		{"not the editor", "08:00:00", "12:00:00", []string{"Firefox/a", "Firefox/b"}},
	} {
		d := host{events: map[string][]Event{
			BucketWindow: {window("09:00:00", "09:10:00", "Firefox", "a"), window("09:10:00", "09:20:00", "Firefox", "b"), window("09:20:00", "09:30:00", "Code", "c")},
			BucketWeb:    {page(v.from, v.to, "https://a.example/", "x", true)},
		}}.report(o)
		want := map[string]time.Duration{"Firefox/a": 10 * time.Minute, "Firefox/b": 10 * time.Minute, "Code/c": 10 * time.Minute}
		for _, gone := range v.gone {
			delete(want, gone)
		}
		assert.Equal(t, want, spent(d.windows), v.what)
		assert.Empty(t, d.pages)
	}
}

// TestReport_HiddenWindows: pages and files lose the time of a hidden window.
func TestReport_HiddenWindows(t *testing.T) {
	o, err := Options{}.withDefaults()
	require.NoError(t, err)
	file := func(from, to, name string) Event {
		return event(from, to, map[string]any{"file": "/a/" + name, "project": "/p"})
	}
	d := host{events: map[string][]Event{
		BucketWindow: {window("09:10:00", "09:20:00", "Firefox", "x — Private Browsing")},
		BucketEditor: {file("09:00:00", "10:00:00", "long"), file("09:04:00", "09:19:00", "mostly"), file("09:05:00", "09:15:00", "half")},
		BucketWeb:    {page("09:00:00", "10:00:00", "https://a.example", "long", false), page("09:04:00", "09:19:00", "https://a.example", "mostly", false)},
	}}.report(o)
	assert.Empty(t, d.windows)
	assert.Equal(t, map[string]time.Duration{"p/long": 50 * time.Minute, "p/half": 5 * time.Minute}, spent(d.files))
	assert.Empty(t, d.pages, "the browser was never in front with anything to show")
	d = host{events: map[string][]Event{
		BucketWindow: {window("09:10:00", "09:20:00", "x", "InPrivate")},
		BucketWeb:    {page("09:00:00", "10:00:00", "https://a.example", "long", false), page("09:04:00", "09:19:00", "https://a.example", "mostly", false)},
	}}.report(o)
	assert.Equal(t, map[string]time.Duration{"a.example/long": 50 * time.Minute}, spent(d.pages))
}

// TestReport_PagesInFront: pages count while a browser is in front. Without a known browser they always count.
func TestReport_PagesInFront(t *testing.T) {
	o, err := Options{}.withDefaults()
	require.NoError(t, err)
	pages := []Event{page("09:00:00", "10:00:00", "https://www.a.example:8443/b?c", "x", false), page("10:00:00", "10:10:00", "about:blank", "y", false), page("10:10:00", "10:20:00", "::", "", false)}
	windows := []Event{window("09:10:00", "09:20:00", "firefox.exe", "x"), window("09:20:00", "09:30:00", "Code", "c"), window("09:50:00", "10:30:00", "Google Chrome", "x")}
	away := []Event{event("09:15:00", "09:18:00", map[string]any{"status": "afk"}), event("09:00:00", "09:15:00", map[string]any{"status": "not-afk"})}
	d := host{events: map[string][]Event{BucketWindow: windows, BucketWeb: pages, BucketAFK: away}}.report(o)
	assert.Equal(t, map[string]time.Duration{"a.example/x": 17 * time.Minute, "about/y": 10 * time.Minute, "/": 10 * time.Minute}, spent(d.pages))
	assert.Equal(t, 3*time.Minute, d.away)
	d = host{events: map[string][]Event{BucketWindow: windows[1:2], BucketWeb: pages, BucketAFK: away}}.report(o)
	assert.Equal(t, 57*time.Minute, spent(d.pages)["a.example/x"])
}

// TestReport_MergesIntervals: intervals with a short break are merged, and too short ones are dropped.
func TestReport_MergesIntervals(t *testing.T) {
	windows := []Event{
		window("09:00:00", "09:05:00", "a", "x"), window("09:06:00", "09:10:00", "a", "x"), // a minute apart
		window("09:11:01", "09:15:00", "a", "x"), window("09:15:00", "09:15:04", "b", "y"), window("09:20:00", "09:20:05", "b", "y"),
		window("09:15:00", "09:14:00", "c", "z"),
	}
	for _, v := range []struct {
		o    Options
		want int
	}{{Options{}, 3}, {Options{MergeGap: -1}, 4}, {Options{MergeGap: time.Hour}, 2}, {Options{MinSpan: -1}, 4}, {Options{MinSpan: time.Hour}, 0}} {
		o, err := v.o.withDefaults()
		require.NoError(t, err)
		assert.Len(t, host{events: map[string][]Event{BucketWindow: windows}}.report(o).windows, v.want, "%+v", v.o)
	}
}

// TestDelta_SeveralHosts: each host has its own time away. A browser without a host name belongs to the only host.
func TestDelta_SeveralHosts(t *testing.T) {
	s := newServer(t)
	s.bucket("w1", BucketWindow, "desk")
	s.bucket("afk1", BucketAFK, "desk")
	s.bucket("web", BucketWeb, "unknown")
	s.add("w1", at("09:00:00"), time.Hour, map[string]any{"app": "Firefox", "title": "x"})
	s.add("afk1", at("09:30:00"), time.Hour, map[string]any{"status": "afk"})
	s.add("web", at("09:00:00"), time.Hour, map[string]any{"url": "https://a.example", "title": "x"})
	c := client(t, s, Options{Location: shanghai})
	n, err := c.Delta(t.Context(), at("09:00:00"), at("10:00:00"))
	require.NoError(t, err)
	assert.Equal(t, `2026-11-20 周五 09:00 到 10:00（UTC+8）
电脑 desk：用了 30分，离开 30分
09:00–09:30 Firefox（30分）：「x」
网页 a.example（30分）：「x」`, n.Text)

	s.bucket("w2", BucketWindow, "lap\ntop")
	s.add("w2", at("09:10:00"), time.Hour, map[string]any{"app": "Code", "title": ""})
	n, err = c.Delta(t.Context(), at("09:00:00").AddDate(0, 0, -1), at("09:20:00"))
	require.NoError(t, err)
	assert.Equal(t, `2026-11-19 周四 09:20 到 2026-11-20 周五 09:20（UTC+8），更早的没有看
电脑
网页 a.example（20分）：「x」
电脑 desk：用了 20分
11-20 09:00–09:20 Firefox（20分）：「x」
电脑 lap top：用了 10分
11-20 09:10–09:20 Code（10分）`, n.Text)
}

// TestDelta_Away: a period away is reported. Without events there is no text.
func TestDelta_Away(t *testing.T) {
	s := newServer(t)
	s.bucket("afk", BucketAFK, "desk")
	c := client(t, s, Options{})
	n, err := c.Delta(t.Context(), at("09:00:00"), at("10:00:00"))
	require.NoError(t, err)
	assert.Empty(t, n.Text)
	s.add("afk", at("08:00:00"), 3*time.Hour, map[string]any{"status": "afk"})
	n, err = c.Delta(t.Context(), at("09:00:00"), at("10:00:00"))
	require.NoError(t, err)
	assert.Equal(t, "2026-11-20 周五 01:00 到 02:00（UTC）\n电脑 desk：离开 1小时", n.Text)
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{5 * time.Second: "5秒", 59999 * time.Millisecond: "59秒", time.Minute: "1分", 3599 * time.Second: "59分", time.Hour: "1小时", 25*time.Hour + 90*time.Second: "25小时1分"} {
		assert.Equal(t, want, formatDuration(d))
	}
}
