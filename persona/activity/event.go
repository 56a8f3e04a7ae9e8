package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Types of buckets. A [Client] ignores other types.
const (
	BucketWindow = "currentwindow"       // data: app, title
	BucketAFK    = "afkstatus"           // data: status, "afk" or "not-afk"
	BucketWeb    = "web.tab.current"     // data: url, title, incognito
	BucketEditor = "app.editor.activity" // data: file, project, language
)

// A Bucket contains the events of one watcher on one host.
type Bucket struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Client   string `json:"client"`
	Hostname string `json:"hostname"` // "unknown" or empty if the watcher does not know it, as in browsers
}

// An Event is an activity with a duration, which is never negative. 0 means a single heartbeat.
type Event struct {
	ID       int64 // 0 if the server sends none
	At       time.Time
	Duration time.Duration
	Data     map[string]any
}

// End returns the end of the event.
func (e Event) End() time.Time { return e.At.Add(e.Duration) }

// Text returns a string of the event's data, or "" if there is none.
func (e Event) Text(key string) string {
	s, _ := e.Data[key].(string)
	return s
}

// Bool returns a boolean of the event's data.
func (e Event) Bool(key string) bool {
	b, _ := e.Data[key].(bool)
	return b
}

// maxDuration limits the duration of an event. The server assumes the same limit.
const maxDuration = 24 * time.Hour

// ParseEvents parses the server's list of events in its order. It drops events without a valid time. An invalid duration
// counts as 0, and one of more than a day as a day.
func ParseEvents(data []byte) ([]Event, error) {
	var raw []struct {
		ID        json.RawMessage `json:"id"`
		Timestamp json.RawMessage `json:"timestamp"`
		Duration  json.RawMessage `json:"duration"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("activity: parse events: %w", err)
	}
	events := make([]Event, 0, len(raw))
	for _, r := range raw {
		at, ok := parseTime(r.Timestamp)
		if !ok {
			continue
		}
		e := Event{At: at, Duration: parseDuration(r.Duration)}
		// A field of another type counts as missing.
		_ = json.Unmarshal(r.ID, &e.ID)
		if json.Unmarshal(r.Data, &e.Data) != nil {
			e.Data = nil
		}
		events = append(events, e)
	}
	return events, nil
}

// parseTime parses ISO 8601 in the server's format, "2026-11-20T09:00:00.123000+00:00", with any fraction, offset or Z. A time
// without an offset is UTC.
func parseTime(data json.RawMessage) (time.Time, bool) {
	var s string
	if bytes.Equal(data, []byte("null")) || json.Unmarshal(data, &s) != nil {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1971 && t.Year() < 2200 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func parseDuration(data json.RawMessage) time.Duration {
	var seconds float64
	if json.Unmarshal(data, &seconds) != nil || math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, maxDuration.Seconds()) * float64(time.Second)).Round(time.Millisecond)
}
