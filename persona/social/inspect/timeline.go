package inspect

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

const (
	hours = 24 // of a timeline

	// maxCounted limits the messages that a timeline counts.
	maxCounted = 8000
)

// A timeline counts the messages of a chat in each of the last 24 hours.
type timeline struct {
	Hours    [hours]hourCount // oldest first; the last one is the current hour
	Messages int
	Own      int
	Cut      bool // there were more messages than are counted

	most int // of an hour
}

// An hourCount counts the messages of an hour.
type hourCount struct {
	Began    time.Time
	Messages int // also the bot's own
	Own      int
}

// timeline counts the messages in the bot's memory, so that what was forgotten is not counted.
func (p *page) timeline(c persona.Chat) (timeline, error) {
	now := time.Now()
	for ask := 500; ; ask *= 4 {
		ask = min(ask, maxCounted)
		records, err := p.feed.Bot.Memory().Recent(p.r.Context(), memory.Space(c.String()), ask)
		if err != nil {
			return timeline{}, err
		}
		t := count(now, records)
		complete := len(records) < ask || records[0].At.Before(t.Hours[0].Began)
		if t.Cut = !complete; complete || ask == maxCounted {
			return t, nil
		}
	}
}

// count counts records by hour of the local clock.
func count(now time.Time, records []memory.Record) (t timeline) {
	now = now.Local()
	// not Truncate, which is off in time zones of half an hour
	began := now.Add(-time.Duration(now.Minute())*time.Minute - time.Duration(now.Second())*time.Second - time.Duration(now.Nanosecond()))
	for i := range t.Hours {
		t.Hours[i].Began = began.Add(time.Duration(i-hours+1) * time.Hour)
	}
	for _, r := range records {
		since := r.At.Sub(t.Hours[0].Began)
		if since < 0 || since >= hours*time.Hour {
			continue
		}
		h := &t.Hours[since/time.Hour]
		h.Messages++
		t.Messages++
		if r.Own {
			h.Own++
			t.Own++
		}
		t.most = max(t.most, h.Messages)
	}
	return t
}

// Sizes of the picture.
const (
	barWidth, barHeight = 12, 60
)

// A bar is an hour in the picture. The lower part of a bar is the bot's.
type bar struct {
	X, Y, Height    int
	OwnY, OwnHeight int
	Label           string // of each sixth hour
}

// Bars returns the bars of the picture.
func (t timeline) Bars() (bars [hours]bar) {
	for i, h := range t.Hours {
		b := &bars[i]
		b.X = i * barWidth
		b.Height, b.OwnHeight = t.height(h.Messages), t.height(h.Own)
		b.Y, b.OwnY = barHeight-b.Height, barHeight-b.OwnHeight
		if h.Began.Hour()%6 == 0 {
			b.Label = h.Began.Format("15:04")
		}
	}
	return bars
}

// height returns the height of a number; a number above 0 can be seen.
func (t timeline) height(n int) int {
	if n == 0 {
		return 0
	}
	return max(n*barHeight/t.most, 2)
}

// Busy returns the hours with messages, the latest first.
func (t timeline) Busy() (busy []hourCount) {
	for i := hours - 1; i >= 0; i-- {
		if t.Hours[i].Messages > 0 {
			busy = append(busy, t.Hours[i])
		}
	}
	return busy
}

// TimelineText says in a sentence what the picture shows.
func (p *page) TimelineText(t timeline) string {
	text := fmt.Sprintf(p.T("timelineText"), t.Messages, t.Own)
	if t.most > 0 {
		for _, h := range t.Hours {
			if h.Messages == t.most {
				return text + fmt.Sprintf(p.T("timelineMost"), h.Began.Format("15:04"), t.most)
			}
		}
	}
	return text
}
