package prompt

import (
	"github.com/hearth-bot/hearth/persona/schedule"
	"strconv"
	"time"
)

// How much of what the being keeps for itself a context shows, in runes.
const (
	maxPaper = 16000 // of a document, and of events
	maxTitle = 200   // of a task's title
)

// A MoodSummary is how the being is just now.
type MoodSummary struct {
	Text   string  // in a word or two; may be ""
	Tone   string  // how it means to talk; may be ""
	Energy float64 // from 0 to 1; below 0 for unknown
}

// papers writes the documents. They change least, and stand first.
func (d *draft) papers(ps []Document) {
	d.list("", len(ps), "", documents, func(i int) {
		d.raw("<document")
		d.attr(` name="`, ps[i].Name, maxName)
		d.raw(">\n")
		d.long(ps[i].Text, maxPaper)
		d.raw("\n</document>\n")
	})
}

func (d *draft) notes(ns []Memory) {
	d.list("<notes>\n", len(ns), "</notes>\n", notes, func(i int) {
		d.raw("<note")
		d.attr(` name="`, ns[i].ID, maxName)
		d.time(ns[i].At)
		d.content(ns[i].Text, "</note>\n")
	})
}

// self writes what the being feels, thinks and plans, and what its owner has been doing.
func (d *draft) self(s *Scene) {
	d.piece(events, "<events>\n", s.OwnerActivity, maxPaper, "\n</events>\n")
	old := pastTasks
	if s.Condense { // what was not shown would be condensed to nothing
		old = ranks
	}
	d.tasks("<past_tasks>\n", s.Past, "</past_tasks>\n", old)
	d.tasks("<planned_tasks>\n", s.Planned, "</planned_tasks>\n", plannedTasks)
	d.piece(mind, "<mind>", s.GlobalReflection, maxText, "</mind>\n")
	d.piece(inner, "<inner_state>", s.InnerState, maxText, "</inner_state>\n")
	if m := s.Mood; m != nil {
		d.raw("<mood")
		d.optional(` tone="`, m.Tone, maxTitle)
		if m.Energy >= 0 {
			d.raw(` energy="` + share(m.Energy) + `"`)
		}
		d.raw(">")
		d.text(m.Text, maxTitle)
		d.raw("</mood>\n")
	}
}

func (d *draft) piece(r rank, open, text string, max int, close string) {
	if text == "" {
		return
	}
	d.begin(r)
	d.raw(open)
	d.long(text, max)
	d.raw(close)
	d.end()
}

func (d *draft) tasks(open string, ts []schedule.Task, close string, r rank) {
	d.list(open, len(ts), close, r, func(i int) { d.task(&ts[i]) })
}

func (d *draft) task(t *schedule.Task) {
	d.raw("<task")
	d.optional(` id="`, t.ID, maxName)
	d.attr(` title="`, t.Title, maxTitle)
	d.time(t.ScheduledAt)
	d.moment(` until="`, t.OutdatedAt)
	if t.Status != schedule.TaskScheduled {
		d.attr(` status="`, t.Status.String(), maxName)
	}
	d.optional(` result="`, t.Result.Type, maxName)
	d.optional(` error="`, t.Result.Error, maxTitle)
	d.raw(">")
	d.block("<motivation>", t.Motivation, "</motivation>")
	d.block("<plan>", t.Plan, "</plan>")
	d.block("<expected_outcome>", t.ExpectedOutcome, "</expected_outcome>")
	d.block("<reflection>", t.Reflection, "</reflection>")
	d.raw("</task>\n")
}

// wake writes why the being acts: nothing of it is ever left out.
func (d *draft) wake(w *schedule.Wake) {
	if w == nil {
		return
	}
	d.raw(`<wake kind="` + w.Kind.String() + `"`)
	d.moment(` since="`, w.Reason.Since)
	d.flag(` late="true"`, w.Reason.Late)
	if w.Reason.IdleFor > 0 {
		d.raw(` quiet="` + lasting(w.Reason.IdleFor) + `"`)
	}
	d.count(` messages="`, w.Reason.Messages)
	d.count(` failed="`, w.Reason.Failures)
	d.optional(` for_id="`, w.Origin.Person.ID, maxName)
	d.raw(">")
	switch w.Kind {
	case schedule.WakeTimer:
		t := &w.Timer.Timer
		d.raw("<timer")
		d.optional(` id="`, t.ID, maxName)
		d.optional(` spec="`, t.Spec, maxTitle)
		d.moment(` set="`, t.Created)
		d.moment(` next="`, t.Next)
		d.content(t.Payload, "</timer>\n")
	case schedule.WakeTask, schedule.WakeOutdated:
		d.task(&w.Task)
	case schedule.WakeArchive, schedule.WakeReview:
		d.raw("<talk")
		d.moment(` from="`, w.Conversation.From)
		d.moment(` to="`, w.Conversation.To)
		d.count(` messages="`, w.Conversation.Messages)
		d.raw("/>\n")
	}
	d.raw("</wake>\n")
}

func (d *draft) count(prefix string, n int) {
	if n > 0 {
		d.raw(prefix + strconv.Itoa(n) + `"`)
	}
}

// lasting is a duration as people read it, in the largest unit that there is a whole one of: 40s, 5m, 2h, 3d.
func lasting(t time.Duration) string {
	for _, u := range [...]struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if t >= u.unit {
			return strconv.FormatInt(int64(t/u.unit), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(t/time.Second), 10) + "s"
}
