package when

import (
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A Span is a range of time: Since is included, Until is not.
type Span struct{ Since, Until time.Time }

// Contains reports whether at is in the span. The zero time is in no span.
func (s Span) Contains(at time.Time) bool {
	return !at.IsZero() && !at.Before(s.Since) && at.Before(s.Until)
}

// Find finds the first time expression in text. It returns the span that the expression means at the time now, in now's
// time zone. The expression is text[loc[0]:loc[1]]. If there is none, ok is false.
//
// Two joined expressions are one span: 周一到周三 / from Monday to Wednesday. Weeks begin on Monday. A bare weekday or date
// means its latest start. All spans except hours and minutes follow the calendar, even if the clocks change.
//
// Find reads the first 2 KiB of text. It skips bare hours and future times: 明天 / 周五见 / next week / by Friday.
func Find(text string, now time.Time) (span Span, loc [2]int, ok bool) {
	rs, at := runes(text)
	c := calendar{now.Round(0)}
	for i := 0; i < len(rs); i++ {
		s, n := c.read(rs, i)
		if n == 0 {
			continue
		}
		if isFutureOrRepeated(rs, i) {
			i += n - 1
			continue
		}
		if to := prefix(rs, i+n, connectors[:]...); to > 0 && i+n+to < len(rs) {
			j := i + n + to
			if now := prefix(rs, j, "现在", "now"); now > 0 && s.Since.Before(c.now) {
				s.Until, n = c.now.Add(time.Second), j+now-i
			} else if t, m := c.read(rs, j); m > 0 && t.Since.After(s.Since) {
				s.Until, n = t.Until, j+m-i
			}
		}
		if !s.Since.Before(s.Until) || s.Since.Year() < 1678 || s.Until.Year() > 2261 {
			continue
		}
		return s, [2]int{at[i], at[i+n]}, true
	}
	return Span{}, loc, false
}

const maxText = 2 << 10

// runes folds full-width characters and upper case of the first maxText bytes. at[i] is the byte offset of rs[i]; the last element of at is their end.
func runes(text string) (rs []rune, at []int) {
	text = clip.Bytes(text, maxText)
	rs, at = make([]rune, 0, len(text)), make([]int, 0, len(text)+1)
	for i, r := range text {
		if 0xFF01 <= r && r <= 0xFF5E {
			r -= 0xFEE0
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		rs, at = append(rs, r), append(at, i)
	}
	return rs, append(at, len(text))
}

// connectors join two expressions into one span.
var connectors = [...]string{"到", "至", "~", " to ", " until ", " till ", " - "}

// prefix returns the length in runes of the first word that begins at i, or 0.
func prefix(rs []rune, i int, words ...string) int {
next:
	for _, word := range words {
		n := 0
		for _, r := range word {
			if i+n >= len(rs) || rs[i+n] != r {
				continue next
			}
			n++
		}
		return n
	}
	return 0
}

// A calendar computes spans relative to now.
type calendar struct{ now time.Time }

// read parses an expression at i and returns its length in runes, or 0.
func (c calendar) read(rs []rune, i int) (Span, int) {
	switch r := rs[i]; {
	case '0' <= r && r <= '9':
		if i > 0 && (isDigit(rs[i-1]) || rs[i-1] == '.' || rs[i-1] == '-' || isLetter(rs[i-1])) {
			return Span{}, 0
		}
		for _, read := range [...]func([]rune, int) (Span, int){c.iso, c.chinese, c.english} {
			if s, n := read(rs, i); n > 0 {
				return s, n
			}
		}
	case isLetter(r):
		if (i == 0 || !isLetter(rs[i-1]) && !isDigit(rs[i-1])) && isFirstWord(rs, i) {
			return c.english(rs, i)
		}
	case strings.ContainsRune(beginZh, r):
		return c.chinese(rs, i)
	}
	return Span{}, 0
}

func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isLetter(r rune) bool { return 'a' <= r && r <= 'z' }

// begin returns the first moment of a day. If the clocks change at midnight, 0:00 may not exist or may occur twice.
func (c calendar) begin(year int, month time.Month, day int) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, c.now.Location())
	year, month, day = noon.Date() // normalized: the 32nd is the 1st of the next month
	t := time.Date(year, month, day, 0, 0, 0, 0, c.now.Location())
	if t.Day() != day { // there is no 0:00, and this is the evening before
		if _, end := t.ZoneBounds(); !end.IsZero() {
			return end
		}
		return t
	}
	if start, _ := t.ZoneBounds(); !start.IsZero() {
		_, before := start.Add(-1).Zone()
		_, after := t.Zone()
		if first := t.Add(time.Duration(after-before) * time.Second); first.Before(start) && first.Day() == day {
			return first
		}
	}
	return t
}

// days returns n whole days, beginning from days after today.
func (c calendar) days(from, n int) Span {
	y, m, d := c.now.Date()
	return Span{c.begin(y, m, d+from), c.begin(y, m, d+from+n)}
}

// weekday returns the number of days since Monday.
func (c calendar) weekday() int { return (int(c.now.Weekday()) + 6) % 7 }

func (c calendar) week(n int) Span { return c.days(7*n-c.weekday(), 7) }

func (c calendar) month(n int) Span {
	y, m, _ := c.now.Date()
	return Span{c.begin(y, m+time.Month(n), 1), c.begin(y, m+time.Month(n)+1, 1)}
}

func (c calendar) year(y int) Span { return Span{c.begin(y, 1, 1), c.begin(y+1, 1, 1)} }

