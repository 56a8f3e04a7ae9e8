package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Types of buckets that are read. Others are left alone.
const (
	BucketWindow = "currentwindow"       // data: app, title
	BucketAFK    = "afkstatus"           // data: status, "afk" or "not-afk"
	BucketWeb    = "web.tab.current"     // data: url, title, incognito
	BucketEditor = "app.editor.activity" // data: file, project, language
)

// A Bucket is what one watcher reports of one host.
type Bucket struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Client   string `json:"client"`
	Hostname string `json:"hostname"` // "unknown" or empty where the watcher cannot tell, as in browsers
}

// An Event is something that lasted. Duration is never negative; 0 is one heartbeat.
type Event struct {
	ID       int64 // 0 where the server gives none
	At       time.Time
	Duration time.Duration
	Data     map[string]any
}

// End is when it was over.
func (e Event) End() time.Time { return e.At.Add(e.Duration) }

// Text gives a text of the event's data; "" where there is none.
func (e Event) Text(key string) string {
	s, _ := e.Data[key].(string)
	return s
}

// Bool gives a flag of the event's data.
func (e Event) Bool(key string) bool {
	b, _ := e.Data[key].(bool)
	return b
}

// maxDuration bounds what is believed: the server itself takes it that no event lasts longer.
const maxDuration = 24 * time.Hour

// ParseEvents reads the server's list of events, in its order. Events without a time that can be read are left out;
// a duration that is none counts as 0, and one of over a day as a day.
func ParseEvents(data []byte) ([]Event, error) {
	var raw []struct {
		ID        json.RawMessage `json:"id"`
		Timestamp json.RawMessage `json:"timestamp"`
		Duration  json.RawMessage `json:"duration"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("activity: a list of events: %w", err)
	}
	events := make([]Event, 0, len(raw))
	for _, r := range raw {
		at, ok := parseTime(r.Timestamp)
		if !ok {
			continue
		}
		e := Event{At: at, Duration: parseDuration(r.Duration)}
		// What is of another type than usual is as if it were not there.
		_ = json.Unmarshal(r.ID, &e.ID)
		if json.Unmarshal(r.Data, &e.Data) != nil {
			e.Data = nil
		}
		events = append(events, e)
	}
	return events, nil
}

// parseTime reads ISO 8601 as the server writes it, "2026-11-20T09:00:00.123000+00:00", with any fraction, offset or Z.
// Without an offset it is UTC, as the server has it.
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
