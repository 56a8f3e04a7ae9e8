package when

import (
	"strings"
	"time"
)

// A token is a word or a number.
type token struct {
	text       string
	start, end int // in runes
}

// tokensAt returns the words and numbers from i on, at most eight.
func tokensAt(rs []rune, i int) []token {
	const longest = 8
	var ts []token
	for len(ts) < longest {
		start := i
		for i < len(rs) && (isLetter(rs[i]) || isDigit(rs[i])) && i-start < 16 {
			i++
		}
		if i == start {
			break
		}
		ts = append(ts, token{string(rs[start:i]), start, i})
		for i < len(rs) && (rs[i] == ' ' || rs[i] == ',') {
			i++
		}
	}
	return ts
}

// beginEn are the first words of English expressions.
const beginEn = " the on in from during over at since day night yesterday today tonight just last past previous this week a an few several couple half early mid late " +
	numbers + " " + weekdays + " " + monthNames + " " + shortMonths + " "

// isFirstWord reports whether the word at i is in beginEn.
func isFirstWord(rs []rune, i int) bool {
	var buf [16]byte
	b := append(buf[:0], ' ')
	for ; i < len(rs) && isLetter(rs[i]); i++ {
		if len(b) == len(buf)-1 {
			return false
		}
		b = append(b, byte(rs[i]))
	}
	return strings.Contains(beginEn, string(append(b, ' ')))
}

// english parses yesterday evening / last Friday / two weeks ago / the past 3 days / May 5th, 2026.
func (c calendar) english(rs []rune, i int) (Span, int) {
	all := tokensAt(rs, i)
	ts, lead := all, ""
	for len(ts) > 0 && indexOf("the on in from during over at since", ts[0].text) >= 0 {
		lead, ts = ts[0].text, ts[1:]
	}
	if lead != "" && len(ts) > 0 {
		if s, n := c.iso(rs, ts[0].start); n > 0 {
			return s, ts[0].start + n - i
		}
	}
	for _, read := range [...]func([]token, string) (Span, int){c.dayEn, c.agoEn, c.pastEn, c.lastEn, c.dateEn} {
		if s, n := read(ts, lead); n > 0 {
			if all[0].text == "since" && s.Since.Before(c.now) {
				s.Until = c.now.Add(time.Second)
			}
			return s, ts[n-1].end - i
		}
	}
	return Span{}, 0
}

// isFutureOrRepeated reports whether the word before i makes the expression a future or repeated one: next Friday / by Friday /
// every Sunday. It also reports "half", because it is not part of the expression.
func isFutureOrRepeated(rs []rune, i int) bool {
	const longest = 10
	end := i
	for end > 0 && rs[end-1] == ' ' {
		end--
	}
	start := end
	for start > 0 && isLetter(rs[start-1]) && end-start <= longest {
		start--
	}
	switch word := string(rs[start:end]); {
	case end == i || start == end:
		return false
	case indexOf("by until till before", word) >= 0:
		ts := tokensAt(rs, i)
		return len(ts) > 0 && indexOf(weekdays, ts[0].text) >= 0
	default:
		return indexOf("next every each coming following half", word) >= 0
	}
}

// nth returns the n-th token, or "".
func nth(ts []token, n int) string {
	if n < len(ts) {
		return ts[n].text
	}
	return ""
}

// starts returns the number of words if ts begins with them, else 0.
func starts(ts []token, words string) (n int) {
	for w := range strings.FieldsSeq(words) {
		if nth(ts, n) != w {
			return 0
		}
		n++
	}
	return n
}

func (c calendar) dayEn(ts []token, lead string) (Span, int) {
	if n := starts(ts, "just now"); n > 0 {
		return c.past(1, hours), n
	}
	if n := starts(ts, "other day"); n > 0 && lead == "the" {
		return c.days(-9, 9), n
	}
	for _, d := range [...]phrase[dayPart]{
		{"day before yesterday", dayPart{-2, wholeDay}}, {"yesterday", dayPart{-1, wholeDay}}, {"night before last", dayPart{-2, evening}}, {"last night", dayPart{-1, evening}}, {"today", dayPart{0, wholeDay}},
		{"tonight", dayPart{0, evening}}, {"this morning", dayPart{0, morning}}, {"this afternoon", dayPart{0, afternoon}}, {"this evening", dayPart{0, evening}},
	} {
		if n := starts(ts, d.text); n > 0 {
			p := d.value.part
			if p == wholeDay {
				q, m := partEn(ts, n)
				p, n = q, n+m
			}
			return p.of(c, c.days(d.value.days, 1)), n
		}
	}
	if n := starts(ts, "week before last"); n > 0 {
		return c.week(-2), n
	}
	return Span{}, 0
}

