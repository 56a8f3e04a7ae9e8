package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/clip"
)

// replayListening plays the log to a bot that is not one of its speakers, and prints its decisions.
func replayListening(o options, l *chatLog, out io.Writer) error {
	heard := l.inputsFor(o.names)
	if o.html != "" {
		page, err := pageHeard(o, l, heard)
		if err == nil {
			err = writePage(o, page, out)
		}
		if err != nil || !o.score {
			return err
		}
	}
	w := bufio.NewWriter(out)
	var both *comparison
	if len(o.variants) == 2 {
		both = newComparison(o.variants)
	}
	for i, v := range o.variants {
		if len(o.variants) > 1 {
			fmt.Fprintf(w, "%s== %s\n", strings.Repeat("\n", min(i, 1)), v.name)
		}
		c := stats{silent: map[heartflow.Code]int{}}
		r, err := newSimulator(v, v.options(o.seed, o.names...), func(t turn) {
			c.add(t)
			if both != nil {
				both.add(i, t)
			}
			if !o.score {
				fmt.Fprintln(w, lineOf(t, l, o.lang))
			}
		})
		if err != nil {
			return err
		}
		if err := r.run(context.Background(), heard); err != nil {
			return err
		}
		c.print(w, countMessages(heard), lang.Language(o.lang))
	}
	if both != nil {
		both.print(w, l, heard, o.lang, o.score)
	}
	return w.Flush()
}

// countMessages counts all inputs but the acts.
func countMessages(all []input) (n int) {
	for _, a := range all {
		if !a.Act {
			n++
		}
	}
	return n
}

// lineOf describes the result of a batch.
func lineOf(t turn, l *chatLog, lang string) string {
	join := ": "
	if t.Last.Act {
		join = " "
	}
	return fmt.Sprintf("%s [%s] %s: %s | %s", t.At.Format("2006-01-02 15:04:05"), plain(l.title(t.Chat)), t.Outcome(),
		reasons(t.Why(), lang), plain(t.Last.Name+join+clip.Ellipsis(t.Last.text(), 40)))
}

func reasons(why []heartflow.Code, lang string) string {
	var texts []string
	for _, c := range why {
		texts = append(texts, hfc.Text(c, lang))
	}
	return strings.Join(texts, "; ")
}

func (l *chatLog) title(chat string) string {
	if t := l.titles[chat]; t != "" {
		return t
	}
	return chat
}

// stats sum up the bot's decisions.
type stats struct {
	turns, spoke, refused int
	silent                map[heartflow.Code]int
}

func (c *stats) add(t turn) {
	c.turns++
	switch {
	case !t.Spoke.IsZero():
		c.spoke++
	case t.Refused != nil:
		c.refused++
	case len(t.Verdict.Why) > 0:
		c.silent[t.Verdict.Why[0]]++
	}
}

func (c *stats) print(w io.Writer, heard int, l lang.Language) {
	fmt.Fprint(w, l.Sprintf("%d 条消息，%d 批：spoke 说了 %d 次，refused 被拦下 %d 次", "%d messages, %d batches: spoke %d, refused %d", heard, c.turns, c.spoke, c.refused))
	for _, code := range slices.Sorted(maps.Keys(c.silent)) {
		fmt.Fprint(w, l.Sprintf("，silent 没说 %s %d 次", ", silent as %s %d", code, c.silent[code]))
	}
	fmt.Fprintln(w)
}

func plain(s string) string { return program.Line(s, ' ') }
