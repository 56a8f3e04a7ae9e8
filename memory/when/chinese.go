package when

import (
	"strings"
	"time"
)

// A phrase and its meaning. In a list, a longer phrase comes before its own prefix.
type phrase[T any] struct {
	text  string
	value T
}

func lookUp[T any](rs []rune, i int, phrases []phrase[T]) (is T, n int) {
	for _, p := range phrases {
		if n := prefix(rs, i, p.text); n > 0 {
			return p.value, n
		}
	}
	return is, 0
}

// beginZh are the first characters of Chinese expressions, without digits.
const beginZh = "大前昨今刚上这本周星礼去一二两俩三四五六七八九十半几最过近年月"

type dayPart struct {
	days int
	part part
}

// chinese parses 前天晚上 / 上周五 / 去年3月 / 三天前 / 最近两周.
func (c calendar) chinese(rs []rune, i int) (Span, int) {
	before := rune(' ')
	if i > 0 {
		before = rs[i-1]
	}
	for _, read := range [...]func([]rune, int, rune) (Span, int){c.latelyZh, c.dayZh, c.weekZh, c.dateZh, c.agoZh, c.pastZh, c.bareZh} {
		if s, n := read(rs, i, before); n > 0 {
			return s, n
		}
	}
	return Span{}, 0
}

// within reports whether the character before belongs to ends. If so, the next one is part of another word: 以前|天天 /
// 晚上|周杰伦 / 日本|周边.
func within(before rune, ends string) bool { return strings.ContainsRune(ends, before) }

const (
	endsFront = "以之目从眼当面提跟先空生往"        // …前
	endsUp    = "早晚马网线身路地世楼手脸头桌床天海街史加" // …上
	endsBook  = "日课书剧样原根成基资文版"         // …本
)

func (c calendar) dayZh(rs []rune, i int, before rune) (Span, int) {
	days := [...]phrase[dayPart]{
		{"大大前天", dayPart{-4, wholeDay}}, {"大前天", dayPart{-3, wholeDay}}, {"前天", dayPart{-2, wholeDay}}, {"前晚", dayPart{-2, evening}},
		{"昨天", dayPart{-1, wholeDay}}, {"昨日", dayPart{-1, wholeDay}}, {"昨儿个", dayPart{-1, wholeDay}}, {"昨儿", dayPart{-1, wholeDay}}, {"昨晚上", dayPart{-1, evening}}, {"昨晚", dayPart{-1, evening}}, {"昨夜", dayPart{-1, evening}},
		{"今天", dayPart{0, wholeDay}}, {"今日", dayPart{0, wholeDay}}, {"今儿", dayPart{0, wholeDay}}, {"今晚上", dayPart{0, evening}}, {"今晚", dayPart{0, evening}},
		{"今早上", dayPart{0, morning}}, {"今早", dayPart{0, morning}}, {"今晨", dayPart{0, morning}},
	}
	if n := prefix(rs, i, "刚才"); n > 0 { // but not 刚刚, which is mostly about the speaker
		return c.past(1, hours), n
	}
	d, n := lookUp(rs, i, days[:])
	if n == 0 || rs[i] == '前' && within(before, endsFront) {
		return Span{}, 0
	}
	p, m := d.part, 0
	if p == wholeDay {
		p, m = partZh(rs, i+n)
		if p == midnight && d.days == 0 {
			p = smallHours // of the past night
		}
	}
	return p.of(c, c.days(d.days, 1)), n + m
}

// partZh parses an optional part of a day at i.
func partZh(rs []rune, i int) (part, int) {
	parts := [...]phrase[part]{
		{"凌晨", smallHours}, {"半夜", midnight}, {"早上", morning}, {"早晨", morning}, {"清晨", morning}, {"上午", morning}, {"中午", noonish}, {"下午", afternoon},
		{"傍晚", part{16, 20}}, {"晚上", evening}, {"夜里", evening},
	}
	of := prefix(rs, i, "的")
	if p, n := lookUp(rs, i+of, parts[:]); n > 0 {
		return p, of + n
	}
	return wholeDay, 0
}

