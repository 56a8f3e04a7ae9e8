package memory

import (
	"strings"
	"time"
)

// A phrase and what it means; longer ones stand before those that they begin with.
type phrase[T any] struct {
	text string
	is   T
}

func lookUp[T any](rs []rune, i int, phrases []phrase[T]) (is T, n int) {
	for _, p := range phrases {
		if n := prefix(rs, i, p.text); n > 0 {
			return p.is, n
		}
	}
	return is, 0
}

// beginZh are the glyphs that a time begins with.
const beginZh = "大前昨今刚上这本周星礼去一二两三四五六七八九十半几最过近"

type dayPart struct {
	days int
	part part
}

// chinese reads 前天晚上, 上周五, 去年3月, 三天前, 最近两周.
func (c calendar) chinese(rs []rune, i int) (Span, int) {
	before := rune(' ')
	if i > 0 {
		before = rs[i-1]
	}
	for _, read := range [...]func([]rune, int, rune) (Span, int){c.dayZh, c.weekZh, c.dateZh, c.agoZh, c.pastZh} {
		if s, n := read(rs, i, before); n > 0 {
			return s, n
		}
	}
	return Span{}, 0
}

// within tells whether a glyph makes the next one part of another word: 以前|天天, 晚上|周杰伦, 日本|周边.
func within(before rune, ends string) bool { return strings.ContainsRune(ends, before) }

const (
	endsFront = "以之目从眼当面提跟先空生往"        // …前
	endsUp    = "早晚马网线身路地世楼手脸头桌床天海街史加" // …上
	endsBook  = "日课书剧样原根成基资文版"         // …本
)

func (c calendar) dayZh(rs []rune, i int, before rune) (Span, int) {
	days := [...]phrase[dayPart]{
		{"大前天", dayPart{-3, wholeDay}}, {"前天", dayPart{-2, wholeDay}}, {"前晚", dayPart{-2, evening}},
		{"昨天", dayPart{-1, wholeDay}}, {"昨日", dayPart{-1, wholeDay}}, {"昨儿", dayPart{-1, wholeDay}}, {"昨晚", dayPart{-1, evening}}, {"昨夜", dayPart{-1, evening}},
		{"今天", dayPart{0, wholeDay}}, {"今日", dayPart{0, wholeDay}}, {"今儿", dayPart{0, wholeDay}}, {"今晚", dayPart{0, evening}}, {"今早", dayPart{0, morning}},
	}
	if n := prefix(rs, i, "刚才"); n > 0 {
		return c.past(1, hours), n
	}
	d, n := lookUp(rs, i, days[:])
	if n == 0 || rs[i] == '前' && within(before, endsFront) {
		return Span{}, 0
	}
	p, m := d.part, 0
	if p == wholeDay {
		p, m = partZh(rs, i+n)
	}
	return p.of(c, c.days(d.days, 1)), n + m
}

// partZh reads a part of a day behind it; there need be none.
func partZh(rs []rune, i int) (part, int) {
	parts := [...]phrase[part]{
		{"凌晨", smallHours}, {"半夜", smallHours}, {"早上", morning}, {"早晨", morning}, {"清晨", morning}, {"上午", morning}, {"中午", noonish}, {"下午", afternoon},
		{"傍晚", part{16, 20}}, {"晚上", evening}, {"夜里", evening},
	}
	of := prefix(rs, i, "的")
	if p, n := lookUp(rs, i+of, parts[:]); n > 0 {
		return p, of + n
	}
	return wholeDay, 0
}

// weekZh reads 上周, 上上个星期, 这周五, 周末, 星期天.
func (c calendar) weekZh(rs []rune, i int, before rune) (Span, int) {
	week, at := 1, i // 1: none is named
	switch r := rs[i]; {
	case r == '上' && !within(before, endsUp):
		for week = 0; at < len(rs) && rs[at] == '上' && week > -4; at++ {
			week--
		}
	case r == '这', r == '本' && !within(before, endsBook):
		week, at = 0, i+1
	}
	if week != 1 && at < len(rs) && rs[at] == '个' {
		at++
	}
	if week < 1 {
		if n := prefix(rs, at, "月"); n > 0 && (at+n == len(rs) || !within(rs[at+n], "亮光色")) {
			return c.month(week), at + n - i
		}
	}
	names := [...]phrase[bool]{{"星期", true}, {"礼拜", true}, {"周", false}}
	long, n := lookUp(rs, at, names[:])
	if n == 0 || week == 1 && within(before, "上下每一二两三四五六七八九十几0123456789") {
		return Span{}, 0
	}
	if at += n; at < len(rs) {
		day := strings.IndexRune("一二三四五六日天末", rs[at]) / 3
		switch {
		case !strings.ContainsRune("一二三四五六日天末", rs[at]), rs[at] == '天' && !long, prefix(rs, at, "日常") > 0, prefix(rs, at, "一样") > 0:
		case rs[at] == '末':
			return c.weekend(week), at + 1 - i
		default:
			p, m := partZh(rs, at+1)
			return p.of(c, c.dayOf(min(day, 6), week)), at + 1 + m - i
		}
	}
	if week == 1 {
		return Span{}, 0
	}
	return c.week(week), at - i
}

