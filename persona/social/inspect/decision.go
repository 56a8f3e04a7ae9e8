package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
)

// chatParam returns the chat that a request names.
func chatParam(value string) (c persona.Chat, err error) {
	if err := c.UnmarshalText([]byte(value)); err != nil || c == (persona.Chat{}) {
		return c, errNotFound
	}
	return c, nil
}

// seqParam returns the event that a request names.
func seqParam(r *http.Request) uint64 {
	seq, _ := strconv.ParseUint(r.FormValue("seq"), 10, 64) // 0 names no event
	return seq
}

// A chatPage is the data of a chat's page.
type chatPage struct {
	Chat     persona.Chat
	Status   chatRow
	Lines    []lineRow
	Quiet    time.Time    // end of the quiet that was asked for; zero: none
	Settings settingsForm // for owners
	Health   chatHealth
}

// chat shows what happened in one chat.
func (h *Handler) chat(p *page) error {
	c, err := chatParam(p.r.FormValue("chat"))
	if err != nil || !p.mayRead(c) {
		return errNotFound
	}
	d := chatPage{Chat: c, Status: p.row(c)}
	for _, e := range p.feed.inChat(c, 200) {
		if line, ok := p.line(e); ok {
			d.Lines = append(d.Lines, line)
		}
	}
	if d.Health, err = p.chatHealth(c); err != nil {
		return err
	}
	if p.Owner() {
		d.Quiet = p.feed.Bot.ChatStatus(c).QuietUntil
		if d.Settings, err = p.settingsForm(c); err != nil {
			return err
		}
	}
	p.render("chat.html", d)
	return nil
}

// mute keeps the bot quiet in a chat for a while, an hour if nothing is chosen, or ends that.
func (h *Handler) mute(p *page) error {
	c, err := chatParam(p.r.PostFormValue("chat"))
	if err != nil {
		return err
	}
	until, ok := untilOf(cmp.Or(p.r.PostFormValue("for"), "1h"))
	switch {
	case p.r.PostFormValue("end") != "":
		err = p.feed.Bot.Unmute(p.r.Context(), c)
	case !ok:
		p.setStatus("badDuration")
		p.render("message.html", p.T("badDuration"))
		return nil
	default:
		err = p.feed.Bot.Mute(p.r.Context(), c, until)
	}
	if err == nil {
		http.Redirect(p.w, p.r, p.ChatURL(c), http.StatusSeeOther)
	}
	return err
}

// A decisionPage is the data of a decision's page.
type decisionPage struct {
	Event    trace.Event
	Text     string
	Reasons  []string
	Gates    []gateRow
	Turn     *trace.Turn // nil: no model was asked
	Messages []persona.Message
	Calls    []callRow
	Sent     []trace.Event
}

// CanReplay reports whether messages of a chat were judged.
func (d decisionPage) CanReplay() bool {
	return d.Event.Decision.Kind == heartflow.KindJudge && d.Event.Chat != (persona.Chat{})
}

// A gateRow is a gate with its meaning.
type gateRow struct {
	heartflow.Gate
	Text string
}

// A callRow is a model call in a list.
type callRow struct {
	URL  string
	Text string
	Call *trace.Call
}

// decision shows one decision with its gates, and the turn that it let begin or that made it.
func (h *Handler) decision(p *page) error {
	e, ok := p.feed.eventAt(seqParam(p.r))
	if !ok || e.Decision == nil {
		return errNotFound
	}
	d := decisionPage{Event: e}
	_, d.Text = p.decisionText(*e.Decision)
	for _, c := range e.Decision.Why {
		d.Reasons = append(d.Reasons, p.reason(c))
	}
	for _, g := range e.Decision.Gates {
		d.Gates = append(d.Gates, gateRow{g, p.reason(g.Code)})
	}
	turn, calls, sent, ok := p.feed.turnOf(e)
	if ok {
		d.Turn = turn.Turn
		for _, c := range calls {
			d.Calls = append(d.Calls, callRow{fmt.Sprintf("%scall?seq=%d", p.Base(), c.Seq), c.Call.ModelCall.String(), c.Call})
		}
		if p.mayRead(e.Chat) {
			d.Messages, d.Sent = turn.Turn.Messages, sent
		}
	}
	p.render("decision.html", d)
	return nil
}

