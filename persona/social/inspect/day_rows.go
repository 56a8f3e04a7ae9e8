package inspect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Limits of an entry, in characters.
const (
	maxDayText = 600
	maxResult  = 200
)

// A dayRow is an entry of the day.
type dayRow struct {
	Seq   uint64    `json:"seq"`
	At    time.Time `json:"at"`
	Day   string    `json:"-"` // as a heading
	Kind  string    `json:"kind"`
	Word  string    `json:"-"` // name of the kind
	Where string    `json:"where,omitempty"`
	URL   string    `json:"-"` // of the chat's page; "" for none
	Text  string    `json:"text"`
	Dull  bool      `json:"dull,omitzero"` // it is folded
}

// Clock returns the time of day.
func (r dayRow) Clock() string { return r.At.Format("15:04") }

// row returns the entry of an event. ok is false if the page does not show it.
func (p dayView) row(e trace.Event) (r dayRow, ok bool) {
	at := p.shown(e.At).Local()
	r = dayRow{Seq: e.Seq, At: at, Day: p.date(at)}
	switch {
	case e.Link != nil:
		r.Kind, r.Text, r.Dull = "link", p.linkText(e), true
		ok = true
	case e.Message != nil:
		ok = p.messageRow(&r, e)
	case !p.Owner(): // the rest may quote anybody
	case e.Tool != nil:
		ok = toolRow(&r, e.Tool)
	case e.Act != nil:
		p.actRow(&r, e)
		ok = true
	case e.Sent != nil && (e.Sent.Failed != "" || e.Sent.Unclear):
		r.Kind, r.Text, ok = "failed", e.Sent.Text+" → "+orText(e.Sent.Failed, p.T("unclear")), true
	case e.Turn != nil && e.Turn.Kind == "owner": // other failures are acts, or the chat was told
		r.Kind, r.Text, ok = "failed", strings.TrimPrefix(e.Turn.Outcome, "error: "), true
	}
	if ok && e.Chat != (persona.Chat{}) && e.Chat != engine.OwnerConversation {
		r.Where, r.URL = p.Title(e.Chat), p.ChatURL(e.Chat)
	}
	r.Word, r.Text = p.T("day."+r.Kind), clip.Ellipsis(r.Text, maxDayText)
	return r, ok
}

// messageRow fills the entry of a message.
func (p dayView) messageRow(r *dayRow, e trace.Event) bool {
	m := e.Message
	switch own := e.Chat == engine.OwnerConversation; {
	case own && m.Own && strings.HasPrefix(m.ID, engine.ReportID):
		r.Kind = "report"
	case own && m.Own:
		r.Kind = "reply"
	case own && m.From == "owner":
		r.Kind = "owner"
	case m.Own:
		r.Kind = "said"
	default:
		r.Kind, r.Text = "heard", m.Name+": "
		r.Dull = e.Chat.Kind == persona.Group && !m.AtMe && (m.Quote == nil || !m.Quote.Own)
	}
	r.Text += m.Text
	return p.mayRead(e.Chat)
}

// actKinds are the classes of the acts that have other names.
var actKinds = map[string]string{"review": "background", "idle": "background", "reflect": "reflection", "outcome": "reflection", "command": "owner"}

// actRow fills the entry of an act.
func (p dayView) actRow(r *dayRow, e trace.Event) {
	a := e.Act
	r.Kind = a.Kind
	if kind, ok := actKinds[a.Kind]; ok {
		r.Kind = kind
	}
	outcome := a.Outcome
	switch a.Kind {
	case "archive":
		r.Text, r.Dull = fmt.Sprintf(p.T("day.archived"), a.Text), true
	case "timer", "task", "outdated":
		r.Text, outcome = a.Text, orText(outcome, p.T("day.silent"))
	case "review", "idle":
		r.Text, r.Dull = p.T("day."+a.Kind), outcome == "" || p.feed.repeats(e)
		outcome = orText(outcome, p.T("day.silent"))
	default:
		r.Text = a.Text
	}
	if a.Failed != "" {
		r.Kind, r.Dull, outcome = "failed", false, a.Failed
	}
	if a.Late {
		outcome += p.T("late")
	}
	r.Text = joinText(r.Text, outcome)
}

// toolRow fills the entry of a tool call. ok is false if another entry shows what it did.
func toolRow(r *dayRow, call *trace.Tool) (ok bool) {
	var args map[string]any
	_ = json.Unmarshal([]byte(call.Arguments), &args) // otherwise they are shown as they are
	r.Kind, r.Dull = "did", call.ReadOnly
	switch patch, isPatch := args["patch"].(string); {
	case call.Outcome != string(nit.OK) && call.Outcome != string(nit.Replayed):
		r.Kind, r.Dull, r.Text = "failed", false, joinText(call.Name, strings.TrimPrefix(call.Result, "error: "))
	case call.Name == "notify_master": // the report
		return false
	case isPatch && strings.HasPrefix(call.Name, "apply_patch_"):
		r.Kind, r.Text = "patch", changedLines(patch)
	case call.Name == "add_notification":
		r.Kind, r.Text = "notice", argsText(args)
	default:
		r.Text = joinText(strings.TrimSpace(call.Name+" "+orText(argsText(args), call.Arguments)), call.Result)
	}
	return true
}

// argsText returns the arguments of a tool as people read them.
func argsText(args map[string]any) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := args[name]
		if object, ok := value.(map[string]any); ok && object["title"] != nil {
			value = object["title"] // of a task
		}
		text, ok := value.(string)
		if !ok {
			b, _ := json.Marshal(value) // it was JSON
			text = string(b)
		}
		all = append(all, name+": "+text)
	}
	return strings.Join(all, ", ")
}

// changedLines returns the lines that a patch removes or adds.
func changedLines(patch string) string {
	var lines []string
	for l := range strings.Lines(patch) {
		if l = strings.TrimRight(l, "\r\n"); strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// orText returns the first text that is not empty.
func orText(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}

// joinText joins what was done and what came of it.
func joinText(what, outcome string) string {
	if what == "" || outcome == "" {
		return what + outcome
	}
	return what + " → " + outcome
}

// repeats reports whether the act before of the same kind had the same outcome.
func (f *feed) repeats(e trace.Event) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.events) - 1; i >= 0; i-- {
		if o := f.events[i]; o.Seq < e.Seq && o.Act != nil && o.Act.Kind == e.Act.Kind {
			return o.Act.Outcome == e.Act.Outcome
		}
	}
	return false
}

// date returns the date of a time as a heading.
func (p dayView) date(t time.Time) string {
	if p.lang == chinese {
		return fmt.Sprintf("%d月%d日 星期%s", t.Month(), t.Day(), []string{"日", "一", "二", "三", "四", "五", "六"}[t.Weekday()])
	}
	return t.Format("Monday, 2 January")
}
