package prompt

import (
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
)

// Limits of the bot's own texts in a context, in runes.
const (
	maxDocument = 16000 // a document, or the owner's activity
	maxTitle    = 200   // the title of a task
)

// A MoodSummary describes the bot's current mood.
type MoodSummary struct {
	Text   string  // one or two words; may be ""
	Tone   string  // the current tone of speech; may be ""
	Energy float64 // from 0 to 1; negative means unknown
}

// documents writes the documents. They come first, because they change least.
func (w *contextWriter) documents(ps []Document) {
	w.list("", len(ps), "", documents, func(i int) {
		w.raw("<document")
		w.attr(` name="`, ps[i].Name, maxName)
		w.raw(">\n")
		w.longText(ps[i].Text, maxDocument)
		w.raw("\n</document>\n")
	})
}

func (w *contextWriter) notes(ns []Memory) {
	w.list("<notes>\n", len(ns), "</notes>\n", notes, func(i int) {
		w.raw("<note")
		w.attr(` name="`, ns[i].ID, maxName)
		w.time(ns[i].At)
		w.content(ns[i].Text, "</note>\n")
	})
}

// botState writes the bot's feelings, reflections and tasks, and the owner's activity.
func (w *contextWriter) botState(s *Scene) {
	w.section(events, "<events>\n", s.OwnerActivity, maxDocument, "\n</events>\n")
	old := pastTasks
	if s.Condense { // these tasks would be lost if they were condensed without being shown
		old = priorities
	}
	w.tasks("<past_tasks>\n", s.Past, "</past_tasks>\n", old)
	w.tasks("<planned_tasks>\n", s.Planned, "</planned_tasks>\n", plannedTasks)
	w.section(mind, "<mind>", s.GlobalReflection, maxText, "</mind>\n")
	w.section(inner, "<inner_state>", s.InnerState, maxText, "</inner_state>\n")
	if m := s.Mood; m != nil {
		w.raw("<mood")
		w.optional(` tone="`, m.Tone, maxTitle)
		if m.Energy >= 0 {
			w.raw(` energy="` + formatShare(m.Energy) + `"`)
		}
		w.raw(">")
		w.text(m.Text, maxTitle)
		w.raw("</mood>\n")
	}
}

// attention writes the attention to the chat. It is never dropped.
func (w *contextWriter) attention(a *AttentionSummary) {
	if a == nil {
		return
	}
	w.raw("<attention")
	w.optional(` global_state="`, a.GlobalState, maxName)
	w.optional(` chat_state="`, a.ChatState, maxName)
	w.raw(` interest="` + formatShare(a.Interest) + "\"/>\n")
}

func (w *contextWriter) section(r priority, open, text string, max int, close string) {
	if text == "" {
		return
	}
	w.begin(r)
	w.raw(open)
	w.longText(text, max)
	w.raw(close)
	w.end()
}

func (w *contextWriter) tasks(open string, ts []schedule.Task, close string, r priority) {
	w.list(open, len(ts), close, r, func(i int) { w.task(&ts[i]) })
}

func (w *contextWriter) task(t *schedule.Task) {
	w.raw("<task")
	w.optional(` id="`, t.ID, maxName)
	w.attr(` title="`, t.Title, maxTitle)
	w.time(t.ScheduledAt)
	w.timestamp(` until="`, t.OutdatedAt)
	if t.Status != schedule.TaskScheduled {
		w.attr(` status="`, t.Status.String(), maxName)
	}
	w.optional(` result="`, t.Result.Type, maxName)
	w.optional(` error="`, t.Result.Error, maxTitle)
	w.raw(">")
	w.block("<motivation>", t.Motivation, "</motivation>")
	w.block("<plan>", t.Plan, "</plan>")
	w.block("<expected_outcome>", t.ExpectedOutcome, "</expected_outcome>")
	w.block("<reflection>", t.Reflection, "</reflection>")
	w.raw("</task>\n")
}

// wake writes the reason of an autonomous turn. It is never dropped.
func (w *contextWriter) wake(wake *schedule.Wake) {
	if wake == nil {
		return
	}
	w.raw(`<wake kind="` + wake.Kind.String() + `"`)
	w.timestamp(` since="`, wake.Reason.Since)
	w.flag(` late="true"`, wake.Reason.Late)
	if wake.Reason.IdleFor > 0 {
		w.raw(` quiet="` + formatDuration(wake.Reason.IdleFor) + `"`)
	}
	w.count(` messages="`, wake.Reason.Messages)
	w.count(` failed="`, wake.Reason.Failures)
	w.optional(` for_id="`, wake.Origin.Person.ID, maxName)
	w.raw(">")
	switch wake.Kind {
	case schedule.WakeTimer:
		t := &wake.Timer.Timer
		w.raw("<timer")
		w.optional(` id="`, t.ID, maxName)
		w.optional(` spec="`, t.Spec, maxTitle)
		w.timestamp(` set="`, t.Created)
		w.timestamp(` next="`, t.Next)
		w.content(t.Payload, "</timer>\n")
	case schedule.WakeTask, schedule.WakeOutdated:
		w.task(&wake.Task)
	case schedule.WakeArchive, schedule.WakeReview:
		w.raw("<talk")
		w.timestamp(` from="`, wake.Conversation.From)
		w.timestamp(` to="`, wake.Conversation.To)
		w.count(` messages="`, wake.Conversation.Messages)
		w.raw("/>\n")
	}
	w.raw("</wake>\n")
}

func (w *contextWriter) count(prefix string, n int) {
	if n > 0 {
		w.raw(prefix + strconv.Itoa(n) + `"`)
	}
}

// formatDuration formats a duration in the largest fitting unit: 40s, 5m, 2h, 3d.
func formatDuration(t time.Duration) string {
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
