package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// maxShownText limits the runes of a message on a page.
const maxShownText = 1000

// pageAs returns the page of a bot that plays a speaker.
func pageAs(o options, l *chatLog) (*page, error) {
	p := newPage(o)
	scores := make([]score, len(o.variants))
	top := make([]float64, len(o.variants))
	for part := range l.parts(o) {
		s := p.section(part.log.Chat)
		rows := map[*whentospeak.Line]*row{}
		last := time.Time{}
		for i := range part.log.Lines {
			line := &part.log.Lines[i]
			last = later(last, line.Time) // times do not decrease, as for the policy
			rows[line] = p.row(s, last, line.Sender, line.Text, line.Sender == part.as)
		}
		for i, v := range o.variants {
			h := v.options(o.seed, part.as)
			var judged heartflow.Trace
			h.OnTrace = func(t heartflow.Trace) {
				if t.Kind == heartflow.KindJudge {
					judged = t
				}
				s.stateChanged(i, v, t)
			}
			decisions, err := v.play(part.log, part.as, h)
			if err != nil {
				return nil, err
			}
			for d := range decisions {
				scores[i].add(d)
				if !d.Point {
					continue
				}
				m := p.mark(i, judged, d.Verdict)
				m.Outcome = "silent"
				if d.Speak {
					m.Outcome = "speak"
				}
				switch {
				case d.Speak && !d.Answer:
					m.Wrong = "extra"
				case !d.Speak && d.Answer:
					m.Wrong = "missed"
				}
				r := rows[d.Line]
				r.Answered = d.Answer
				r.set(i, len(o.variants), m)
				top[i] = max(top[i], d.Verdict.Score)
			}
		}
	}
	for i, s := range scores {
		p.Columns[i].Sums = []reading{
			{"points", fmt.Sprint(s.Points)}, {"spoke", fmt.Sprint(s.Spoken)}, {"precision", three(s.Precision())},
			{"recall", three(s.Recall())}, {"F1", three(s.F1())}, {"rate", three(s.SpeakRate())},
		}
	}
	p.finish(top)
	return p, nil
}

// pageHeard returns the page of a bot that listens.
func pageHeard(o options, l *chatLog, heard []input) (*page, error) {
	p := newPage(o)
	rows := map[int]*row{}
	sections := map[string]*section{}
	for _, a := range heard {
		if a.Retracted != "" || a.Muted {
			continue
		}
		s := sections[a.Chat]
		if s == nil {
			s = p.section(l.title(a.Chat))
			sections[a.Chat] = s
		}
		r := p.row(s, a.At, a.Name, a.text(), a.Message.Own)
		r.Act, rows[a.N] = a.Act, r
	}
	top := make([]float64, len(o.variants))
	for i, v := range o.variants {
		c := stats{silent: map[heartflow.Code]int{}}
		h := v.options(o.seed, o.names...)
		h.OnTrace = func(t heartflow.Trace) {
			if s := sections[t.Chat]; s != nil {
				s.stateChanged(i, v, t)
			}
		}
		r, err := newSimulator(v, h, func(t turn) {
			c.add(t)
			m := p.mark(i, t.Trace, t.Verdict)
			m.Outcome, m.Batch, m.At, m.State = t.Outcome(), len(t.Batch), t.At.Format(time.TimeOnly), t.State
			if v.flow != nil {
				m.level, m.Level = t.Level, three(t.Level)
			}
			if !t.Spoke.IsZero() {
				m.Spoke = t.Spoke.Format(time.TimeOnly)
			}
			m.Why = p.reasons(t.Why())
			rows[t.Last.N].set(i, len(o.variants), m)
			top[i] = max(top[i], t.Verdict.Score)
		})
		if err != nil {
			return nil, err
		}
		if err := r.run(context.Background(), heard); err != nil {
			return nil, err
		}
		p.Columns[i].Sums = []reading{
			{"turns", fmt.Sprint(c.turns)}, {"spoke", fmt.Sprint(c.spoke)}, {"stopped", fmt.Sprint(c.refused)},
		}
	}
	p.finish(top)
	return p, nil
}

