package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A lane draws a column of a chat: the score of each decision, where it speaks, and the states. It is 1000 wide and 40
// high, one step for each message.
type lane struct {
	Name, Mark string
	Path       string
	Level      string // the interest, where there is one
	States     []band
	Speaks     []spike
}

// A band is a stretch in one state.
type band struct {
	Name     string
	X, Width string
}

// A spike is where the bot speaks.
type spike struct{ Row, X, Y string }

// draw makes the lanes of a section.
func (s *section) draw(columns []column) {
	for i, c := range columns {
		s.Lanes = append(s.Lanes, s.lane(i, c))
	}
	day := ""
	for i := range 5 {
		at := s.Rows[(len(s.Rows)-1)*i/4].at
		tick := at.Format("15:04")
		if d := at.Format("01-02"); i > 0 && d != day {
			tick = d
		}
		day = at.Format("01-02")
		s.Ticks = append(s.Ticks, tick)
	}
}

func (s *section) lane(column int, c column) lane {
	l := lane{Name: c.Name, Mark: c.Mark}
	x := func(row int) string { return one(1000 * float64(row) / float64(len(s.Rows))) }
	var path strings.Builder
	for i, r := range s.Rows {
		if r.Marks == nil || !r.Marks[column].Shown {
			continue
		}
		m := r.Marks[column]
		y := one(36 - 32*float64(m.Bar)/100)
		if m.Bar > 0 {
			fmt.Fprintf(&path, "M%s 36V%sH%sV36Z", x(max(i+1-m.Batch, 0)), y, x(i+1))
		}
		if m.Outcome == "speak" {
			l.Speaks = append(l.Speaks, spike{r.ID, x(i + 1), y})
		}
	}
	l.Path = path.String()
	l.Level = s.level(column)

	changes := s.states[column]
	for i, c := range changes {
		until := len(s.Rows)
		if i+1 < len(changes) {
			until = s.row(changes[i+1].at)
		}
		if began := s.row(c.at); began < until {
			l.States = append(l.States, band{c.state, x(began), one(1000 * float64(until-began) / float64(len(s.Rows)))})
		}
	}
	return l
}

// level draws the interest from decision to decision, against the highest.
func (s *section) level(column int) string {
	top := 3.5 // where a chat may become FOCUSED
	for _, r := range s.Rows {
		if r.Marks != nil {
			top = max(top, r.Marks[column].level)
		}
	}
	var path strings.Builder
	for i, r := range s.Rows {
		if r.Marks == nil || r.Marks[column].Level == "" {
			continue
		}
		to := "ML"[min(path.Len(), 1)]
		fmt.Fprintf(&path, "%c%s %s", to, one(1000*(float64(i)+.5)/float64(len(s.Rows))), one(36-32*r.Marks[column].level/top))
	}
	return path.String()
}

// row is the first row that is not before t.
func (s *section) row(t time.Time) int {
	i, _ := slices.BinarySearchFunc(s.Rows, t, func(r *row, t time.Time) int { return r.at.Compare(t) })
	return i
}
