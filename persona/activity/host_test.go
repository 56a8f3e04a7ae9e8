package activity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spent sums what is told of a list.
func spent(all []use) map[string]time.Duration {
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

// TestPrivatePages: a window goes with the private page in it, but not for a second in which two watchers disagree.
func TestPrivatePages(t *testing.T) {
	o, err := Options{}.filled()
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
		}}.day(o)
		want := map[string]time.Duration{"Firefox/a": 10 * time.Minute, "Firefox/b": 10 * time.Minute, "Code/c": 10 * time.Minute}
		for _, gone := range v.gone {
			delete(want, gone)
		}
		assert.Equal(t, want, spent(d.windows), v.what)
		assert.Empty(t, d.pages)
	}
}

// TestHiddenWindows: what else was open goes for as long as a hidden window was in front.
func TestHiddenWindows(t *testing.T) {
	o, err := Options{}.filled()
	require.NoError(t, err)
	file := func(from, to, name string) Event {
		return event(from, to, map[string]any{"file": "/a/" + name, "project": "/p"})
	}
	d := host{events: map[string][]Event{
		BucketWindow: {window("09:10:00", "09:20:00", "Firefox", "x — Private Browsing")},
		BucketEditor: {file("09:00:00", "10:00:00", "long"), file("09:04:00", "09:19:00", "mostly"), file("09:05:00", "09:15:00", "half")},
		BucketWeb:    {page("09:00:00", "10:00:00", "https://a.example", "long", false), page("09:04:00", "09:19:00", "https://a.example", "mostly", false)},
	}}.day(o)
	assert.Empty(t, d.windows)
	assert.Equal(t, map[string]time.Duration{"p/long": 50 * time.Minute, "p/half": 5 * time.Minute}, spent(d.files))
	assert.Empty(t, d.pages, "the browser was never in front with anything to show")
	d = host{events: map[string][]Event{
		BucketWindow: {window("09:10:00", "09:20:00", "x", "InPrivate")},
		BucketWeb:    {page("09:00:00", "10:00:00", "https://a.example", "long", false), page("09:04:00", "09:19:00", "https://a.example", "mostly", false)},
	}}.day(o)
	assert.Equal(t, map[string]time.Duration{"a.example/long": 50 * time.Minute}, spent(d.pages))
}

// TestPagesInFront: pages count while a browser is in front; where no window is known to be one, all the time.
func TestPagesInFront(t *testing.T) {
	o, err := Options{}.filled()
	require.NoError(t, err)
	pages := []Event{page("09:00:00", "10:00:00", "https://www.a.example:8443/b?c", "x", false), page("10:00:00", "10:10:00", "about:blank", "y", false), page("10:10:00", "10:20:00", "::", "", false)}
	windows := []Event{window("09:10:00", "09:20:00", "firefox.exe", "x"), window("09:20:00", "09:30:00", "Code", "c"), window("09:50:00", "10:30:00", "Google Chrome", "x")}
	away := []Event{event("09:15:00", "09:18:00", map[string]any{"status": "afk"}), event("09:00:00", "09:15:00", map[string]any{"status": "not-afk"})}
	d := host{events: map[string][]Event{BucketWindow: windows, BucketWeb: pages, BucketAFK: away}}.day(o)
	assert.Equal(t, map[string]time.Duration{"a.example/x": 17 * time.Minute, "about/y": 10 * time.Minute, "/": 10 * time.Minute}, spent(d.pages))
	assert.Equal(t, 3*time.Minute, d.away)
	d = host{events: map[string][]Event{BucketWindow: windows[1:2], BucketWeb: pages, BucketAFK: away}}.day(o)
	assert.Equal(t, 57*time.Minute, spent(d.pages)["a.example/x"])
}

// TestJoined: what goes on after a short break is one, what was too short is none.
func TestJoined(t *testing.T) {
	windows := []Event{
		window("09:00:00", "09:05:00", "a", "x"), window("09:06:00", "09:10:00", "a", "x"), // a minute apart
		window("09:11:01", "09:15:00", "a", "x"), window("09:15:00", "09:15:04", "b", "y"), window("09:20:00", "09:20:05", "b", "y"),
		window("09:15:00", "09:14:00", "c", "z"),
	}
	for _, v := range []struct {
		o    Options
		want int
	}{{Options{}, 3}, {Options{MergeGap: -1}, 4}, {Options{MergeGap: time.Hour}, 2}, {Options{MinSpan: -1}, 4}, {Options{MinSpan: time.Hour}, 0}} {
		o, err := v.o.filled()
		require.NoError(t, err)
		assert.Len(t, host{events: map[string][]Event{BucketWindow: windows}}.day(o).windows, v.want, "%+v", v.o)
	}
}

// TestHosts: each machine has its own time away; a browser that does not know its machine belongs to the only one.
func TestHosts(t *testing.T) {
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

// TestAway: who was away all the time is said to have been; of nothing there is nothing to say.
func TestAway(t *testing.T) {
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

func TestLong(t *testing.T) {
	for d, want := range map[time.Duration]string{5 * time.Second: "5秒", 59999 * time.Millisecond: "59秒", time.Minute: "1分", 3599 * time.Second: "59分", time.Hour: "1小时", 25*time.Hour + 90*time.Second: "25小时1分"} {
		assert.Equal(t, want, long(d))
	}
}
