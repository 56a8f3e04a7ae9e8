package inspect

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
)

func (h *Handler) whatIfRoutes() { h.page("GET /bot/{bot}/whatif", owners, h.whatIf) }

// A whatIfPage is the data of a replay under other settings.
type whatIfPage struct {
	Chat   persona.Chat
	Seq    uint64       // of the decision; 0: none
	Event  *trace.Event // the decision; nil: none
	Until  time.Time    // end of the replay
	Form   whatIfForm
	Answer *whatIfAnswer // nil: a field is invalid, or there is no replay
	Failed string        // why there is no replay
}

// A whatIfAnswer is a replay as the page shows it.
type whatIfAnswer struct {
	social.Replay
	Share       string // of agreement; "" if nothing could be compared
	Differences int
	First       []whatIfLink // the first differences
	Moment      *whatIfRow   // the message of the decision, or the last one
	Reasons     []whatIfSide
	Gates       []whatIfGate
	Rows        []whatIfRow
	Left        int // rows that are not shown
}

// A whatIfLink leads to a row.
type whatIfLink struct{ ID, Text string }

// A whatIfSide is one column at the moment.
type whatIfSide struct {
	Title   string
	Known   bool
	Outcome string
	Reasons []string
	At      time.Time
}

// A whatIfGate is a gate in all columns.
type whatIfGate struct {
	Text, Code string
	Cells      []string
	Differs    bool
}

// A whatIfRow is a message with what was decided about it.
type whatIfRow struct {
	ID                     string
	Message                social.ReplayedMessage
	Fact, Current, Changed whatIfCell
	Differs                bool
}

// A whatIfCell is a decision in a row.
type whatIfCell struct{ Class, Text, Why string }

// Limits of the page.
const (
	whatIfMessages = 300
	whatIfLeast    = 20 // rows, if the last hour has fewer
	whatIfFirst    = 10 // links to differences
)

// whatIf shows what the bot would have decided under other settings, at one moment and in the time before it.
func (h *Handler) whatIf(p *page) error {
	d := whatIfPage{Seq: seqParam(p.r)}
	if e, ok := p.feed.eventAt(d.Seq); ok && e.Decision != nil {
		d.Event, d.Chat, d.Until = &e, e.Chat, e.Decision.At
	} else if d.Seq != 0 {
		return errNotFound
	} else {
		var err error
		if d.Chat, err = chatParam(p.r.FormValue("chat")); err != nil {
			return err
		}
		if seconds, err := strconv.ParseInt(p.r.FormValue("until"), 10, 64); err == nil && seconds > 0 {
			d.Until = time.UnixMilli(seconds)
		}
	}
	if d.Chat == (persona.Chat{}) {
		return errNotFound
	}
	settings := social.ChatSettings{}
	d.Form, settings = p.whatIfForm(d.Chat)
	if !d.Form.Invalid {
		r, err := p.feed.Bot.WhatIf(p.r.Context(), social.Question{
			Chat: d.Chat, Until: d.Until, Messages: whatIfMessages, Settings: settings, State: d.Form.State, Events: p.feed.about(d.Chat),
		})
		switch {
		case p.r.Context().Err() != nil:
			return err
		case err != nil:
			d.Failed = err.Error()
		default:
			d.Answer = p.whatIfAnswer(r, &d)
		}
	}
	p.render("whatif.html", d)
	return nil
}

func (p *page) whatIfAnswer(r social.Replay, d *whatIfPage) *whatIfAnswer {
	a := &whatIfAnswer{Replay: r, Differences: r.Differences()}
	if r.Compared > 0 {
		a.Share = fmt.Sprintf("%.0f%%", 100*float64(r.Agreed)/float64(r.Compared))
	}
	until := d.Until
	if until.IsZero() {
		until = time.Now()
	}
	from := 0
	if d.Form.Range == "hour" {
		from = slices.IndexFunc(r.Messages, func(m social.ReplayedMessage) bool { return m.ReceivedAt.After(until.Add(-time.Hour)) })
		if last := max(len(r.Messages)-whatIfLeast, 0); from < 0 || from > last {
			from = last
		}
	}
	a.Left = from
	a.Differences = 0
	for i, m := range r.Messages {
		row := p.whatIfRow(m, i)
		if i == r.Moment {
			moment := row
			a.Moment = &moment
		}
		if i < from {
			continue
		}
		if row.Differs {
			if a.Differences++; a.Differences <= whatIfFirst {
				a.First = append(a.First, whatIfLink{row.ID, m.Name + ": " + m.Text})
			}
		}
		a.Rows = append(a.Rows, row)
	}
	if a.Moment != nil {
		p.whatIfMoment(a, d)
	}
	return a
}

