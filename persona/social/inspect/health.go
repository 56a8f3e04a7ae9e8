package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social/internal/health"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A healthBot tells the state of its links and what it spends.
type healthBot interface {
	LinkHealth() []trace.LinkHealth
	Allowance(chat persona.Chat) (a trace.Allowance, ok bool)
	Budget() heartflow.BudgetState
	ChatBudget(chat persona.Chat) heartflow.BudgetState
	UsageByModel() map[string]models.Usage
}

// A tableRow is a row of one of the tables above the list of chats. Its Key stays the same, so that a page changes the row in
// place. Its JSON names are those of live.js.
type tableRow struct {
	Key   string   `json:"key"`
	Cells []string `json:"cells"`
	Bad   bool     `json:"bad,omitempty"`
}

// tables are the tables above the list of chats by the id of their element.
type tables struct {
	Links  []tableRow `json:"links"`
	Budget []tableRow `json:"budget"`
	Usage  []tableRow `json:"usage"`
	Saving string     `json:"saving"` // what the budget restricts
}

func (p *page) writer() health.Writer {
	return health.Writer{English: p.lang == english, Now: time.Now()}
}

func (p *page) tables() *tables {
	s := p.feed.Bot.Budget()
	return &tables{Links: p.linkRows(), Budget: p.budgetRows(s), Usage: p.usageRows(), Saving: p.writer().Budget(s)}
}

// linkRows returns a row for each link. Of a link that does not tell its state it has what the link's events have told.
func (p *page) linkRows() (rows []tableRow) {
	all := p.feed.Bot.LinkHealth()
	for _, e := range p.feed.linkStates() {
		if !slices.ContainsFunc(all, func(h trace.LinkHealth) bool { return h.Self.Platform == e.Link.Self.Platform }) {
			all = append(all, trace.LinkHealth{Self: e.Link.Self, Online: e.Link.Online, Since: e.At, Problem: e.Link.Reason})
		}
	}
	w := p.writer()
	for _, h := range all {
		rows = append(rows, tableRow{Key: h.Self.Platform, Bad: !h.Online, Cells: []string{
			strings.TrimSpace(h.Self.Platform + " " + h.Self.ID), w.State(h), w.Latency(h), w.Heartbeat(h), w.Reconnects(h), w.Queue(h), fmt.Sprint(h.Dropped),
		}})
	}
	return rows
}

// budgetRows returns the used tokens and calls of an hour and a day with their limits.
func (p *page) budgetRows(s heartflow.BudgetState) []tableRow {
	w, u, l := p.writer(), s.Usage, s.Limits
	return []tableRow{
		{Key: "hour", Cells: []string{p.T("lastHour"), w.Used(u.HourTokens, l.HourTokens), w.Used(u.HourCalls, l.HourCalls)}},
		{Key: "day", Cells: []string{p.T("lastDay"), w.Used(u.DayTokens, l.DayTokens), w.Used(u.DayCalls, l.DayCalls)}},
	}
}

// usageRows returns the usage by purpose, then by model, then in all.
func (p *page) usageRows() (rows []tableRow) {
	byPurpose, byModel := p.feed.Bot.Usage(), p.feed.Bot.UsageByModel()
	for _, purpose := range slices.Sorted(maps.Keys(byPurpose)) {
		rows = append(rows, p.usageRow("p:"+string(purpose), p.T("purpose:"+string(purpose)), byPurpose[purpose], ""))
	}
	all, priced := models.Usage{}, false
	for _, name := range slices.Sorted(maps.Keys(byModel)) {
		u, asked := byModel[name], ""
		if price, ok := p.h.o.Prices[name]; ok {
			asked, priced = money(price.Cost(u)), true
		}
		all = all.Add(u)
		shown := name
		if shown == "" {
			shown = p.T("unnamed")
		}
		rows = append(rows, p.usageRow("m:"+name, shown, u, asked))
	}
	total := ""
	if priced {
		total = money(p.h.o.Prices.Cost(byModel))
	}
	return append(rows, p.usageRow("all", p.T("total"), all, total))
}

func (p *page) usageRow(key, name string, u models.Usage, cost string) tableRow {
	calls := fmt.Sprint(u.Calls)
	if u.Failed > 0 {
		calls += fmt.Sprintf(" (%s %d)", p.T("failed"), u.Failed)
	}
	cached := ""
	if u.Prompt > 0 && u.CacheRead > 0 {
		cached = fmt.Sprintf("%.0f%%", 100*float64(u.CacheRead)/float64(u.Prompt))
	}
	return tableRow{Key: key, Cells: []string{name, calls, health.Number(u.Prompt), cached, health.Number(u.Completion), cost}}
}

// money returns an amount with four digits after the point, or two if it is large.
func money(f float64) string {
	if f >= 100 {
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.4f", f)
}

// Priced reports whether there are prices of models.
func (p *page) Priced() bool { return len(p.h.o.Prices) > 0 }

// A chatHealth is what a chat's page shows of the budget and of the platform's limits.
type chatHealth struct {
	Budget    []tableRow
	Saving    string // what the budget restricts
	Allowance string // "": the platform has no limit
	Timeline  timeline
}

func (p *page) chatHealth(c persona.Chat) (d chatHealth, err error) {
	s := p.feed.Bot.ChatBudget(c)
	d.Budget, d.Saving = p.budgetRows(s), p.writer().Budget(s)
	if a, ok := p.feed.Bot.Allowance(c); ok {
		d.Allowance = p.writer().Allowance(a)
	}
	d.Timeline, err = p.timeline(c)
	return d, err
}
