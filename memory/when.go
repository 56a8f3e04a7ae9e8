package memory

import (
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A Span is a stretch of time, from Since to before Until.
type Span struct{ Since, Until time.Time }

// Holds reports whether a moment lies in the span.
func (s Span) Holds(at time.Time) bool {
	return !at.IsZero() && !at.Before(s.Since) && at.Before(s.Until)
}

// When reads the first time that a text names, as somebody means it who looks back at now, in the time zone of now: 昨天, 前天晚上, 上周五, 上个月底, 3天前,
// 最近两周, 去年3月, 去年国庆, 3月5日, 2026-03-05; yesterday, last week, last Friday, two days ago, the past 3 weeks, in May, May 5th, 2026. Two that are joined (周一到周三, from
// Monday to Wednesday) are one span. Begin and end are where days, weeks (from Monday), months and years begin on the calendar, whatever
// clocks were changed meanwhile. Where is the part of the text that names it, in bytes.
//
// What lies ahead (明天, next week, 周五见, by Friday) is not read, nor are bare hours. A text is looked through in its first 2 KiB.
func When(text string, now time.Time) (span Span, where [2]int, ok bool) {
	rs, at := runes(text)
	c := calendar{now.Round(0)}
	for i := 0; i < len(rs); i++ {
		s, n := c.read(rs, i)
		if n == 0 {
			continue
		}
		if ahead(rs, i) {
			i += n - 1
			continue
		}
		if to := prefix(rs, i+n, joints[:]...); to > 0 && i+n+to < len(rs) {
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
	return Span{}, where, false
}

const maxWhen = 2 << 10

// runes folds the beginning of a text, and says at which byte each rune begins; the last is where they end.
func runes(text string) (rs []rune, at []int) {
	text = clip.Bytes(text, maxWhen)
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

// joints join two times to a span.
var joints = [...]string{"到", "至", "~", " to ", " until ", " till ", " - "}

// prefix gives the length of the first of the words that stands at i; 0: none does.
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

// A calendar counts days, weeks, months and years from now.
type calendar struct{ now time.Time }

// read reads a time that is named at i, and returns how many runes name it; 0: none is.
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
		if (i == 0 || !isLetter(rs[i-1]) && !isDigit(rs[i-1])) && begins(rs, i) {
			return c.english(rs, i)
		}
	case strings.ContainsRune(beginZh, r):
		return c.chinese(rs, i)
	}
	return Span{}, 0
}

func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isLetter(r rune) bool { return 'a' <= r && r <= 'z' }

// begin is the first moment of a day. Where clocks are changed at midnight it may not be at 0:00, or 0:00 may be twice.
func (c calendar) begin(year int, month time.Month, day int) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, c.now.Location())
	year, month, day = noon.Date() // as the calendar has it: the 32nd is the 1st
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

// days is a span of whole days: from so many days from now on, n of them.
func (c calendar) days(from, n int) Span {
	y, m, d := c.now.Date()
	return Span{c.begin(y, m, d+from), c.begin(y, m, d+from+n)}
}

// weekday is how many days ago Monday was.
func (c calendar) weekday() int { return (int(c.now.Weekday()) + 6) % 7 }

func (c calendar) week(n int) Span { return c.days(7*n-c.weekday(), 7) }

func (c calendar) month(n int) Span {
	y, m, _ := c.now.Date()
	return Span{c.begin(y, m+time.Month(n), 1), c.begin(y, m+time.Month(n)+1, 1)}
}

func (c calendar) year(y int) Span { return Span{c.begin(y, 1, 1), c.begin(y+1, 1, 1)} }

// dayOf is the weekday (0 is Monday) of the n-th week from now; where n is 1 the last that was.
func (c calendar) dayOf(weekday, n int) Span {
	if n == 1 {
		return c.days(-((c.weekday() - weekday + 7) % 7), 1)
	}
	return c.days(7*n-c.weekday()+weekday, 1)
}

// weekend is Saturday and Sunday of the n-th week; where n is 1 the last that began.
func (c calendar) weekend(n int) Span {
	if n == 1 {
		n = -1
		if c.weekday() >= 5 {
			n = 0
		}
	}
	return c.days(7*n-c.weekday()+5, 2)
}

// date is a day, or where day is 0 a month. Year 0 is that of the last such date. What is on no calendar (2月30日) is none.
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

// most is how many of each are taken for a time.
var most = [...]int{minutes: 10000, hours: 1000, days: 3660, weeks: 520, months: 240, years: 300}

// ago is n units before now: the day, week, month or year, or half an hour or minute around a shorter time.
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

// past is the last n units, up to now.
func (c calendar) past(n int, u unit) Span {
	y, m, d := c.now.Date()
	s := Span{Until: c.now.Add(time.Second)} // now itself is in it
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

// monthsAgo is this day of an earlier month, or its last one: a month before 31 March is 28 February.
func (c calendar) monthsAgo(n int) time.Time {
	y, m, d := c.now.Date()
	m -= time.Month(n)
	last := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return c.begin(y, m, min(d, last))
}

// A part of a day, in hours.
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

// of narrows a day to its part.
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

// iso reads 2026-03-05, 2026/3/5 and 2026.3.5.
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

// digits reads a number of up to so many digits.
func digits(rs []rune, i, most int) (v, n int) {
	for n < most && i+n < len(rs) && isDigit(rs[i+n]) {
		v = 10*v + int(rs[i+n]-'0')
		n++
	}
	return v, n
}