// weekZh parses 上周 / 上上个星期 / 这周五 / 周末 / 星期天.
func (c calendar) weekZh(rs []rune, i int, before rune) (Span, int) {
	week, at := 1, i // 1: no week is named
	switch r := rs[i]; {
	case r == '上' && !within(before, endsUp):
		for week = 0; at < len(rs) && rs[at] == '上' && week > -4; at++ {
			week--
		}
	case r == '这', r == '本' && !within(before, endsBook):
		week, at = 0, i+1
	}
	if week == -1 && at < len(rs) && rs[at] == '一' {
		if at++; prefix(rs, at, "年") > 0 && (at+1 == len(rs) || rs[at+1] != '级') {
			return c.year(c.now.Year() - 1), at + 1 - i
		}
	}
	if week != 1 && at < len(rs) && rs[at] == '个' {
		at++
	}
	if week < 1 {
		if n := prefix(rs, at, "月"); n > 0 && (at+n == len(rs) || !within(rs[at+n], "亮光色")) {
			s, m := c.inMonthZh(rs, at+n, c.month(week))
			return s, at + n + m - i
		}
	}
	names := [...]phrase[bool]{{"星期", true}, {"礼拜", true}, {"周", false}}
	long, n := lookUp(rs, at, names[:])
	if n == 0 || week == 1 && within(before, "上下每个一二两三四五六七八九十几0123456789") {
		return Span{}, 0
	}
	if at += n; at < len(rs) {
		day := strings.IndexRune("一二三四五六日天末", rs[at]) / 3
		switch {
		case !strings.ContainsRune("一二三四五六日天末", rs[at]), rs[at] == '天' && !long, prefix(rs, at, "日常", "一样") > 0:
		case week == 1 && isFarewell(rs, at+1):
			return Span{}, 0
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

// isFarewell reports whether 见 at i means "see you": 周一见, but not 周一见过.
func isFarewell(rs []rune, i int) bool {
	return prefix(rs, i, "见") > 0 && (i+1 == len(rs) || !within(rs[i+1], "过到了的面"))
}

// inMonthZh narrows a month by an optional suffix at i: 15号 / 底.
func (c calendar) inMonthZh(rs []rune, i int, month Span) (Span, int) {
	if s, n := c.thirdZh(rs, i, month); n > 0 {
		return s, n
	}
	of := prefix(rs, i, "的")
	day, n := numberZh(rs, i+of)
	end := i + of + n
	if n == 0 || day == 0 || prefix(rs, end, "日", "号") == 0 {
		return month, 0
	}
	y, m, _ := month.Since.Date()
	s, ok := c.date(y, m, day)
	if !ok {
		return month, 0
	}
	part, p := partZh(rs, end+1)
	return part.of(c, s), end + 1 + p - i
}

// dateZh parses 去年 / 2025年 / 去年3月 / 3月5日.
func (c calendar) dateZh(rs []rune, i int, before rune) (Span, int) {
	year, at := c.yearZh(rs, i, before)
	if year != 0 {
		if s, n := c.seasonZh(rs, at, year); n > 0 {
			return s, at + n - i
		}
	}
	month, n := numberZh(rs, at)
	if n == 0 || month > 12 || prefix(rs, at+n, "月") == 0 || prefix(rs, at+n, "月天") > 0 || year == 0 && within(before, "几个数年") {
		if year == 0 {
			return c.dayOfMonthZh(rs, i, before)
		}
		if rs[at-1] == '年' && at-i == 3 && isDigit(rs[i]) { // 25年 may be a duration
			return Span{}, 0
		}
		return c.year(year), at - i
	}
	end := at + n + 1
	s, ok := c.date(year, time.Month(month), 0)
	if !ok {
		return Span{}, 0
	}
	if day, d := numberZh(rs, end); d > 0 && day > 0 && day <= 31 && prefix(rs, end+d, "日", "号") > 0 {
		if s, ok = c.date(year, time.Month(month), day); !ok {
			return Span{}, 0
		}
		part, p := partZh(rs, end+d+1)
		return part.of(c, s), end + d + 1 + p - i
	}
	s, m := c.thirdZh(rs, end, s)
	return s, max(end+m, end+prefix(rs, end, "份")) - i
}

// yearZh parses 去年 / 2025年, and 25年 before a month. at is its end. Year 0 means none.
func (c calendar) yearZh(rs []rune, i int, before rune) (year, at int) {
	named := [...]phrase[int]{{"今年", 0}, {"本年", 0}, {"去年", -1}, {"大前年", -3}, {"前年", -2}}
	if off, n := lookUp(rs, i, named[:]); n > 0 {
		switch rs[i] {
		case '前', '本', '去':
			if within(before, endsFront) || within(before, endsBook) || before == '过' || prefix(rs, i, "本年级") > 0 {
				return 0, i
			}
		}
		return c.now.Year() + off, i + n
	}
	v, n := digits(rs, i, 4)
	if prefix(rs, i+n, "年") == 0 || prefix(rs, i+n, "年前") > 0 {
		return 0, i
	}
	switch {
	case n == 4 && v >= 1678 && v <= 2260:
		return v, i + 5
	case n == 2:
		if _, m := numberZh(rs, i+3); m == 0 || prefix(rs, i+3+m, "月") == 0 {
			return 0, i
		}
		if v += 2000; v > c.now.Year() {
			v -= 100
		}
		return v, i + 3
	}
	return 0, i
}

// dayOfMonthZh parses 15号那天 / 5号晚上 as their latest occurrence. It does not parse a bare 5号, because it may be a house
// or a player.
func (c calendar) dayOfMonthZh(rs []rune, i int, before rune) (Span, int) {
	day, n := numberZh(rs, i)
	if n == 0 || day < 1 || day > 31 || prefix(rs, i+n, "号") == 0 || within(before, "第月的几.零一二两三四五六七八九十0123456789") {
		return Span{}, 0
	}
	end := i + n + 1
	part, p := partZh(rs, end)
	if that := prefix(rs, end, "那天"); that > 0 {
		part, p = partZh(rs, end+that)
		p += that
	}
	if p == 0 {
		return Span{}, 0
	}
	y, m, _ := c.now.Date()
	for back := range time.Month(3) {
		first := c.begin(y, m-back, 1)
		if s, ok := c.date(first.Year(), first.Month(), day); ok && !s.Since.After(c.now) {
			return part.of(c, s), end + p - i
		}
	}
	return Span{}, 0
}

// unitZh parses the unit after a number.
func unitZh(rs []rune, i int) (unit, int) {
	units := [...]phrase[unit]{
		{"分钟", minutes}, {"个小时", hours}, {"小时", hours}, {"个钟头", hours}, {"天", days}, {"日", days}, {"个星期", weeks}, {"星期", weeks}, {"个礼拜", weeks},
		{"周", weeks}, {"个月", months}, {"年", years},
	}
	return lookUp(rs, i, units[:])
}

// agoZh parses 三天前 / 2个月以前 / 半小时前 / 几天前.
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
		case before == '个': // 一个半月
		case u == hours:
			return c.ago(30, minutes), half + m + front
		case u == months:
			return c.days(-18, 7), half + m + front
		case u == years:
			return c.ago(6, months), half + m + front
		}
		return Span{}, 0
	}
	if n == 0 && few == 0 {
		return Span{}, 0
	}
	if half := prefix(rs, i+n, "个半"); n > 0 && half > 0 && v < 100 {
		u, m := unitZh(rs, i+n+half)
		if front := frontZh(rs, i+n+half+m); u == hours && front > 0 {
			return c.ago(60*v+30, minutes), n + half + m + front
		}
		return Span{}, 0
	}
	u, m := unitZh(rs, i+n+few)
	front := frontZh(rs, i+n+few+m)
	if m == 0 || front == 0 || v > maxCount[u] {
		return Span{}, 0
	}
	if few > 0 { // two to nine of them
		return Span{c.ago(9, u).Since, c.ago(2, u).Until}, few + m + front
	}
	return c.ago(v, u), n + m + front
}

// frontZh parses the 前 of 三天前.
func frontZh(rs []rune, i int) int { return prefix(rs, i, "之前", "以前", "前") }

// pastZh parses 最近三天 / 过去一周 / 这几天.
func (c calendar) pastZh(rs []rune, i int, _ rune) (Span, int) {
	n := prefix(rs, i, "最近这", "最近", "过去", "这", "近")
	if n == 0 {
		return Span{}, 0
	}
	if rs[i+n-1] == '去' || rs[i+n-1] == '近' {
		n += prefix(rs, i+n, "的")
	}
	v, m := numberZh(rs, i+n)
	if few := prefix(rs, i+n, "几"); few > 0 {
		v, m = 5, few
	}
	u, k := unitZh(rs, i+n+m)
	if m == 0 || k == 0 || v == 0 || v > maxCount[u] {
		return Span{}, 0
	}
	return c.past(v, u), n + m + k
}

// numberZh parses 12 / 十二 / 两. It accepts up to four digits or 九十九.
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
		if rs[i] == '两' || rs[i] == '俩' {
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