// whatIfMoment adds the decisions of all columns at the moment, with the gates side by side.
func (p *page) whatIfMoment(a *whatIfAnswer, d *whatIfPage) {
	m := a.Moment.Message
	if d.Event != nil { // the feed knows better than the replay which decision is asked about
		m.Fact.Known, m.Fact.Trace = true, *d.Event.Decision
	}
	columns := []struct {
		title string
		social.ReplayedDecision
		cell whatIfCell
	}{{"whatifFact", m.Fact, p.factCell(m.Fact)}, {"whatifCurrent", m.Current, p.replayCell(m.Current)}, {"whatifChanged", m.Changed, p.replayCell(m.Changed)}}
	var order []heartflow.Code
	for _, c := range columns {
		side := whatIfSide{Title: p.T(c.title), Known: c.Known, Outcome: c.cell.Text, At: c.Trace.At}
		for _, why := range c.Trace.Why {
			side.Reasons = append(side.Reasons, p.reason(why))
		}
		if len(side.Reasons) == 0 && c.cell.Why != "" {
			side.Reasons = []string{c.cell.Why}
		}
		a.Reasons = append(a.Reasons, side)
		for _, g := range c.Trace.Gates {
			if !slices.Contains(order, g.Code) {
				order = append(order, g.Code)
			}
		}
	}
	for _, code := range order {
		row := whatIfGate{Text: p.reason(code), Code: string(code)}
		for _, c := range columns {
			row.Cells = append(row.Cells, p.gateCell(c.Trace.Gates, code))
		}
		row.Differs = row.Cells[1] != row.Cells[2]
		a.Gates = append(a.Gates, row)
	}
}

// gateCell tells what the gates of a code measured; "" without one.
func (p *page) gateCell(gates []heartflow.Gate, code heartflow.Code) (text string) {
	for _, g := range gates {
		if g.Code != code {
			continue
		}
		one := "✗"
		if g.Pass {
			one = "✓"
		}
		if g.Value != 0 || g.Threshold != 0 || g.Draw != 0 {
			one += " " + number(g.Value)
		}
		if g.Threshold != 0 {
			one += " / " + number(g.Threshold)
		}
		if g.Draw != 0 {
			one += " · " + p.T("drawn") + " " + number(g.Draw)
		}
		if text != "" {
			text += "\n"
		}
		text += one
	}
	return text
}

// number returns a whole number in full, and another with two decimals.
func number(f float64) string {
	if f == float64(int64(f)) {
		return strconv.FormatInt(int64(f), 10)
	}
	return fmt.Sprintf("%.2f", f)
}

func (p *page) whatIfRow(m social.ReplayedMessage, i int) whatIfRow {
	return whatIfRow{ID: fmt.Sprintf("m%d", i+1), Message: m, Fact: p.factCell(m.Fact), Current: p.replayCell(m.Current), Changed: p.replayCell(m.Changed), Differs: m.Differs()}
}

// factCell tells what the bot did.
func (p *page) factCell(d social.ReplayedDecision) whatIfCell {
	switch {
	case d.Dropped != "" || !d.Known:
		return p.replayCell(d)
	case d.Spoke:
		return whatIfCell{"speak", p.T("whatifSpoke"), p.firstReason(d.Trace)}
	case d.Refused != "":
		return whatIfCell{"silent", p.T("whatifRefused"), p.reason(d.Refused)}
	case d.Asks():
		return whatIfCell{"other", p.T("whatifAskedOnly"), p.firstReason(d.Trace)}
	}
	return p.replayCell(d)
}

// replayCell tells what a replay decided.
func (p *page) replayCell(d social.ReplayedDecision) whatIfCell {
	switch {
	case d.Dropped == heartflow.WhyOff || d.Dropped == heartflow.WhyStale:
		return whatIfCell{"silent", p.T("whatifSilent"), p.reason(d.Dropped)}
	case d.Dropped != "":
		return whatIfCell{"silent", p.T("whatifDropped_" + string(d.Dropped)), ""}
	case !d.Known:
		return whatIfCell{"silent", p.T("whatifUnknown"), ""}
	case !d.Asks():
		return whatIfCell{"silent", p.T("whatifSilent"), p.firstReason(d.Trace)}
	case d.Refused != "":
		return whatIfCell{"other", p.T("whatifAskRefused"), p.reason(d.Refused)}
	}
	return whatIfCell{"speak", p.T("whatifAsk"), p.firstReason(d.Trace)}
}

func (p *page) firstReason(t heartflow.Trace) string {
	if len(t.Why) == 0 {
		return ""
	}
	return p.reason(t.Why[0])
}

// WhatIfURL returns the address of the page for a chat, or for a decision if seq is not 0.
func (p *page) WhatIfURL(c persona.Chat, seq uint64) string {
	q := url.Values{}
	if seq != 0 {
		q.Set("seq", strconv.FormatUint(seq, 10))
	} else {
		q.Set("chat", c.String())
	}
	return p.Base() + "whatif?" + q.Encode()
}

// about returns the events of a chat and of the whole account, oldest first.
func (f *feed) about(chat persona.Chat) (found []trace.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, list := range [][]trace.Event{f.events, f.turns} {
		for _, e := range list {
			if e.Chat == chat || e.Chat == (persona.Chat{}) && e.Decision != nil {
				found = append(found, e)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b trace.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return found
}
