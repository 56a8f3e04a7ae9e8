package inspect

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona/social"
)

// A daySide is what the page shows beside the entries: the time line and what comes next.
type daySide struct {
	Lanes  []dayLane
	Ticks  []dayTick
	Width  int
	Height int
	NowX   string
	Coming []comingRow
}

// A dayLane is a row of marks along the day.
type dayLane struct {
	Name  string
	Y     int
	Marks []dayMark
}

// A dayMark is an entry, or a future task or timer.
type dayMark struct {
	X     string
	Seq   uint64 // of the entry; 0 for a future mark
	Kind  string
	Title string
}

type dayTick struct{ X, Text string }

// A comingRow is a task or a timer that comes.
type comingRow struct {
	At   time.Time
	Kind string
	Word string
	Text string
}

// dayLanes are the kinds of the entries in each row of marks.
var dayLanes = []struct {
	name  string
	kinds []string
}{
	{"owner", []string{"owner", "reply", "notice"}},
	{"QQ", []string{"heard", "said", "report"}},
	{"lane.do", []string{"did", "timer", "task", "outdated", "failed", "link"}},
	{"lane.mind", []string{"background", "patch", "reflection", "archive"}},
}

const (
	lineWidth   = 1000 // of the drawing
	laneHeight  = 36
	pastShown   = 24 * time.Hour
	futureShown = 3 * time.Hour
	maxComing   = 20
)

// side draws the entries that are not dull, and the plans.
func (p dayView) side(now time.Time, rows []dayRow, plans social.Agenda) daySide {
	from, to := now.Add(-pastShown), now.Add(futureShown)
	if len(rows) > 0 && rows[0].At.After(from) {
		from = rows[0].At
	}
	from, to = from.Truncate(time.Hour), to.Truncate(time.Hour).Add(time.Hour)
	x := func(t time.Time) string {
		return fmt.Sprintf("%.1f", lineWidth*t.Sub(from).Seconds()/to.Sub(from).Seconds())
	}
	s := daySide{NowX: x(now), Width: lineWidth, Height: len(dayLanes)*laneHeight + 15}
	step := 1
	if to.Sub(from) > 10*time.Hour {
		step = 3
	}
	for t := from; t.Before(to); t = t.Add(time.Hour) {
		if local := t.Local(); local.Hour()%step == 0 {
			s.Ticks = append(s.Ticks, dayTick{x(t), local.Format("15:04")})
		}
	}
	lane := map[string]int{}
	for i, l := range dayLanes {
		s.Lanes = append(s.Lanes, dayLane{Name: p.T(l.name), Y: i*laneHeight + laneHeight/2})
		for _, k := range l.kinds {
			lane[k] = i
		}
	}
	mark := func(kind string, m dayMark) {
		l := &s.Lanes[lane[kind]]
		l.Marks = append(l.Marks, m)
	}
	for _, r := range rows {
		if !r.Dull && !r.At.Before(from) {
			mark(r.Kind, dayMark{x(r.At), r.Seq, r.Kind, r.Clock() + " " + r.Word + " " + clip.Ellipsis(r.Text, 80)})
		}
	}
	s.Coming = p.coming(plans)
	for _, c := range s.Coming {
		if c.At.After(now) && c.At.Before(to) {
			mark(c.Kind, dayMark{X: x(c.At), Kind: "ahead", Title: c.At.Format("15:04") + " " + clip.Ellipsis(c.Text, 80)})
		}
	}
	return s
}

// coming returns the tasks and the timers that come next: the next first.
func (p dayView) coming(plans social.Agenda) (all []comingRow) {
	for _, t := range plans.Planned {
		all = append(all, comingRow{p.shown(t.ScheduledAt).Local(), "task", p.T("day.task"), t.Title})
	}
	for _, t := range plans.Timers {
		all = append(all, comingRow{p.shown(t.Next).Local(), "timer", p.T("day.timer"), t.Payload})
	}
	slices.SortStableFunc(all, func(a, b comingRow) int { return a.At.Compare(b.At) })
	return all[:min(len(all), maxComing)]
}
