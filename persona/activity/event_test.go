package activity

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseEvents(t *testing.T) {
	events, err := ParseEvents([]byte(`[
		{"id": 7, "timestamp": "2026-11-20T01:00:00.123456+00:00", "duration": 12.3456, "data": {"app": "Code", "title": "a", "incognito": true, "n": 1}},
		{"id": null, "timestamp": "2026-11-20T09:00:00+08:00", "duration": -3, "data": null},
		{"id": "x", "timestamp": "2026-11-20T01:00:00.5Z", "duration": "long", "data": [1]},
		{"timestamp": "2026-11-20T01:00:00", "duration": 1e300},
		{"timestamp": "yesterday", "duration": 1},
		{"timestamp": null}, {}, null]`))
	require.NoError(t, err)
	one := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)
	require.Len(t, events, 4)
	assert.Equal(t, one.Add(123456*time.Microsecond), events[0].At)
	assert.Equal(t, 12346*time.Millisecond, events[0].Duration)
	assert.Equal(t, int64(7), events[0].ID)
	assert.Equal(t, "Code", events[0].Text("app"))
	assert.Empty(t, events[0].Text("n"))
	assert.True(t, events[0].Bool("incognito"))
	assert.Equal(t, Event{At: one}, events[1])
	assert.Equal(t, Event{At: one.Add(500 * time.Millisecond)}, events[2])
	assert.Equal(t, Event{At: one, Duration: maxDuration}, events[3])
	for _, bad := range []string{"", "{}", "[1]", `["x"]`, "[", "<html>"} {
		_, err := ParseEvents([]byte(bad))
		assert.Error(t, err, bad)
	}
}

// FuzzDelta checks for any response that the text has at most MaxText runes and that no title makes a line of its own.
func FuzzDelta(f *testing.F) {
	f.Add([]byte(`[{"id":1,"timestamp":"2026-11-20T01:00:00.123456+00:00","duration":600.5,"data":{"app":"Code","title":"a\nb"}}]`), uint8(0))
	f.Add([]byte(`[{"timestamp":"2026-11-20T01:00:00Z","duration":60,"data":{"url":"https://www.a.example:80/x?y","title":"t"}},{"timestamp":"2026-11-20T01:00:30+00:00","duration":1e9,"data":{"status":"afk"}}]`), uint8(1))
	f.Add([]byte(`[{"timestamp":"2026-11-20T01:00:00","duration":600,"data":{"file":"C:\\a\\b.go","project":"/p/"}}]`), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		events, err := ParseEvents(data)
		if err != nil {
			return
		}
		start, end := at("08:00:00"), at("20:00:00")
		events = clipEvents(events, start, end)
		for _, e := range events {
			if e.At.Before(start) || e.End().After(end) || e.Duration < 0 {
				t.Fatalf("%v lasts %v", e.At, e.Duration)
			}
		}
		o, err := Options{MaxText: 300}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		kinds := []string{BucketWindow, BucketAFK, BucketWeb, BucketEditor}
		h := host{name: "desk", events: map[string][]Event{
			kinds[kind%4]: events, kinds[(kind>>2)%4]: events, kinds[(kind>>4)%4]: events,
		}}
		d := h.report(o)
		text := o.text(Delta{From: start, Until: end}, []hostReport{d}, false)
		if n := utf8.RuneCountInString(text); n > o.MaxText || !utf8.ValidString(text) {
			t.Fatalf("%d runes: %q", n, text)
		}
		lines := 0
		for _, r := range text {
			if r == '\n' {
				lines++
			}
		}
		if most := 2 + len(d.windows) + len(d.pages) + len(d.files); lines > most {
			t.Fatalf("%d lines of %d uses: %q", lines, most, text)
		}
	})
}