func (p *page) section(title string) *section {
	s := &section{ID: fmt.Sprint("chat", len(p.Chats)+1), Title: clean(title), states: make([][]change, len(p.Columns))}
	p.Chats = append(p.Chats, s)
	return s
}

// stateChanged stores a change of the chat's state.
func (s *section) stateChanged(column int, v variant, t heartflow.Trace) {
	if state := v.stateOf(t); state != "" {
		s.states[column] = append(s.states[column], change{t.At, state})
	}
}

// row appends a message to a section.
func (p *page) row(s *section, at time.Time, name, text string, own bool) *row {
	p.Rows++
	r := &row{
		ID: fmt.Sprint("m", p.Rows), at: at, Day: at.Format(time.DateOnly), Time: at.Format(time.TimeOnly),
		Name: clean(clip.Ellipsis(name, 60)), Text: clean(clip.Ellipsis(text, maxShownText)), Own: own,
	}
	s.Rows = append(s.Rows, r)
	return r
}

func (r *row) set(column, columns int, m mark) {
	if r.Marks == nil {
		r.Marks = make([]mark, columns)
	}
	if m.Outcome == "speak" || r.Marks[column].Outcome != "speak" { // a Flow may judge a message twice
		r.Marks[column] = m
	}
}

// mark converts a verdict and its trace.
func (p *page) mark(column int, t heartflow.Trace, v heartflow.Verdict) mark {
	m := mark{Column: p.Columns[column], Shown: true, Score: formatFloat(v.Score, 2), State: v.State.String(), Why: p.reasons(v.Why), Batch: 1}
	m.score, m.Exact = v.Score, three(v.Score)
	for _, g := range t.Gates {
		m.Gates = append(m.Gates, reading{g.String(), p.gateText(g)})
		if g.Code == learned.WhyLikely {
			m.limit = g.Threshold
		}
	}
	if !t.Next.IsZero() {
		m.Next = t.Next.Format(time.TimeOnly)
	}
	return m
}

// gateText says in words what a gate measured and whether it passed. A gate without a limit that has a value adds it to the
// score.
func (p *page) gateText(g heartflow.Gate) string {
	what := hfc.Text(g.Code, p.Lang)
	if t := text("gate "+string(g.Code), p.Lang); t != "gate "+string(g.Code) {
		what = t
	}
	result := text("passed gate", p.Lang)
	if !g.Pass {
		result = text("failed gate", p.Lang)
	}
	switch {
	case g.Draw != 0:
		return what + fmt.Sprintf(text("drawn gate", p.Lang), three(g.Value), three(g.Draw), result)
	case g.Threshold != 0:
		return what + fmt.Sprintf(text("limited gate", p.Lang), three(g.Value), three(g.Threshold), result)
	case g.Value != 0:
		return what + fmt.Sprintf(text("scored gate", p.Lang), three(g.Value))
	case g.Pass:
		return what
	}
	return what + fmt.Sprintf(text("reason gate", p.Lang), result)
}

func (p *page) reasons(why []heartflow.Code) (list []reading) {
	for _, c := range why {
		list = append(list, reading{string(c), hfc.Text(c, p.Lang)})
	}
	return list
}

// finish computes the days, bars, timelines and sums.
func (p *page) finish(top []float64) {
	for _, s := range p.Chats {
		day := ""
		for _, r := range s.Rows {
			if r.Day == day {
				r.Day = ""
			} else {
				day = r.Day
			}
			for i := range r.Marks {
				m := &r.Marks[i]
				if m.Shown {
					p.decisions++
				}
				m.Column.Mark = p.Columns[i].Mark
				m.Bar = min(max(int(100*m.score/max(top[i], 1)), 0), 100)
				m.Limit = int(100 * m.limit / max(top[i], 1))
			}
		}
		s.drawTimeline(p.Columns)
	}
}

// formatFloat formats a number with at most n decimals.
func formatFloat(f float64, n int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.*f", n, f), "0"), ".")
}

func one(f float64) string   { return formatFloat(f, 1) }
func three(f float64) string { return formatFloat(f, 3) }

// clean removes characters that are invalid in a page. The template escapes the rest, and bdi elements isolate its
// direction.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