func partEn(ts []token, n int) (part, int) {
	switch nth(ts, n) {
	case "morning":
		return morning, 1
	case "noon":
		return noonish, 1
	case "afternoon":
		return afternoon, 1
	case "evening", "night":
		return evening, 1
	}
	return wholeDay, 0
}

// lastEn parses last week / this month / last Friday / Friday evening / last weekend.
func (c calendar) lastEn(ts []token, lead string) (Span, int) {
	if s, n := c.seasonEn(ts); n > 0 {
		return s, n
	}
	which, n := 1, 0
	switch nth(ts, 0) {
	case "last", "past", "previous":
		which, n = -1, 1
	case "this":
		which, n = 0, 1
	}
	what := nth(ts, n)
	day := indexOf(weekdays, what)
	if day < 0 && (n > 0 || indexOf("on from since", lead) >= 0) { // not "the sun"
		day = indexOf(shortDays, what)
	}
	if day >= 0 {
		if which == -1 && day < c.weekday() {
			which = 1 // on a Saturday, last Friday is mostly yesterday
		}
		p, m := partEn(ts, n+1)
		return p.of(c, c.dayOf(day, which)), n + 1 + m
	}
	if n == 0 {
		if what == "weekend" && lead != "" {
			return c.weekend(1), 1
		}
		return Span{}, 0
	}
	switch what {
	case "week":
		return c.week(which), n + 1
	case "weekend":
		return c.weekend(min(which, 0)), n + 1
	case "month":
		return c.month(which), n + 1
	case "year":
		return c.year(c.now.Year() + which), n + 1
	}
	if month := monthOf(what); month >= 0 && which == -1 {
		s, ok := c.date(0, time.Month(month+1), 0)
		if ok {
			return s, n + 1
		}
	}
	return Span{}, 0
}

// agoEn parses two days ago / a week ago / a couple of months ago.
func (c calendar) agoEn(ts []token, _ string) (Span, int) {
	if nth(ts, 0) == "half" && indexOf("a an", nth(ts, 1)) >= 0 && nth(ts, 3) == "ago" {
		switch nth(ts, 2) {
		case "hour":
			return c.ago(30, minutes), 4
		case "year":
			return c.ago(6, months), 4
		}
		return Span{}, 0
	}
	v, n := numberEn(ts, 0)
	u := unitEn(nth(ts, n))
	if n == 0 || u == 0 || nth(ts, n+1) != "ago" || v > maxCount[u] {
		return Span{}, 0
	}
	if last := ts[n-1].text; last == "few" || last == "several" {
		return Span{c.ago(9, u).Since, c.ago(2, u).Until}, n + 2
	}
	return c.ago(v, u), n + 2
}

// pastEn parses last three weeks / past few days.
func (c calendar) pastEn(ts []token, _ string) (Span, int) {
	if first := nth(ts, 0); first != "last" && first != "past" {
		return Span{}, 0
	}
	if u := unitEn(nth(ts, 1)); u != 0 && ts[0].text == "past" && !strings.HasSuffix(ts[1].text, "s") { // "the past week" ends now
		return c.past(1, u), 2
	}
	v, n := numberEn(ts, 1)
	u := unitEn(nth(ts, 1+n))
	if n == 0 || u == 0 || v == 0 || v > maxCount[u] {
		return Span{}, 0
	}
	return c.past(v, u), n + 2
}