// A callPage is the data of a model call's page.
type callPage struct {
	Event    trace.Event
	Call     *trace.Call
	Segments []segmentRow
	Tokens   int // of the prompt
	Cut      int // tokens of what had no room
	Try      string
	System   string // of the form
	Steps    string // what followed the prompt, as a text
	Again    *tryAnswer
}

// A tryAnswer is the second answer of a model.
type tryAnswer struct {
	Answer string
	Used   models.Usage
	Took   time.Duration
	Failed string // why there is no answer; "" if there is one
}

// A segmentRow is a part of a prompt with the label of its message or memory.
type segmentRow struct {
	Kind, ID, Text string
	Tokens, Rank   int
	Dropped        bool
	Label          string
	URL            string // of the record; "" for none
}

// call shows one model call: its prompt by part, its steps, its answer.
func (h *Handler) call(p *page) error {
	d, err := p.callPage(seqParam(p.r))
	if err != nil {
		return err
	}
	p.render("call.html", d)
	return nil
}

func (p *page) callPage(seq uint64) (d callPage, err error) {
	e, ok := p.feed.callAt(seq)
	if !ok {
		return d, errNotFound
	}
	d = callPage{Event: e, Call: e.Call, System: e.Call.System, Steps: stepsText(e.Call.Steps)}
	labels, err := p.labels(e)
	if err != nil {
		return d, err
	}
	for _, s := range e.Call.Prompt {
		row := segmentRow{Kind: s.Kind, ID: s.ID, Text: s.Text, Tokens: s.Tokens, Rank: s.Rank, Dropped: s.Dropped, Label: labels[s.ID]}
		if row.Label != "" {
			row.URL = p.recordURL(memory.Space(e.Chat.String()), s.ID)
		}
		d.Segments = append(d.Segments, row)
		if s.Dropped {
			d.Cut += s.Tokens
		} else {
			d.Tokens, d.Try = d.Tokens+s.Tokens, d.Try+s.Text
		}
	}
	return d, nil
}

// labels returns the labels of the records in a prompt by their IDs.
func (p *page) labels(e trace.Event) (map[string]string, error) {
	var ids []string
	for _, s := range e.Call.Prompt {
		if s.ID != "" {
			ids = append(ids, s.ID)
		}
	}
	labels := map[string]string{}
	if len(ids) == 0 || e.Chat == (persona.Chat{}) {
		return labels, nil
	}
	records, err := p.feed.Bot.Memory().Get(p.r.Context(), memory.Space(e.Chat.String()), ids...)
	for _, r := range records {
		labels[r.ID] = r.LabelOrDefault().String()
	}
	return labels, err
}

// recordURL returns the address of a record's page.
func (p *page) recordURL(s memory.Space, id string) string {
	return p.Base() + "record?" + url.Values{"space": {string(s)}, "id": {id}}.Encode()
}

// stepsText writes the messages after a prompt as a text, because a model without tools cannot be given calls of tools.
func stepsText(steps []trace.Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString("[" + strings.TrimSpace(s.Role+" "+s.Name) + "]\n" + s.Text + "\n")
	}
	return b.String()
}

// typed returns the text of a field. A browser sends line breaks as CR LF.
func (p *page) typed(field string) string {
	return strings.ReplaceAll(p.r.PostFormValue(field), "\r\n", "\n")
}

// try asks a prompt again, as it is in the form. What followed the prompt is appended to it.
func (h *Handler) try(p *page) error {
	d, err := p.callPage(seqParam(p.r))
	if err != nil {
		return err
	}
	d.System, d.Try, d.Steps = p.typed("system"), p.typed("prompt"), p.typed("steps")
	text := d.Try
	if strings.TrimSpace(d.Steps) != "" {
		text += "\n\n" + d.Steps
	}
	d.Again = &tryAnswer{}
	began := time.Now()
	d.Again.Answer, d.Again.Used, err = p.feed.Bot.TryPrompt(p.r.Context(), models.Purpose(d.Call.Purpose), d.System, text)
	d.Again.Took = time.Since(began).Round(10 * time.Millisecond)
	switch {
	case errors.Is(err, social.ErrOverBudget):
		d.Again.Failed = p.T("overBudget")
	case err != nil:
		d.Again.Failed = p.T("tryFailed") + err.Error()
	}
	p.render("call.html", d)
	return nil
}