// dayOf returns the weekday (0 is Monday) of the n-th week from now; if n is 1, its latest occurrence up to today.
func (c calendar) dayOf(weekday, n int) Span {
	if n == 1 {
		return c.days(-((c.weekday() - weekday + 7) % 7), 1)
	}
	return c.days(7*n-c.weekday()+weekday, 1)
}

// weekend returns Saturday and Sunday of the n-th week from now; if n is 1, the latest weekend that has begun.
func (c calendar) weekend(n int) Span {
	if n == 1 {
		n = -1
		if c.weekday() >= 5 {
			n = 0
		}
	}
	return c.days(7*n-c.weekday()+5, 2)
}

// date returns a day, or a month if day is 0. Year 0 means the latest year in which the date has begun. A date that does not exist (2月30日) is not ok.
func (c calendar) date(year int, month time.Month, day int) (Span, bool) {
	if month < 1 || month > 12 || day < 0 || day > 31 {
		return Span{}, false
	}
	of := func(year int) (Span, bool) {
		if day == 0 {
			return Span{c.begin(year, month, 1), c.begin(year, month+1, 1)}, true
		}
		there := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() == day
		return Span{c.begin(year, month, day), c.begin(year, month, day+1)}, there
	}
	if year != 0 {
		s, ok := of(year)
		return s, ok && year >= 1678 && year <= 2260
	}
	for back := range 9 { // 29 February is not every year
		if s, ok := of(c.now.Year() - back); ok && !s.Since.After(c.now) {
			return s, true
		}
	}
	return Span{}, false
}

// A unit of time.
type unit uint8

const (
	minutes unit = iota + 1
	hours
	days
	weeks
	months
	years
)

// maxCount is the largest number of each unit that is accepted.
var maxCount = [...]int{minutes: 10000, hours: 1000, days: 3660, weeks: 520, months: 240, years: 300}

// ago returns the day, week, month or year n units before now. For hours and minutes it returns a range around that
// moment.
func (c calendar) ago(n int, u unit) Span {
	switch u {
	case minutes:
		t := c.now.Add(-time.Duration(n) * time.Minute)
		slack := time.Duration(max(1, n/4)) * time.Minute
		return Span{t.Add(-slack), t.Add(slack)}
	case hours:
		t := c.now.Add(-time.Duration(n) * time.Hour)
		return Span{t.Add(-time.Hour / 2), t.Add(time.Hour / 2)}
	case days:
		return c.days(-n, 1)
	case weeks:
		return c.week(-n)
	case months:
		return c.month(-n)
	}
	return c.year(c.now.Year() - n)
}

// past returns the last n units, up to and including now.
func (c calendar) past(n int, u unit) Span {
	y, m, d := c.now.Date()
	s := Span{Until: c.now.Add(time.Second)} // includes now
	switch u {
	case minutes:
		s.Since = c.now.Add(-time.Duration(n) * time.Minute)
	case hours:
		s.Since = c.now.Add(-time.Duration(n) * time.Hour)
	case days:
		s.Since = c.begin(y, m, d-n)
	case weeks:
		s.Since = c.begin(y, m, d-7*n)
	case months:
		s.Since = c.monthsAgo(n)
	default:
		s.Since = c.monthsAgo(12 * n)
	}
	return s
}

// monthsAgo returns the same day n months earlier, or the last day of a shorter month: a month before 31 March is 28 February.
func (c calendar) monthsAgo(n int) time.Time {
	y, m, d := c.now.Date()
	m -= time.Month(n)
	last := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return c.begin(y, m, min(d, last))
}

// A part of a day, in hours; above 24 it ends on the next day.
type part struct{ from, to int }

var (
	morning    = part{5, 12}
	noonish    = part{11, 14}
	afternoon  = part{12, 18}
	evening    = part{18, 29} // people stay up
	midnight   = part{22, 30}
	smallHours = part{0, 6}
	wholeDay   = part{0, 24}
)

// of returns this part of the day s.
func (p part) of(c calendar, s Span) Span {
	if p == wholeDay {
		return s
	}
	y, m, d := s.Since.Date()
	at := func(h int) time.Time { return time.Date(y, m, d, h, 0, 0, 0, c.now.Location()) }
	if t := at(p.from); t.After(s.Since) {
		s.Since = t
	}
	s.Until = at(p.to)
	return s
}

// iso parses 2026-03-05, 2026/3/5 and 2026.3.5.
func (c calendar) iso(rs []rune, i int) (Span, int) {
	year, n := digits(rs, i, 4)
	if n != 4 || i+5 >= len(rs) || rs[i+4] != '-' && rs[i+4] != '/' && rs[i+4] != '.' {
		return Span{}, 0
	}
	month, a := digits(rs, i+5, 2)
	at := i + 5 + a
	if a == 0 || at >= len(rs) || rs[at] != rs[i+4] {
		return Span{}, 0
	}
	day, b := digits(rs, at+1, 2)
	if at += 1 + b; b == 0 || day == 0 || at < len(rs) && isDigit(rs[at]) {
		return Span{}, 0
	}
	s, ok := c.date(year, time.Month(month), day)
	if !ok {
		return Span{}, 0
	}
	return s, at - i
}

// digits parses a number of up to most digits.
func digits(rs []rune, i, most int) (v, n int) {
	for n < most && i+n < len(rs) && isDigit(rs[i+n]) {
		v = 10*v + int(rs[i+n]-'0')
		n++
	}
	return v, n
}