// dateEn parses May 5th, 2026 / 5 May / May 2026. After a preposition it also parses May / 2026.
func (c calendar) dateEn(ts []token, lead string) (Span, int) {
	bare := lead == "" || lead == "the" // no preposition
	year := func(n int) (int, int) {
		if v, k := yearEn(nth(ts, n)); k {
			return v, 1
		}
		return 0, 0
	}
	date := func(month, day, n int) (Span, int) {
		y, k := year(n)
		s, ok := c.date(y, time.Month(month+1), day)
		if !ok {
			return Span{}, 0
		}
		return s, n + k
	}
	if which := indexOf("early mid late", nth(ts, 0)); which >= 0 {
		month := monthOf(nth(ts, 1))
		y, k := year(2)
		s, ok := c.date(y, time.Month(month+1), 0)
		if month < 0 || !ok {
			return Span{}, 0
		}
		return c.third(s, which), 2 + k
	}
	if month := monthOf(nth(ts, 0)); month >= 0 {
		if day, ok := dayOfMonth(nth(ts, 1)); ok {
			return date(month, day, 2)
		}
		if _, k := year(1); k > 0 || !bare { // may and march are also ordinary words
			return date(month, 0, 1)
		}
		return Span{}, 0
	}
	if day, ok := dayOfMonth(nth(ts, 0)); ok {
		n := 1
		if nth(ts, n) == "of" {
			n++
		}
		if month := monthOf(nth(ts, n)); month >= 0 {
			return date(month, day, n+1)
		}
	}
	if y, k := year(0); k > 0 && !bare {
		return c.year(y), 1
	}
	return Span{}, 0
}

const (
	weekdays    = "monday tuesday wednesday thursday friday saturday sunday"
	shortDays   = "mon tue wed thu fri sat sun"
	monthNames  = "january february march april may june july august september october november december"
	shortMonths = "jan feb mar apr may jun jul aug sept oct nov dec sep"
	numbers     = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)

// monthOf returns the month that a word names, from 0, or -1.
func monthOf(word string) int {
	if m := indexOf(monthNames, word); m >= 0 {
		return m
	}
	if word == "sep" {
		return 8
	}
	return indexOf(shortMonths, word)
}

// indexOf returns the index of word in words, or -1.
func indexOf(words, word string) int {
	i := 0
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return i
		}
		i++
	}
	return -1
}

func unitEn(word string) unit {
	return unit(1 + indexOf("minute hour day week month year", strings.TrimSuffix(word, "s")))
}

// numberEn parses 3 / three / a / a few / a couple of.
func numberEn(ts []token, at int) (v, n int) {
	w := nth(ts, at)
	if w == "a" || w == "an" {
		switch nth(ts, at+1) {
		case "couple":
			if nth(ts, at+2) == "of" {
				return 2, 3
			}
			return 2, 2
		case "few":
			return 5, 2
		}
		return 1, 1
	}
	if w == "few" || w == "several" {
		return 5, 1
	}
	if w == "couple" && nth(ts, at+1) == "of" {
		return 2, 2
	}
	if v := indexOf(numbers, w); v >= 0 {
		return v, 1
	}
	if v, ok := whole(w, 4); ok {
		return v, 1
	}
	return 0, 0
}

// whole parses a number of up to most digits.
func whole(w string, most int) (v int, ok bool) {
	for _, r := range w {
		if !isDigit(r) {
			return 0, false
		}
		v = 10*v + int(r-'0')
	}
	return v, w != "" && len(w) <= most
}

func yearEn(w string) (int, bool) {
	v, ok := whole(w, 4)
	return v, ok && len(w) == 4 && v >= 1900 && v < 2200
}

// dayOfMonth parses 5 / 5th / 21st.
func dayOfMonth(w string) (int, bool) {
	for _, end := range [...]string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, end)
	}
	v, ok := whole(w, 2)
	return v, ok && v >= 1 && v <= 31
}

// seasonEn parses last summer (the latest completed one) and this spring (of this year).
func (c calendar) seasonEn(ts []token) (Span, int) {
	at := indexOf("spring summer autumn fall winter", nth(ts, 1))
	if at < 0 {
		return Span{}, 0
	}
	s := [...]season{{3, 1, 6, 1}, {6, 1, 9, 1}, {9, 1, 12, 1}, {9, 1, 12, 1}, {12, 1, 15, 1}}[at]
	y := c.now.Year()
	switch nth(ts, 0) {
	case "last":
		for c.season(y, s).Until.After(c.now) {
			y--
		}
	case "this":
	default:
		return Span{}, 0
	}
	return c.season(y, s), 2
}
