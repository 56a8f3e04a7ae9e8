package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

const (
	maxName  = 40 // runes of an app, a site, a project, a host
	maxTitle = 60
	// After such a break what is done in the same app is told apart.
	stretchGap = 10 * time.Minute
	noteRoom   = 40 // runes that are kept for telling what was left out
)

// A line tells of one stretch in an app, of a site or of a project.
type line struct {
	host   int
	head   string
	titles []titled // by time spent, the most first
	spent  time.Duration
	gone   bool
}

type titled struct {
	title string
	spent time.Duration
}

// text puts it into words, in Chinese. What does not fit goes in this order: titles beyond three of a line, beyond one, all
// of them, then the lines of the shortest time; how much is missing is said at the end.
func (o Options) text(n Delta, days []day, later bool) string {
	var lines []line
	heads := make([]string, len(days))
	for i, d := range days {
		for _, l := range slices.Concat(o.stretches(d.windows, n), sums("网页", d.pages), sums("编辑", d.files)) {
			l.host = i
			lines = append(lines, l)
		}
		if len(d.windows)+len(d.pages)+len(d.files) == 0 && d.away == 0 {
			continue
		}
		heads[i] = "电脑 " + clean(d.host, maxName)
		if d.host == "" {
			heads[i] = "电脑"
		}
		var parts []string
		var used time.Duration
		for _, u := range d.windows {
			used += u.length()
		}
		if used > 0 {
			parts = append(parts, "用了 "+long(used))
		}
		if d.away > 0 {
			parts = append(parts, "离开 "+long(d.away))
		}
		if len(parts) > 0 {
			heads[i] += "：" + strings.Join(parts, "，")
		}
	}
	if strings.Join(heads, "") == "" {
		return ""
	}
	top := o.when(n)
	if later {
		top += "，更早的没有看"
	}
	if n.Partial {
		top += "，有的太多，没有看全"
	}
	text := ""
	for _, titles := range []int{5, 3, 1, 0} {
		if text = compose(top, heads, lines, titles, ""); utf8.RuneCountInString(text) <= o.MaxText {
			return text
		}
	}
	return o.shorten(top, heads, lines, utf8.RuneCountInString(text))
}

// shorten leaves out lines, the shortest first.
func (o Options) shorten(top string, heads []string, lines []line, size int) string {
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lines[a].spent, lines[b].spent) })
	var lost time.Duration
	count := 0
	for _, i := range order {
		if size <= o.MaxText-noteRoom {
			break
		}
		lines[i].gone = true
		size -= utf8.RuneCountInString(lines[i].head) + 1
		lost += lines[i].spent
		count++
	}
	return limited(compose(top, heads, lines, 0, fmt.Sprintf("另有 %d 项共 %s没有列出", count, long(lost))), o.MaxText)
}

// compose writes the lines, with so many titles each.
func compose(top string, heads []string, lines []line, titles int, note string) string {
	var b strings.Builder
	b.WriteString(top)
	for i, head := range heads {
		if head == "" {
			continue
		}
		b.WriteString("\n" + head)
		for _, l := range lines {
			if l.host != i || l.gone {
				continue
			}
			b.WriteString("\n" + l.head)
			for k, t := range l.titles[:min(titles, len(l.titles))] {
				if k == 0 {
					b.WriteString("：")
				}
				b.WriteString("「" + t.title + "」")
				if len(l.titles) > 1 {
					b.WriteString(long(t.spent))
				}
			}
			if rest := len(l.titles) - titles; titles > 0 && rest > 0 {
				fmt.Fprintf(&b, "等 %d 个", len(l.titles))
			}
		}
	}
	if note != "" {
		b.WriteString("\n" + note)
	}
	return b.String()
}

// stretches are the uses of windows, those of one app that follow each other in one line.
func (o Options) stretches(windows []use, n Delta) []line {
	clock := "15:04"
	if !sameDay(n.From.In(o.Location), n.Until.In(o.Location)) {
		clock = "01-02 15:04"
	}
	var lines []line
	for i := 0; i < len(windows); {
		k := i + 1
		for k < len(windows) && windows[k].group == windows[i].group && windows[k].from.Sub(windows[k-1].to) <= stretchGap {
			k++
		}
		l := sum(windows[i:k])
		l.head = fmt.Sprintf("%s–%s %s（%s）", windows[i].from.In(o.Location).Format(clock), windows[k-1].to.In(o.Location).Format("15:04"),
			cmp.Or(windows[i].group, "？"), long(l.spent))
		lines = append(lines, l)
		i = k
	}
	return lines
}

// sums are uses by their group, the longest first.
func sums(what string, all []use) []line {
	groups := map[string][]use{}
	for _, u := range all {
		groups[u.group] = append(groups[u.group], u)
	}
	var lines []line
	for group, of := range groups {
		l := sum(of)
		l.head = fmt.Sprintf("%s %s（%s）", what, cmp.Or(group, "？"), long(l.spent))
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.spent, a.spent), strings.Compare(a.head, b.head))
	})
	return lines
}

// sum adds up uses by their titles.
func sum(all []use) line {
	var l line
	at := map[string]int{}
	for _, u := range all {
		l.spent += u.length()
		if u.title == "" {
			continue
		}
		i, known := at[u.title]
		if !known {
			i = len(l.titles)
			at[u.title] = i
			l.titles = append(l.titles, titled{title: u.title})
		}
		l.titles[i].spent += u.length()
	}
	slices.SortStableFunc(l.titles, func(a, b titled) int { return cmp.Compare(b.spent, a.spent) })
	return l
}

// when tells what time this is about: "2026-11-20 周五 09:00 到 18:30（Asia/Shanghai）".
func (o Options) when(n Delta) string {
	from, until := n.From.In(o.Location), n.Until.In(o.Location)
	last := until.Format("15:04")
	if !sameDay(from, until) {
		last = dated(until)
	}
	zone := o.Location.String()
	if o.Location == time.Local {
		zone, _ = until.Zone()
	}
	return fmt.Sprintf("%s 到 %s（%s）", dated(from), last, zone)
}

func dated(t time.Time) string {
	return t.Format("2006-01-02 ") + "周" + []string{"日", "一", "二", "三", "四", "五", "六"}[t.Weekday()] + t.Format(" 15:04")
}

func sameDay(a, b time.Time) bool {
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// long tells how long something lasted: 25秒, 40分, 1小时20分.
func long(d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d秒", int(d.Seconds()))
	case hours == 0:
		return fmt.Sprintf("%d分", minutes)
	case minutes == 0:
		return fmt.Sprintf("%d小时", hours)
	}
	return fmt.Sprintf("%d小时%d分", hours, minutes)
}

// clean makes one short line of what a program or a page calls itself: titles are written by strangers.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		case r == '「':
			return '“'
		case r == '」':
			return '”'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return limited(strings.Join(strings.Fields(s), " "), most)
}

// limited cuts a text to so many runes, the last of them an ellipsis.
func limited(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return clip.Runes(s, most-1) + "…"
}
