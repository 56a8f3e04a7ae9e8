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
	maxName  = 40 // runes of an app, site, project or host
	maxTitle = 60
	// After such a break an app gets another line.
	lineGap   = 10 * time.Minute
	noteRunes = 40 // runes reserved for the note about omitted lines
)

// A line describes one period in an app, or a site or a project.
type line struct {
	host    int
	head    string
	titles  []titleTime // longest time first
	spent   time.Duration
	omitted bool
}

type titleTime struct {
	title string
	spent time.Duration
}

// text describes the activity in Chinese. If it is too long, it keeps three titles per line, then one, then none, and then drops
// the lines with the shortest time. The last line says how many are missing.
func (o Options) text(delta Delta, reports []hostReport, limited bool) string {
	var lines []line
	heads := make([]string, len(reports))
	for i, d := range reports {
		for _, l := range slices.Concat(o.windowLines(d.windows, delta), groupLines("网页", d.pages), groupLines("编辑", d.files)) {
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
			parts = append(parts, "用了 "+formatDuration(used))
		}
		if d.away > 0 {
			parts = append(parts, "离开 "+formatDuration(d.away))
		}
		if len(parts) > 0 {
			heads[i] += "：" + strings.Join(parts, "，")
		}
	}
	if strings.Join(heads, "") == "" {
		return ""
	}
	top := o.header(delta)
	if limited {
		top += "，更早的没有看"
	}
	if delta.Partial {
		top += "，有的太多，没有看全"
	}
	text := ""
	for _, titles := range []int{5, 3, 1, 0} {
		if text = render(top, heads, lines, titles, ""); utf8.RuneCountInString(text) <= o.MaxText {
			return text
		}
	}
	return o.shorten(top, heads, lines, utf8.RuneCountInString(text))
}

// shorten drops lines, shortest time first.
func (o Options) shorten(top string, heads []string, lines []line, size int) string {
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lines[a].spent, lines[b].spent) })
	var lost time.Duration
	count := 0
	for _, i := range order {
		if size <= o.MaxText-noteRunes {
			break
		}
		lines[i].omitted = true
		size -= utf8.RuneCountInString(lines[i].head) + 1
		lost += lines[i].spent
		count++
	}
	return truncate(render(top, heads, lines, 0, fmt.Sprintf("另有 %d 项共 %s没有列出", count, formatDuration(lost))), o.MaxText)
}

// render returns the lines with at most this number of titles each.
func render(top string, heads []string, lines []line, titles int, note string) string {
	var b strings.Builder
	b.WriteString(top)
	for i, head := range heads {
		if head == "" {
			continue
		}
		b.WriteString("\n" + head)
		for _, l := range lines {
			if l.host != i || l.omitted {
				continue
			}
			b.WriteString("\n" + l.head)
			for k, t := range l.titles[:min(titles, len(l.titles))] {
				if k == 0 {
					b.WriteString("：")
				}
				b.WriteString("「" + t.title + "」")
				if len(l.titles) > 1 {
					b.WriteString(formatDuration(t.spent))
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

// windowLines returns a line for each sequence of windows of one app.
func (o Options) windowLines(windows []interval, delta Delta) []line {
	clock := "15:04"
	if !sameDay(delta.From.In(o.Location), delta.Until.In(o.Location)) {
		clock = "01-02 15:04"
	}
	var lines []line
	for i := 0; i < len(windows); {
		k := i + 1
		for k < len(windows) && windows[k].group == windows[i].group && windows[k].from.Sub(windows[k-1].to) <= lineGap {
			k++
		}
		l := newLine(windows[i:k])
		l.head = fmt.Sprintf("%s–%s %s（%s）", windows[i].from.In(o.Location).Format(clock), windows[k-1].to.In(o.Location).Format("15:04"),
			cmp.Or(windows[i].group, "？"), formatDuration(l.spent))
		lines = append(lines, l)
		i = k
	}
	return lines
}

// groupLines returns a line for each group, longest time first.
func groupLines(label string, all []interval) []line {
	groups := map[string][]interval{}
	for _, u := range all {
		groups[u.group] = append(groups[u.group], u)
	}
	var lines []line
	for group, of := range groups {
		l := newLine(of)
		l.head = fmt.Sprintf("%s %s（%s）", label, cmp.Or(group, "？"), formatDuration(l.spent))
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.spent, a.spent), strings.Compare(a.head, b.head))
	})
	return lines
}

// newLine sums the times by title.
func newLine(all []interval) line {
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
			l.titles = append(l.titles, titleTime{title: u.title})
		}
		l.titles[i].spent += u.length()
	}
	slices.SortStableFunc(l.titles, func(a, b titleTime) int { return cmp.Compare(b.spent, a.spent) })
	return l
}

// header returns the period: "2026-11-20 周五 09:00 到 18:30（Asia/Shanghai）".
func (o Options) header(delta Delta) string {
	from, until := delta.From.In(o.Location), delta.Until.In(o.Location)
	last := until.Format("15:04")
	if !sameDay(from, until) {
		last = formatDateTime(until)
	}
	zone := o.Location.String()
	if o.Location == time.Local {
		zone, _ = until.Zone()
	}
	return fmt.Sprintf("%s 到 %s（%s）", formatDateTime(from), last, zone)
}

func formatDateTime(t time.Time) string {
	return t.Format("2006-01-02 ") + "周" + []string{"日", "一", "二", "三", "四", "五", "六"}[t.Weekday()] + t.Format(" 15:04")
}

func sameDay(a, b time.Time) bool {
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// formatDuration formats a duration: 25秒, 40分, 1小时20分.
func formatDuration(d time.Duration) string {
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

// clean turns an untrusted title into one short line.
func clean(s string, limit int) string {
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
	return truncate(strings.Join(strings.Fields(s), " "), limit)
}

// truncate cuts a text to a number of runes, with an ellipsis at the end.
func truncate(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return clip.Runes(s, limit-1) + "…"
}
