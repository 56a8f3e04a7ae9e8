package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/clip"
)

// A comparison holds the decisions of two policies about one log.
type comparison struct {
	names   [2]string
	decided [2]map[int]turn // by position of each message of a batch
	ends    []int           // positions of the last messages of batches
}

func newComparison(vs []variant) *comparison {
	return &comparison{names: [2]string{vs[0].name, vs[1].name}, decided: [2]map[int]turn{{}, {}}}
}

// add adds a decision of one of the policies. A flow may decide twice about a message: that it speaks then counts.
func (c *comparison) add(policy int, t turn) {
	if t.Last == nil {
		return
	}
	set := func(n int) {
		if was, ok := c.decided[policy][n]; !ok || was.Spoke.IsZero() {
			c.decided[policy][n] = t
		}
	}
	for _, m := range t.Batch {
		set(m.N)
	}
	set(t.Last.N)
	c.ends = append(c.ends, t.Last.N)
}

// print writes where the two policies differ and what the recorded bot said there, with the rating that followed. With short it
// writes only the sum.
func (c *comparison) print(w io.Writer, l *chatLog, all []input, code string, short bool) {
	slices.Sort(c.ends)
	c.ends = slices.Compact(c.ends)
	said := c.said(all)
	ratings := rate(all)
	language := lang.Language(code)
	fmt.Fprintf(w, "\n== %s\n", language.Sprintf("%s 和 %s 不一样的决定", "%s and %s differ", c.names[0], c.names[1]))
	differ, more, rated, sum := 0, [2]int{}, 0, 0.
	for _, n := range c.ends {
		a, ok := c.decided[0][n]
		b, ok2 := c.decided[1][n]
		if !ok || !ok2 || a.Outcome() == b.Outcome() {
			continue
		}
		differ++
		for i, t := range [...]turn{a, b} {
			if !t.Spoke.IsZero() {
				more[i]++
			}
		}
		r, isRated := ratings[said[n]]
		if isRated {
			rated, sum = rated+1, sum+r.Score
		}
		if short {
			continue
		}
		m := all[n]
		fmt.Fprintf(w, "%s [%s] %s: %s (%s), %s: %s (%s) | %s\n", m.At.Format("2006-01-02 15:04:05"), plain(l.title(m.Chat)), c.names[0], a.Outcome(), reasons(a.Why(), code),
			c.names[1], b.Outcome(), reasons(b.Why(), code), plain(m.Name+": "+clip.Ellipsis(m.text(), 40)))
		if k, ok := said[n]; ok {
			effect := language.Sprintf("没有评分", "not rated")
			if isRated {
				effect = fmt.Sprintf("%.2g, %s", r.Score, reasons(r.Signals, code))
			}
			fmt.Fprintf(w, "    %s\n", language.Sprintf("录下来的机器人说了 %s：%s", "the recorded bot said %s: %s", program.Line(clip.Ellipsis(all[k].text(), 40), ' '), effect))
		}
	}
	fmt.Fprint(w, language.Sprintf("%d 个决定不一样，一共 %d 个：只有 %s 说话的 %d 个，只有 %s 的 %d 个",
		"%d of %d decisions differ: only %s speaks at %d, only %s at %d", differ, len(c.ends), c.names[0], more[0], c.names[1], more[1]))
	if rated > 0 {
		fmt.Fprint(w, language.Sprintf("；在这些地方，录下来的机器人有 %d 条消息得到反应，平均 %.2g",
			"; people rated %d messages of the recorded bot there, mean %.2g", rated, sum/float64(rated)))
	}
	fmt.Fprintln(w)
}

// said returns the position of the recorded bot's first message after each end of a batch and before the next one in its chat.
func (c *comparison) said(all []input) map[int]int {
	said, last := map[int]int{}, map[string]int{}
	for n := range all {
		a := &all[n]
		if _, is := slices.BinarySearch(c.ends, n); is {
			last[a.Chat] = n
		}
		end, known := last[a.Chat]
		if _, has := said[end]; known && !has && isOwn(a) {
			said[end] = n
		}
	}
	return said
}

// isOwn reports whether an input is a message of the recorded bot.
func isOwn(a *input) bool {
	return !a.Act && (a.Sent || a.Message.Own) && strings.TrimSpace(a.text()) != ""
}
