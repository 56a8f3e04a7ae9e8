package heartflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// QuietHours are daily hours without interjections. Times are wall clock times in the Location of now. When clocks
// change, a repeated hour counts twice and a skipped hour does not count. Quiet hours do not change the [State].
// Their end is in a [Trace] and in a [RefusedError].
type QuietHours struct {
	Spans           []Span // at most 24; they may overlap
	IgnoreAddressed bool   // messages to the bot are not answered either
}

// A Span is a part of each day. From and To are wall clock times, counted from midnight. A Span crosses midnight if
// From is after To. As text it is "23:00-07:30"; "00:00-24:00" is the whole day.
type Span struct{ From, To time.Duration }

const day = 24 * time.Hour

// contains reports whether the time of day tod is within s.
func (s Span) contains(tod time.Duration) bool {
	if s.From < s.To {
		return s.From <= tod && tod < s.To
	}
	return s.From <= tod || tod < s.To
}

func (s Span) valid() bool {
	return 0 <= s.From && s.From < day && 0 <= s.To && s.To <= day && s.From != s.To
}

// String returns a text like "23:00-07:30", with seconds if there are any.
func (s Span) String() string {
	clock := func(d time.Duration) string {
		h, m, s := d/time.Hour, d/time.Minute%60, d/time.Second%60
		if s != 0 {
			return fmt.Sprintf("%02d:%02d:%02d", h, m, s)
		}
		return fmt.Sprintf("%02d:%02d", h, m)
	}
	return clock(s.From) + "-" + clock(s.To)
}

// MarshalText returns the text of String.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses "23:00-07:30" or "23:00:00-07:30:00".
func (s *Span) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), "-")
	got := Span{From: clock(from), To: clock(to)}
	if !ok || !got.valid() {
		return fmt.Errorf("heartflow: invalid span %q: it must be two different times of day, as in 23:00-07:30", text)
	}
	*s = got
	return nil
}

// clock parses a time of day; -1: invalid.
func clock(s string) time.Duration {
	s = strings.TrimSpace(s)
	if s == "24:00" || s == "24:00:00" {
		return day
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
		}
	}
	return -1
}

func (q *QuietHours) validate() error {
	if len(q.Spans) > 24 {
		return fmt.Errorf("heartflow: QuietHours has %d spans: at most 24 are allowed", len(q.Spans))
	}
	for i, s := range q.Spans {
		if !s.valid() {
			return fmt.Errorf("heartflow: QuietHours.Spans[%d] is from %v to %v: From must be below 24h, To at most 24h, and both different", i, s.From, s.To)
		}
	}
	return nil
}

// at reports whether t is in quiet hours. A nil QuietHours has none.
func (q *QuietHours) at(t tick.Tick, loc *time.Location) bool {
	if q == nil || len(q.Spans) == 0 {
		return false
	}
	tod := timeOfDay(t, loc)
	return slices.ContainsFunc(q.Spans, func(s Span) bool { return s.contains(tod) })
}

// ends returns the end of the quiet hours at t; Forever: they never end.
func (q *QuietHours) ends(t tick.Tick, loc *time.Location) tick.Tick {
	for limit := t.Add(8 * day); t < limit; {
		if !q.at(t, loc) {
			return t
		}
		// The next possible end: the end of a span or a change of the clocks.
		tod, step := timeOfDay(t, loc), day
		for _, s := range q.Spans {
			if d := (s.To - tod + day) % day; d > 0 {
				step = min(step, d)
			}
		}
		next := t.Add(step)
		if _, change := t.Time(loc).ZoneBounds(); !change.IsZero() {
			next = min(next, tick.Of(change))
		}
		t = next
	}
	return tick.Forever
}

// timeOfDay returns the wall clock time at t, counted from midnight.
func timeOfDay(t tick.Tick, loc *time.Location) time.Duration {
	_, offset := time.Unix(0, int64(t)).In(loc).Zone()
	return (time.Duration(t)%day + time.Duration(offset)*time.Second + day) % day
}

// applyQuietHours silences an interjection in quiet hours.
func (m *PolicyInput) applyQuietHours(v Verdict) Verdict {
	if !m.QuietHours || m.Addressed || v.Do == Silent {
		return v
	}
	m.Gate(Gate{Code: WhyQuiet})
	m.blockedBy = WhyQuiet
	return Verdict{Score: v.Score, Why: whyQuiet}
}

// InQuietHours reports whether chat has quiet hours at now, by its Settings or the Options, and when they end. until
// is zero if they never end. [Attention.BeginTurn] with a reason of your own, and [Attention.Speak] with
// reasons, ignore quiet hours, so check InQuietHours before the bot starts a conversation.
func (a *Attention[K]) InQuietHours(now time.Time, chat K) (until time.Time, quiet bool) {
	at := a.enter(now)
	defer a.leave()
	q := a.settingsOf(chat).quietHours
	if !q.at(at, a.account.loc) {
		return time.Time{}, false
	}
	return q.ends(at, a.account.loc).End(a.account.loc), true
}

// keepsQuiet reports whether quiet hours apply to what the turn says.
func (u *turn) keepsQuiet(q *QuietHours) bool {
	return u.Begins || !u.Begun && (q.IgnoreAddressed || !u.Called)
}
