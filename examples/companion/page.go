package main

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// maxShown limits the entries on a page.
const maxShown = 500

// A page shows a day without scripts. Its content security policy allows only its own style. It reloads periodically unless
// the URL has the parameter "still".
type page struct {
	*day
	Refresh      int // seconds; 0 means never
	TimelineRows []timelineRow
	Ticks        []tick
	Rows         []row
	Hidden       int // number of entries that are not shown
	NowX         string
}

// A timelineRow is a row of marks along the day.
type timelineRow struct {
	Name  string
	Y     int
	Marks []mark
}

// A mark is an entry, or a future task or timer.
type mark struct {
	X     string
	Row   string // of the list; empty for a future mark
	Kind  kind
	Title string
}

type tick struct {
	X    string
	Text string
}

type row struct {
	ID, Time, Word string
	entry
}

// kindNames are the displayed names of kinds.
var kindNames = map[kind]string{
	kindOwner: "主人", kindReply: "对主人", kindHeard: "听见", kindSaid: "在 QQ 上", kindDid: "做了", kindTimer: "定时", kindTask: "计划", kindOutdated: "没赶上",
	kindBackground: "心里", kindPatch: "改写", kindReflection: "体会", kindReport: "汇报", kindNotice: "提醒", kindArchive: "收起", kindFailed: "失败",
}

// statusNames are the displayed names of task statuses.
var statusNames = map[schedule.TaskStatus]string{
	schedule.TaskScheduled: "还没到", schedule.TaskPending: "该做了", schedule.TaskRunning: "正在做", schedule.TaskOutdated: "没赶上",
	schedule.TaskAccomplished: "做了", schedule.TaskCanceled: "不做了",
}

// State returns the displayed status.
func (p taskView) State() string {
	switch {
	case p.Error == schedule.ErrorInterrupted:
		return "被打断了"
	case p.Error != "":
		return "没做成"
	}
	return statusNames[p.Status]
}

var timelineRows = []struct {
	name  string
	kinds []kind
}{
	{"主人", []kind{kindOwner, kindReply, kindNotice}},
	{"QQ", []kind{kindHeard, kindSaid, kindReport}},
	{"做事", []kind{kindDid, kindTimer, kindTask, kindOutdated, kindFailed}},
	{"心里", []kind{kindBackground, kindPatch, kindReflection, kindArchive}},
}

const (
	width       = 1000 // of the drawing
	rowHeight   = 36   // of a timeline row
	pastShown   = 24 * time.Hour
	futureShown = 3 * time.Hour
)

func newPage(d *day, still bool) *page {
	p := &page{day: d}
	if !still {
		p.Refresh = min(30, max(2, int(10*60/d.Speed)))
	}
	shown := d.Entries[max(0, len(d.Entries)-maxShown):]
	p.Hidden = d.Earlier + len(d.Entries) - len(shown)
	from, to := d.Now.Add(-pastShown), d.Now.Add(futureShown)
	if len(shown) > 0 && shown[0].At.After(from) {
		from = shown[0].At
	}
	from, to = from.Truncate(time.Hour), to.Truncate(time.Hour).Add(time.Hour)
	x := func(t time.Time) string {
		return fmt.Sprintf("%.1f", width*t.Sub(from).Seconds()/to.Sub(from).Seconds())
	}
	p.NowX = x(d.Now)
	step := time.Hour
	if to.Sub(from) > 10*time.Hour {
		step = 3 * time.Hour
	}
	for t := from; t.Before(to); t = t.Add(time.Hour) {
		if t.Hour()%int(step/time.Hour) == 0 {
			p.Ticks = append(p.Ticks, tick{x(t), t.Format("15:04")})
		}
	}
	at := map[kind]int{}
	for i, l := range timelineRows {
		p.TimelineRows = append(p.TimelineRows, timelineRow{Name: l.name, Y: i*rowHeight + rowHeight/2})
		for _, k := range l.kinds {
			at[k] = i
		}
	}
	for i, e := range shown {
		r := row{ID: fmt.Sprint("e", i), Time: e.At.Format("15:04"), Word: kindNames[e.Kind], entry: e}
		p.Rows = append(p.Rows, r)
		if !e.At.Before(from) {
			l := &p.TimelineRows[at[e.Kind]]
			l.Marks = append(l.Marks, mark{x(e.At), r.ID, e.Kind, r.Time + " " + r.Word + " " + clip.Ellipsis(e.Text, 80)})
		}
	}
	coming := func(t time.Time, title string) {
		if t.After(d.Now) && t.Before(to) {
			l := &p.TimelineRows[at[kindTask]]
			l.Marks = append(l.Marks, mark{X: x(t), Kind: "ahead", Title: t.Format("15:04") + " " + title})
		}
	}
	for _, t := range d.Tasks {
		if t.Ended.IsZero() {
			coming(t.At, t.Title)
		}
	}
	for _, t := range d.Timers {
		coming(t.At, t.Text)
	}
	return p
}

// Height returns the height of the drawing.
func (p *page) Height() int { return len(p.TimelineRows)*rowHeight + 20 }

// Foot returns the height of the hour labels.
func (p *page) Foot() int { return len(p.TimelineRows)*rowHeight + 15 }

func (w *webServer) page(rw http.ResponseWriter, r *http.Request) {
	d, err := w.companion.day(r.Context())
	var text []byte
	if err == nil {
		text, err = newPage(d, r.URL.Query().Has("still")).render()
	}
	if err != nil {
		http.Error(rw, "the day could not be drawn", http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(text) // fails only if the client is gone
}

func (p *page) render() ([]byte, error) {
	return program.Draw(files, "img-src data:; ", template.FuncMap{"clock": func(t time.Time) string { return t.Format("01-02 15:04") }}, p)
}
