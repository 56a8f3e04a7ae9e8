package inspect

import (
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
)

// A changesPage is the data of the page with changes of settings.
type changesPage struct {
	Here    string
	Changes []social.Change // latest first
}

// changes shows who changed which setting when.
func (h *Handler) changes(p *page) (err error) {
	d := changesPage{Here: "changes"}
	if d.Changes, err = p.feed.Bot.Changes(p.r.Context()); err != nil {
		return err
	}
	slices.Reverse(d.Changes)
	p.render("changes.html", d)
	return nil
}

// Functions of templates.

// By returns who made a change.
func (p *page) By(c social.Change) string {
	who := c.By
	if p.has("by_" + c.By) {
		who = p.T("by_" + c.By)
	}
	if c.Account != (persona.Account{}) {
		who += " " + c.Account.Platform + ":" + c.Account.ID
	}
	return who
}

// What returns what a change is about.
func (p *page) What(c social.Change) string {
	what := c.Field
	for _, key := range []string{"ch_" + c.Field, "set_" + c.Field} {
		if p.has(key) {
			what = p.T(key)
		}
	}
	subject := c.Subject
	if c.Field == "request" {
		subject = p.T(subject)
	}
	return strings.TrimSpace(what + " " + subject)
}

// Value returns the old or new value of a change.
func (p *page) Value(c social.Change, value string) string {
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at.Local().Format("2006-01-02 15:04")
	}
	if key := valueTexts[value]; key != "" {
		return p.T(key)
	}
	switch {
	case value != "":
		return value
	case p.has("set_" + c.Field):
		return p.T("default")
	}
	return "—"
}

// valueTexts are the texts of values that are words.
var valueTexts = map[string]string{
	"sent": "itWasSent", "not sent": "itWasNotSent", "unclear": "unclear", "on": "isOn", "off": "isOff", "true": "yes", "false": "no", "approve": "approve", "reject": "reject",
	"canceled": "canceled",
}

// has reports whether there is a text for a key.
func (p *page) has(key string) bool { return p.T(key) != key }

// Origin returns for whom a plan is or a run was.
func (p *page) Origin(o schedule.Origin) string {
	switch {
	case o.Mode == persona.Agent:
		return p.T("owner'sSide")
	case o.Chat == (persona.Chat{}):
		return p.T("itself")
	}
	return p.Title(o.Chat)
}

// Took returns how long a run took.
func (p *page) Took(w social.PastWake) string {
	end := w.Ended
	if end.IsZero() {
		end = time.Now()
	}
	d := end.Sub(w.Began)
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// WakeKind returns the kind of a run, as people read it.
func (p *page) WakeKind(k schedule.WakeKind) string { return p.T("wake_" + k.String()) }

// TaskStatus returns the status of a task, as people read it.
func (p *page) TaskStatus(t schedule.Task) string { return p.T("task_" + t.Status.String()) }

// A choice is an option of a select element.
type choice struct{ Value, Text string }

// Durations returns the choices of a form that asks how long.
func (p *page) Durations() []choice {
	return []choice{
		{"10m", p.T("for10m")}, {"30m", p.T("for30m")}, {"1h", p.T("for1h")}, {"3h", p.T("for3h")}, {"8h", p.T("for8h")}, {"24h", p.T("for1d")}, {"168h", p.T("for1w")},
	}
}