// dateZh reads 去年, 2025年, 去年3月, 3月5日.
func (c calendar) dateZh(rs []rune, i int, before rune) (Span, int) {
	year, at := 0, i
	named := [...]phrase[int]{{"今年", 0}, {"去年", -1}, {"前年", -2}}
	if off, n := lookUp(rs, i, named[:]); n > 0 {
		if rs[i] == '前' && within(before, endsFront) || rs[i] == '去' && before == '过' {
			return Span{}, 0
		}
		year, at = c.now.Year()+off, i+n
	} else if v, n := digits(rs, i, 4); n == 4 && v >= 1678 && v <= 2260 && prefix(rs, i+4, "年") > 0 && prefix(rs, i+4, "年前") == 0 {
		year, at = v, i+5
	}
	month, n := numberZh(rs, at)
	if n == 0 || month > 12 || prefix(rs, at+n, "月") == 0 || year == 0 && within(before, "几个数") {
		if year == 0 {
			return Span{}, 0
		}
		return c.year(year), at - i
	}
	end := at + n + 1
	day, d := numberZh(rs, end)
	part, p := wholeDay, 0
	switch {
	case d > 0 && day <= 31 && (prefix(rs, end+d, "日") > 0 || prefix(rs, end+d, "号") > 0):
		end += d + 1
		part, p = partZh(rs, end)
	default:
		day = 0
		end += prefix(rs, end, "份")
	}
	s, ok := c.date(year, time.Month(month), day)
	if !ok {
		return Span{}, 0
	}
	return part.of(c, s), end + p - i
}

// unitZh reads the unit behind a number.
func unitZh(rs []rune, i int) (unit, int) {
	units := [...]phrase[unit]{
		{"分钟", minutes}, {"个小时", hours}, {"小时", hours}, {"个钟头", hours}, {"天", days}, {"日", days}, {"个星期", weeks}, {"星期", weeks}, {"个礼拜", weeks},
		{"周", weeks}, {"个月", months}, {"年", years},
	}
	return lookUp(rs, i, units[:])
}

// agoZh reads 三天前, 2个月以前, 半小时前, 几天前.
func (c calendar) agoZh(rs []rune, i int, before rune) (Span, int) {
	if within(before, "第零一二两三四五六七八九十百几.点") {
		return Span{}, 0
	}
	v, n := numberZh(rs, i)
	few := prefix(rs, i, "几")
	if half := prefix(rs, i, "半"); half > 0 {
		u, m := unitZh(rs, i+half)
		front := frontZh(rs, i+half+m)
		switch {
		case m == 0 || front == 0:
			return Span{}, 0
		case u == hours:
			return c.ago(30, minutes), half + m + front
		case u == years:
			return c.ago(6, months), half + m + front
		}
		return Span{}, 0
	}
	if n == 0 && few == 0 {
		return Span{}, 0
	}
	u, m := unitZh(rs, i+n+few)
	front := frontZh(rs, i+n+few+m)
	if m == 0 || front == 0 || v > most[u] {
		return Span{}, 0
	}
	if few > 0 { // two to nine of them
		return Span{c.ago(9, u).Since, c.ago(2, u).Until}, few + m + front
	}
	return c.ago(v, u), n + m + front
}

func frontZh(rs []rune, i int) int {
	fronts := [...]phrase[bool]{{"之前", true}, {"以前", true}, {"前", true}}
	_, n := lookUp(rs, i, fronts[:])
	return n
}

// pastZh reads 最近三天, 过去一周, 这几天.
func (c calendar) pastZh(rs []rune, i int, _ rune) (Span, int) {
	starts := [...]phrase[bool]{{"最近这", true}, {"最近", true}, {"过去", true}, {"这", true}, {"近", true}}
	_, n := lookUp(rs, i, starts[:])
	if n == 0 {
		return Span{}, 0
	}
	v, m := numberZh(rs, i+n)
	if few := prefix(rs, i+n, "几"); few > 0 {
		v, m = 5, few
	}
	u, k := unitZh(rs, i+n+m)
	if m == 0 || k == 0 || v == 0 || v > most[u] {
		return Span{}, 0
	}
	return c.past(v, u), n + m + k
}

// numberZh reads 12, 十二, 两, up to four digits or 九十九.
func numberZh(rs []rune, i int) (v, n int) {
	if v, n = digits(rs, i, 5); n > 0 {
		if n > 4 {
			return 0, 0
		}
		return v, n
	}
	digit := func(i int) (int, bool) {
		if i >= len(rs) {
			return 0, false
		}
		if rs[i] == '两' {
			return 2, true
		}
		at := strings.IndexRune("零一二三四五六七八九", rs[i])
		return at / 3, at >= 0
	}
	ones, ok := digit(i)
	if ok {
		n++
	}
	if i+n < len(rs) && rs[i+n] == '十' {
		if !ok {
			ones = 1
		}
		v, n = 10*ones, n+1
		if ones, ok := digit(i + n); ok {
			return v + ones, n + 1
		}
		return v, n
	}
	return ones, n
}
