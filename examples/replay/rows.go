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

// shownText is how much of a message a page shows.
const shownText = 1000

// pageAs is the page of a bot that plays a speaker.
func pageAs(o options, l *chatLog) (*page, error) {
	p := newPage(o)
	scores := make([]score, len(o.variants))
	top := make([]float64, len(o.variants))
	for part := range l.played(o) {
		s := p.section(part.log.Chat)
		rows := map[*whentospeak.Line]*row{}
		last := time.Time{}
		for i := range part.log.Lines {
			line := &part.log.Lines[i]
			last = later(last, line.Time) // as the policy takes it: what comes later was not said earlier
			rows[line] = p.row(s, last, line.Sender, line.Text, line.Sender == part.as)
		}
		for i, v := range o.variants {
			h := v.options(o.seed, part.as)
			var judged heartflow.Trace
			h.OnTrace = func(t heartflow.Trace) {
				if t.Kind == heartflow.KindJudge {
					judged = t
				}
				s.became(i, v, t)
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

// pageHeard is the page of a bot that listens.
func pageHeard(o options, l *chatLog, heard []arrival) (*page, error) {
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
		rows[a.N] = p.row(s, a.At, a.Name, a.Message.Text, a.Message.Own)
	}
	top := make([]float64, len(o.variants))
	for i, v := range o.variants {
		c := counts{silent: map[heartflow.Code]int{}}
		h := v.options(o.seed, o.names...)
		h.OnTrace = func(t heartflow.Trace) {
			if s := sections[t.Chat]; s != nil {
				s.became(i, v, t)
			}
		}
		r, err := newRooms(v, h, func(t turn) {
			c.add(t)
			m := p.mark(i, t.Trace, t.Verdict)
			m.Outcome, m.Batch, m.At, m.State = t.outcome(), len(t.Batch), t.At.Format(time.TimeOnly), t.State
			if v.flow != nil {
				m.level, m.Level = t.Level, three(t.Level)
			}
			if !t.Spoke.IsZero() {
				m.Spoke = t.Spoke.Format(time.TimeOnly)
			}
			m.Why = p.reasons(t.why())
			rows[t.Last.N].set(i, len(o.variants), m)
			top[i] = max(top[i], t.Verdict.Score)
		})
		if err != nil {
			return nil, err
		}
		if err := r.hearAll(context.Background(), heard); err != nil {
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

// became keeps what a trace tells of the chat's state.
func (s *section) became(column int, v variant, t heartflow.Trace) {
	if state := v.stateOf(t); state != "" {
		s.states[column] = append(s.states[column], change{t.At, state})
	}
}

// row appends a message to a section.
func (p *page) row(s *section, at time.Time, name, text string, own bool) *row {
	p.Rows++
	r := &row{
		ID: fmt.Sprint("m", p.Rows), at: at, Day: at.Format(time.DateOnly), Time: at.Format(time.TimeOnly),
		Name: clean(clip.Ellipsis(name, 60)), Text: clean(clip.Ellipsis(text, shownText)), Own: own,
	}
	s.Rows = append(s.Rows, r)
	return r
}

func (r *row) set(column, columns int, m mark) {
	if r.Marks == nil {
		r.Marks = make([]mark, columns)
	}
	if m.Outcome == "speak" || r.Marks[column].Outcome != "speak" { // a Flow may look twice at one message
		r.Marks[column] = m
	}
}

// mark shows a verdict and its trace.
func (p *page) mark(column int, t heartflow.Trace, v heartflow.Verdict) mark {
	m := mark{Column: p.Columns[column], Shown: true, Score: digits(v.Score, 2), State: v.State.String(), Why: p.reasons(v.Why), Batch: 1}
	m.score, m.Exact = v.Score, three(v.Score)
	for _, g := range t.Gates {
		m.Gates = append(m.Gates, reading{g.String(), p.says(g)})
		if g.Code == learned.WhyLikely {
			m.limit = g.Threshold
		}
	}
	if !t.Next.IsZero() {
		m.Next = t.Next.Format(time.TimeOnly)
	}
	return m
}

// says is a gate in words, where those are true of it: what added to a score, and what did not pass.
func (p *page) says(g heartflow.Gate) string {
	if g.Pass && (g.Threshold != 0 || g.Draw != 0) {
		return ""
	}
	return hfc.Text(g.Code, p.Lang)
}

func (p *page) reasons(why []heartflow.Code) (list []reading) {
	for _, c := range why {
		list = append(list, reading{string(c), hfc.Text(c, p.Lang)})
	}
	return list
}

// finish fills in what depends on the whole: days, bars, lanes, how many decisions there are.
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
		s.draw(p.Columns)
	}
}

// digits are up to n digits behind the point.
func digits(f float64, n int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.*f", n, f), "0"), ".")
}

func one(f float64) string   { return digits(f, 1) }
func three(f float64) string { return digits(f, 3) }

// clean is s without what has no place in a page: what else people wrote is escaped by the template and set apart by
// bdi elements.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
