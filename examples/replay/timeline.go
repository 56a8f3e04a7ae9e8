package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A timelineRow draws a chat for one policy: the score of each decision, the replies and the states. It is 1000 wide and 40
// high, with a step for each message.
type timelineRow struct {
	Name, Mark string
	Path       string
	Level      string // the interest; empty without a Flow
	States     []stateBand
	Speaks     []speakMark
}

// A stateBand is a period in one state.
type stateBand struct {
	Name     string
	X, Width string
}

// A speakMark is a reply of the bot.
type speakMark struct{ Row, X, Y string }

// drawTimeline adds the timeline rows to a section.
func (s *section) drawTimeline(columns []column) {
	for i, c := range columns {
		s.Timeline = append(s.Timeline, s.timelineRow(i, c))
	}
	var times []time.Time
	for i := range 5 {
		times = append(times, s.Rows[(len(s.Rows)-1)*i/4].at)
	}
	s.Ticks = ticks(times)
}

// ticks returns a label for each time: hours and minutes, with seconds if two times share a minute, with milliseconds if two
// share a second. A new day adds its date. Equal times get an empty label after the first one.
func ticks(times []time.Time) []string {
	layout := "15:04"
	for i, at := range times[1:] {
		switch was := times[i]; {
		case at.Equal(was):
		case at.Format(time.DateTime) == was.Format(time.DateTime):
			layout = "15:04:05.000"
		case at.Truncate(time.Minute).Equal(was.Truncate(time.Minute)) && layout == "15:04":
			layout = time.TimeOnly
		}
	}
	var labels []string
	for i, at := range times {
		label := at.Format(layout)
		switch {
		case i > 0 && at.Equal(times[i-1]):
			label = ""
		case i > 0 && at.Format(time.DateOnly) != times[i-1].Format(time.DateOnly):
			label = at.Format("01-02 ") + label
		}
		labels = append(labels, label)
	}
	return labels
}

func (s *section) timelineRow(column int, c column) timelineRow {
	l := timelineRow{Name: c.Name, Mark: c.Mark}
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
			l.Speaks = append(l.Speaks, speakMark{r.ID, x(i + 1), y})
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
			l.States = append(l.States, stateBand{c.state, x(began), one(1000 * float64(until-began) / float64(len(s.Rows)))})
		}
	}
	return l
}

// level returns the path of the interest at each decision, scaled by its maximum.
func (s *section) level(column int) string {
	top := 3.5 // the threshold of FOCUSED
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

// row returns the index of the first row that is not before t.
func (s *section) row(t time.Time) int {
	i, _ := slices.BinarySearchFunc(s.Rows, t, func(r *row, t time.Time) int { return r.at.Compare(t) })
	return i
}
