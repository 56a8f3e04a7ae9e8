package heartflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// QuietHours are the hours of the day in which the bot does not join in uncalled. Times of day are those that a clock on
// the wall shows in the Location of now: where clocks are changed, an hour that is shown twice counts twice, and one
// that is never shown not at all. A quiet hour changes no [State]: a [Trace] and a [RefusedError] tell when it ends.
type QuietHours struct {
	Spans           []Span // at most 24; they may overlap
	IgnoreAddressed bool   // who calls is not answered either
}

// A Span is a part of each day: its times are since midnight, as a clock shows them. It goes over midnight where From
// is after To. As text it is "23:00-07:30"; "00:00-24:00" is the whole day.
type Span struct{ From, To time.Duration }

const day = 24 * time.Hour

// holds reports whether a clock that shows tod is within s.
func (s Span) holds(tod time.Duration) bool {
	if s.From < s.To {
		return s.From <= tod && tod < s.To
	}
	return s.From <= tod || tod < s.To
}

func (s Span) valid() bool {
	return 0 <= s.From && s.From < day && 0 <= s.To && s.To <= day && s.From != s.To
}

// String is "23:00-07:30", with seconds where there are any.
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

// MarshalText writes s as String does.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads "23:00-07:30" or "23:00:00-07:30:00".
func (s *Span) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), "-")
	got := Span{From: clock(from), To: clock(to)}
	if !ok || !got.valid() {
		return fmt.Errorf("heartflow: %q is no span: it must be two different times of day, as in 23:00-07:30", text)
	}
	*s = got
	return nil
}

// clock reads a time of day; -1: it is none.
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
		return fmt.Errorf("heartflow: Quiet has %d spans: at most 24 are allowed", len(q.Spans))
	}
	for i, s := range q.Spans {
		if !s.valid() {
			return fmt.Errorf("heartflow: Quiet.Spans[%d] is from %v to %v: From must be below 24h, To at most 24h, and both different", i, s.From, s.To)
		}
	}
	return nil
}

// at reports whether it is quiet at t. A nil Quiet never is.
func (q *QuietHours) at(t tick.Tick, loc *time.Location) bool {
	if q == nil || len(q.Spans) == 0 {
		return false
	}
	tod := timeOfDay(t, loc)
	return slices.ContainsFunc(q.Spans, func(s Span) bool { return s.holds(tod) })
}

// ends is when the quiet hours are over that hold at t; forever: they are the whole day.
func (q *QuietHours) ends(t tick.Tick, loc *time.Location) tick.Tick {
	for limit := t.Add(8 * day); t < limit; {
		if !q.at(t, loc) {
			return t
		}
		// The next time at which one may end: where a span does, or where clocks are changed.
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

// timeOfDay is what a clock shows at t, as the time since it showed midnight.
func timeOfDay(t tick.Tick, loc *time.Location) time.Duration {
	_, offset := time.Unix(0, int64(t)).In(loc).Zone()
	return (time.Duration(t)%day + time.Duration(offset)*time.Second + day) % day
}

// hush makes a verdict silent where nobody calls in a quiet hour.
func (m *PolicyInput) hush(v Verdict) Verdict {
	if !m.QuietHours || m.Addressed || v.Do == Silent {
		return v
	}
	m.Gate(Gate{Code: WhyQuiet})
	m.shut = WhyQuiet
	return Verdict{Score: v.Score, Why: onlyQuiet}
}

// InQuietHours reports whether it is quiet in chat at now, by its Settings or the Options, and when that ends; zero: it does
// not. What is begun without a call ([Attention.BeginTurn], [Attention.SpeakUnprompted]) is let through at all hours: whoever
// begins a talk by itself asks here first.
func (a *Attention[K]) InQuietHours(now time.Time, chat K) (until time.Time, quiet bool) {
	at := a.enter(now)
	defer a.leave()
	q := a.tuning(chat).quiet
	if !q.at(at, a.account.loc) {
		return time.Time{}, false
	}
	return q.ends(at, a.account.loc).End(a.account.loc), true
}
