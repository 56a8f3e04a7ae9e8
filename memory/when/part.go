package when

import "time"

// third returns a third of a month: the first ten days (0), the second ten (1) or the rest (2).
func (c calendar) third(month Span, which int) Span {
	y, m, _ := month.Since.Date()
	from := c.begin(y, m, 1+10*which)
	if which == 2 {
		return Span{from, c.begin(y, m+1, 1)}
	}
	return Span{from, c.begin(y, m, 11+10*which)}
}

// thirdZh narrows the month s by the suffix at i: 初 / 上旬 / 中旬 / 底.
func (c calendar) thirdZh(rs []rune, i int, s Span) (Span, int) {
	thirds := [...]phrase[int]{{"初", 0}, {"上旬", 0}, {"中旬", 1}, {"下旬", 2}, {"底", 2}, {"末", 2}}
	which, n := lookUp(rs, i, thirds[:])
	if n == 0 {
		return s, 0
	}
	return c.third(s, which), n
}

// A season is a part of a year. The end day is not included.
type season struct {
	month time.Month
	day   int
	until time.Month
	end   int
}

func (c calendar) season(year int, s season) Span {
	return Span{c.begin(year, s.month, s.day), c.begin(year, s.until, s.end)}
}

// seasonZh narrows a year by the suffix at i: 年底 / 上半年 / 夏天 / 国庆 / 的今天. It knows no holidays of the lunar calendar.
func (c calendar) seasonZh(rs []rune, i, year int) (Span, int) {
	of := prefix(rs, i, "的")
	if n := prefix(rs, i+of, "今天"); n > 0 {
		_, m, d := c.now.Date()
		return Span{c.begin(year, m, d), c.begin(year, m, d+1)}, of + n
	}
	seasons := [...]phrase[season]{
		{"年初", season{1, 1, 3, 1}}, {"年底", season{11, 1, 13, 1}}, {"年末", season{11, 1, 13, 1}}, {"底", season{11, 1, 13, 1}}, {"初", season{1, 1, 3, 1}},
		{"上半年", season{1, 1, 7, 1}}, {"下半年", season{7, 1, 13, 1}}, {"春天", season{3, 1, 6, 1}}, {"夏天", season{6, 1, 9, 1}}, {"秋天", season{9, 1, 12, 1}},
		{"暑假", season{7, 1, 9, 1}}, {"元旦", season{1, 1, 1, 2}}, {"情人节", season{2, 14, 2, 15}}, {"妇女节", season{3, 8, 3, 9}}, {"劳动节", season{5, 1, 5, 6}}, {"五一", season{5, 1, 5, 6}},
		{"儿童节", season{6, 1, 6, 2}}, {"六一", season{6, 1, 6, 2}}, {"教师节", season{9, 10, 9, 11}}, {"国庆", season{10, 1, 10, 8}}, {"双十一", season{11, 11, 11, 12}}, {"双11", season{11, 11, 11, 12}},
		{"双十二", season{12, 12, 12, 13}}, {"双12", season{12, 12, 12, 13}}, {"平安夜", season{12, 24, 12, 25}}, {"圣诞", season{12, 24, 12, 26}},
	}
	s, n := lookUp(rs, i+of, seasons[:])
	if n == 0 {
		return Span{}, 0
	}
	end := i + of + n
	if rs[end-1] == '初' && end < len(rs) && within(rs[end], "中一二三恋次") { // 去年|初中毕业
		return Span{}, 0
	}
	if s.day != 1 || s.end != 1 { // a holiday
		end += prefix(rs, end, "节假期", "节期间", "假期", "长假", "期间", "节")
	}
	return c.season(year, s), end - i
}

// bareZh parses 月初 and 年初, because they are past. 月底 and 年底 are mostly future.
func (c calendar) bareZh(rs []rune, i int, before rune) (Span, int) {
	if i+1 >= len(rs) || rs[i+1] != '初' || within(before, "个下每某这本上当该同次年今去明前后大零一二两三四五六七八九十几0123456789") {
		return Span{}, 0
	}
	switch rs[i] {
	case '月':
		return c.third(c.month(0), 0), 2
	case '年':
		if s, n := c.seasonZh(rs, i, c.now.Year()); n == 2 {
			return s, n
		}
	}
	return Span{}, 0
}

// lately holds vague expressions, each with its first and last day as days before today.
var lately = [...]phrase[[2]int]{
	{"前几天", [2]int{9, 1}}, {"前些天", [2]int{9, 1}}, {"前些日子", [2]int{60, 2}}, {"前两天", [2]int{5, 1}},
	{"前阵子", [2]int{60, 3}}, {"前一阵子", [2]int{60, 3}}, {"前一阵", [2]int{60, 3}}, {"前段时间", [2]int{60, 3}}, {"前一段时间", [2]int{60, 3}},
}

// latelyZh parses 前几天 / 前阵子.
func (c calendar) latelyZh(rs []rune, i int, before rune) (Span, int) {
	if rs[i] != '前' || within(before, endsFront) || within(before, "学试年节期赛假婚") { // 考试|前几天
		return Span{}, 0
	}
	d, n := lookUp(rs, i, lately[:])
	if n == 0 {
		return Span{}, 0
	}
	return c.days(-d[0], d[0]-d[1]+1), n
}
