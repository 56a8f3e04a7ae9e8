package prompt

import "time"

var weekdays = [...]string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"}

// A clock formats times for a context.
type clock struct {
	loc   *time.Location
	year  int
	month time.Month
	day   int
}

func newClock(now time.Time, loc *time.Location) clock {
	c := clock{loc: loc}
	c.year, c.month, c.day = now.In(loc).Date()
	return c
}

// append writes "15:04:05" for a time on the clock's day, "01-02 15:04:05" for a time in the same year, and "2006-01-02
// 15:04:05" otherwise.
func (c *clock) append(b []byte, t time.Time) []byte {
	t = t.In(c.loc)
	year, month, day := t.Date()
	switch {
	case year != c.year:
		return t.AppendFormat(b, "2006-01-02 15:04:05")
	case month != c.month || day != c.day:
		b = append(twoDigits(append(twoDigits(b, int(month)), '-'), day), ' ')
	}
	hour, minute, second := t.Clock()
	return twoDigits(append(twoDigits(append(twoDigits(b, hour), ':'), minute), ':'), second)
}

func twoDigits(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
