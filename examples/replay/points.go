package main

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A point is a printed decision.
type point struct {
	Chat   string           `json:"chat"`
	As     string           `json:"as"`
	ID     string           `json:"id"`
	Speak  bool             `json:"speak"`
	Score  float64          `json:"score"`
	Why    []heartflow.Code `json:"why"`
	Policy string           `json:"policy,omitempty"` // if there are several
}

// playAs plays the log with the bot in place of one speaker after another.
func playAs(o options, l *chatLog, out io.Writer) error {
	if l.labelled == nil {
		return lang.Errorf("-as 要带标注的聊天记录，这个是 OneBot 事件：去掉 -as", "-as needs a log with labels; this one holds OneBot events: leave -as out")
	}
	played, points := 0, 0
	for p := range l.parts(o) {
		played++
		for _, line := range p.log.Lines {
			if line.Labeled && line.Sender != p.as {
				points++
			}
		}
	}
	switch {
	case played == 0 && o.as == "*":
		return lang.Errorf("记录里没有人有 %d 条带标注的消息：用 -min 改小", "nobody in the log said %d labelled messages: lower -min", o.min)
	case played == 0:
		return lang.Errorf("-as：记录里没有叫 %q 的人说话", "-as: nobody called %q speaks in the log", o.as)
	case points == 0 && o.html == "":
		return lang.Errorf("记录里没有别人的带标注的消息（\"labeled\":true）：没有要决定的", "the log has no labelled message (\"labeled\":true) of anybody else: nothing to decide")
	}
	if o.html != "" {
		p, err := pageAs(o, l)
		if err != nil {
			return err
		}
		if err := writePage(o, p, out); err != nil || !o.score {
			return err
		}
	}
	if o.score {
		return printScores(o, l, out)
	}
	return printPoints(o, l, out)
}

// A part is a log with the speaker that the bot plays.
type part struct {
	log *whentospeak.Log
	as  string
}

// parts yields the logs and speakers that -as selects.
func (l *chatLog) parts(o options) iter.Seq[part] {
	return func(yield func(part) bool) {
		for _, log := range l.labelled {
			speakers := []string{o.as}
			if o.as == "*" {
				speakers = log.Speakers(o.min)
			} else if !slices.ContainsFunc(log.Lines, func(l whentospeak.Line) bool { return l.Sender == o.as }) {
				continue
			}
			for _, as := range speakers {
				if !yield(part{log, as}) {
					return
				}
			}
		}
	}
}

func printPoints(o options, l *chatLog, out io.Writer) error {
	w := bufio.NewWriter(out)
	j := json.NewEncoder(w)
	j.SetEscapeHTML(false)
	for p := range l.parts(o) {
		for _, v := range o.variants {
			decisions, err := v.play(p.log, p.as, v.options(o.seed, p.as))
			if err != nil {
				return err
			}
			for d := range decisions {
				if !d.Point {
					continue
				}
				line := point{Chat: p.log.Chat, As: p.as, ID: d.Line.ID, Speak: d.Speak, Score: d.Verdict.Score}
				line.Why = append([]heartflow.Code{}, d.Verdict.Why...) // [] and not null
				if len(o.variants) > 1 {
					line.Policy = v.name
				}
				if err := j.Encode(line); err != nil {
					return err
				}
			}
		}
	}
	return w.Flush()
}
