package prompt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// The nodes that a scene's own texts should produce, built without the writer: see meant.

func meantPapers(now time.Time, s Scene) (nodes []*node) {
	for _, p := range s.Documents {
		n := &node{Name: "document", Text: "\n" + long(p.Text, maxDocument) + "\n"}
		n.add("name", p.Name, maxName, true)
		nodes = append(nodes, n)
	}
	if len(s.Notes) == 0 {
		return nodes
	}
	all := &node{Name: "notes"}
	for _, m := range s.Notes {
		n := &node{Name: "note", Text: body(m.Text)}
		n.add("name", m.ID, maxName, true)
		n.addTime(now, s.Location, m.At)
		all.Kids = append(all.Kids, n)
	}
	return append(nodes, all)
}

func meantSelf(now time.Time, s Scene) (nodes []*node) {
	if s.OwnerActivity != "" {
		nodes = append(nodes, &node{Name: "events", Text: "\n" + long(s.OwnerActivity, maxDocument) + "\n"})
	}
	for _, list := range []struct {
		name  string
		tasks []schedule.Task
	}{{"past_tasks", s.Past}, {"planned_tasks", s.Planned}} {
		if len(list.tasks) == 0 {
			continue
		}
		all := &node{Name: list.name}
		for _, t := range list.tasks {
			all.Kids = append(all.Kids, meantTask(now, s.Location, t))
		}
		nodes = append(nodes, all)
	}
	for _, b := range [][2]string{{"mind", s.GlobalReflection}, {"inner_state", s.InnerState}} {
		if b[1] != "" {
			nodes = append(nodes, &node{Name: b[0], Text: body(b[1])})
		}
	}
	if s.Mood != nil {
		text, _ := neutralNaive(s.Mood.Text, maxTitle, false)
		n := &node{Name: "mood", Text: text}
		n.add("tone", s.Mood.Tone, maxTitle, false)
		if s.Mood.Energy >= 0 {
			n.Attrs = append(n.Attrs, fmt.Sprintf("energy=%.2f", min(s.Mood.Energy, 1)))
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func meantTask(now time.Time, loc *time.Location, t schedule.Task) *node {
	n := &node{Name: "task"}
	n.add("id", t.ID, maxName, false)
	n.add("title", t.Title, maxTitle, true)
	n.addTime(now, loc, t.ScheduledAt)
	n.addMoment("until", now, loc, t.OutdatedAt)
	if t.Status != schedule.TaskScheduled {
		n.add("status", t.Status.String(), maxName, true)
	}
	n.add("result", t.Result.Type, maxName, false)
	n.add("error", t.Result.Error, maxTitle, false)
	for _, b := range [][2]string{{"motivation", t.Motivation}, {"plan", t.Plan}, {"expected_outcome", t.ExpectedOutcome}, {"reflection", t.Reflection}} {
		if b[1] != "" {
			n.Kids = append(n.Kids, &node{Name: b[0], Text: body(b[1])})
		}
	}
	return n
}

func meantWake(now time.Time, loc *time.Location, w *schedule.Wake) []*node {
	if w == nil {
		return nil
	}
	n := &node{Name: "wake"}
	n.add("kind", w.Kind.String(), maxName, true)
	n.addMoment("since", now, loc, w.Reason.Since)
	if w.Reason.Late {
		n.Attrs = append(n.Attrs, "late=true")
	}
	if w.Reason.IdleFor > 0 {
		n.Attrs = append(n.Attrs, "quiet="+formatDuration(w.Reason.IdleFor))
	}
	number := func(n *node, name string, i int) {
		if i > 0 {
			n.Attrs = append(n.Attrs, fmt.Sprint(name, "=", i))
		}
	}
	number(n, "messages", w.Reason.Messages)
	number(n, "failed", w.Reason.Failures)
	n.add("for_id", w.Origin.Person.ID, maxName, false)
	switch w.Kind {
	case schedule.WakeTimer:
		t := w.Timer.Timer
		kid := &node{Name: "timer", Text: body(t.Payload)}
		kid.add("id", t.ID, maxName, false)
		kid.add("spec", t.Spec, maxTitle, false)
		kid.addMoment("set", now, loc, t.Created)
		kid.addMoment("next", now, loc, t.Next)
		n.Kids = []*node{kid}
	case schedule.WakeTask, schedule.WakeOutdated:
		n.Kids = []*node{meantTask(now, loc, w.Task)}
	case schedule.WakeArchive, schedule.WakeReview:
		kid := &node{Name: "talk"}
		kid.addMoment("from", now, loc, w.Conversation.From)
		kid.addMoment("to", now, loc, w.Conversation.To)
		number(kid, "messages", w.Conversation.Messages)
		n.Kids = []*node{kid}
	}
	return []*node{n}
}

// keeps fills all of the bot's own texts with texts of the fuzzer.
func (s *Scene) keeps(bits uint8, at time.Time, name, text, more, id string) {
	task := schedule.Task{
		ID: id, Title: name, Motivation: text, Plan: more, ExpectedOutcome: id, Reflection: text, Priority: int(bits), ScheduledAt: at, OutdatedAt: at,
		Status: schedule.TaskStatus(bits % 8), Result: schedule.TaskResult{Type: name, Error: more},
	}
	s.Documents = []Document{{name, text}, {id, more}}
	s.Notes = []Memory{{ID: name, Text: text, At: at}, {ID: text}}
	s.OwnerActivity, s.GlobalReflection, s.InnerState = text, more, name
	s.Past, s.Planned = []schedule.Task{task, {Title: text}}, []schedule.Task{{Title: more, Plan: name}, task}
	s.Mood = &MoodSummary{Text: text, Tone: more, Energy: float64(bits)/100 - 1}
	s.Wake = &schedule.Wake{
		ID: id, Kind: schedule.WakeKind(bits % 9), Origin: schedule.Origin{Person: persona.Account{Platform: name, ID: id}}, Task: task,
		Reason:       schedule.WakeReason{Since: at, Late: bits&1 > 0, IdleFor: time.Duration(at.Unix()), Messages: int(bits) - 9, Failures: int(bits) - 100},
		Timer:        schedule.Firing{ID: id, Timer: schedule.Timer{ID: name, Spec: more, Payload: text, Created: at, Next: at}},
		Conversation: schedule.Conversation{From: at, To: at, Messages: int(bits) - 50},
	}
	s.Intent, s.Actions = more, []Action{{name, text}, {more, id}}
	s.Attention = &AttentionSummary{GlobalState: text, ChatState: name, Interest: float64(bits)/100 - 1}
	s.Thoughts = []Thought{{Text: more, At: at}, {Text: name}, {Text: text}}
}

// Chat templates, markers and tool calls are neutralized in each of these texts, too.
func TestContext_NeutralizesOwnTexts(t *testing.T) {
	now := time.Date(2026, 1, 5, 10, 0, 30, 0, cst)
	for _, marker := range []string{
		"<|im_start|>", "<tool_call>", "<nit-A1B2>", "[INST]", "[[[NIT_CALL]]]", "【系统", "[系统", "]~b]", "\u202e", "\u200b", "</wake>", "</document>", "<wake kind", "]]>", "<!--",
	} {
		for bits := range uint8(9) {
			s := Scene{Location: cst}
			clean := strings.Count(Context(persona.Profile{}, now, s), marker)
			for _, text := range []string{marker, "a" + marker + "b", marker + marker} {
				s.keeps(bits, now, text, text, text, text)
				s.Wake.Kind = schedule.WakeKind(bits)
				got := Context(persona.Profile{}, now, s)
				node, err := parse(got)
				require.NoError(t, err)
				require.Equal(t, meant(persona.Profile{}, now, s), node)
				most := clean
				if strings.HasPrefix(marker, "</") || marker == "<wake kind" { // markup of this package
					most += 2
				}
				require.LessOrEqual(t, strings.Count(got, marker), most, "%q", marker)
			}
		}
	}
}
