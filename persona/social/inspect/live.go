package inspect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Limits of a live page.
const (
	tick      = 250 * time.Millisecond
	maxLines  = 100  // in the list, and in one update
	maxRows   = 1000 // chats
	statsTick = 8    // ticks between two updates of the counters
)

// index lists the bots. A single one is shown at once.
func (h *Handler) index(p *page) error {
	if len(h.bots) == 1 {
		first := p.Root() + "/bot/0/"
		if h.o.Day {
			first += "day"
		}
		http.Redirect(p.w, p.r, first, http.StatusSeeOther)
		return nil
	}
	p.render("index.html", h.bots)
	return nil
}

// A chatRow is a row of the list of chats. Its JSON names are those of live.js.
type chatRow struct {
	Key      string `json:"key"`
	URL      string `json:"url"`
	Name     string `json:"name"`
	State    string `json:"state"`
	Interest string `json:"interest"`
	Energy   string `json:"energy"`
	Mood     string `json:"mood"`
	Last     string `json:"last"`
	At       string `json:"at"`
}

// A lineRow is a line of the list of messages and decisions.
type lineRow struct {
	Seq  uint64 `json:"seq"`
	URL  string `json:"url,omitempty"` // of the decision
	At   string `json:"at"`
	Chat string `json:"chat"`
	Kind string `json:"kind"` // class of the line: message, own, speak, silent, other, failed, link
	Text string `json:"text"`
}

// An update is what changed.
type update struct {
	Seq    uint64    `json:"seq"`
	Chats  []chatRow `json:"chats,omitempty"`
	Lines  []lineRow `json:"lines,omitempty"`
	Stats  string    `json:"stats,omitempty"`
	Tables *tables   `json:"tables,omitempty"`
	Gone   bool      `json:"gone,omitempty"` // the page must drop all that it shows: somebody was forgotten
}

// live shows the chats and what happens.
func (h *Handler) live(p *page) error {
	p.render("live.html", p.updateSince(0, true))
	return nil
}

// updateSince returns what happened after a Seq.
func (p *page) updateSince(seq uint64, stats bool) update {
	events, last, gone := p.feed.after(seq, maxLines)
	u := update{Seq: last, Gone: gone && seq > 0}
	for _, e := range events {
		if line, ok := p.line(e); ok {
			u.Lines = append(u.Lines, line)
		}
	}
	chats := p.feed.changedChats(seq)
	for _, c := range chats[:min(len(chats), maxRows)] {
		u.Chats = append(u.Chats, p.row(c))
	}
	if stats {
		u.Stats, u.Tables = p.statsLine(), p.tables()
	}
	return u
}

func (p *page) row(c persona.Chat) chatRow {
	s, info := p.feed.Bot.ChatStatus(c), p.feed.info(c)
	row := chatRow{Key: c.String(), URL: p.ChatURL(c), Name: p.Title(c), State: p.State(s.State), Energy: p.Share(s.Energy), Mood: moodText(s), At: p.Clock(info.at)}
	if !p.mayRead(c) {
		row.Key, row.URL = "", ""
	}
	if s.GlobalState != "" {
		row.Interest = fmt.Sprintf("%.1f", s.Interest)
	}
	if m := info.last; m != nil && p.mayRead(c) {
		row.Last = m.Name + ": " + m.Text
	}
	return row
}

func moodText(s social.ChatStatus) string {
	if s.Mood.IsNeutral() {
		return ""
	}
	return s.Mood.Text()
}

// line returns the line of an event. ok is false if there is nothing to show.
func (p *page) line(e trace.Event) (line lineRow, ok bool) {
	line = lineRow{Seq: e.Seq, At: p.Clock(e.At), Chat: p.Title(e.Chat)}
	switch {
	case e.Message != nil:
		line.Kind, line.Text = "message", e.Message.Name+": "+e.Message.Text
		if e.Message.Own {
			line.Kind = "own"
		}
		return line, p.mayRead(e.Chat)
	case e.Decision != nil:
		line.URL = fmt.Sprintf("%sdecision?seq=%d", p.Base(), e.Seq)
		line.Kind, line.Text = p.decisionText(*e.Decision)
		return line, e.Decision.Kind != heartflow.KindModel
	case e.Sent != nil && e.Sent.Failed != "":
		line.Kind, line.Text = "failed", p.T("failed")+": "+e.Sent.Failed
		return line, p.mayRead(e.Chat)
	case e.Link != nil:
		line.Kind, line.Text = "link", p.linkText(e)
		return line, true
	}
	return line, false
}

// decisionText returns the class and the text of a decision.
func (p *page) decisionText(d heartflow.Trace) (class, text string) {
	var why []string
	for _, c := range d.Why {
		why = append(why, p.reason(c))
	}
	text = "decided:" + string(d.Kind)
	if d.Kind == heartflow.KindJudge || d.Kind == heartflow.KindSpeak {
		text += " " + d.Do.String()
	}
	text = p.T(text)
	if len(why) > 0 {
		text += ": " + strings.Join(why, "；")
	}
	if d.Text != "" && p.Owner() {
		text += " “" + d.Text + "”"
	}
	switch {
	case d.Kind == heartflow.KindSpeak && d.Do == heartflow.Speak:
		return "speak", text
	case d.Kind == heartflow.KindState, d.Kind == heartflow.KindPlan, d.Do != heartflow.Silent:
		return "other", text
	}
	return "silent", text
}

// reason returns a code with its meaning.
func (p *page) reason(c heartflow.Code) string {
	lang := "en"
	if p.lang == chinese {
		lang = "zh"
	}
	return social.ReasonText(c, lang)
}

func (p *page) statsLine() string {
	s := p.feed.Bot.Stats()
	line := fmt.Sprintf("%s %d · %s %d · %s %d · %s %d · %s %d", p.T("received"), s.Received, p.T("said"), s.Sent, p.T("silent"), s.SilentBatches, p.T("modelCalls"), s.ModelCalls, p.T("tokens"), s.Tokens)
	if share, _ := p.feed.Bot.CacheShare(); share > 0 {
		line += fmt.Sprintf(" · %s %.0f%%", p.T("cache"), 100*share)
	}
	if s.SendFailed > 0 {
		line += fmt.Sprintf(" · %s %d", p.T("notices"), s.SendFailed)
	}
	if s.LinkOverflow > 0 {
		line += fmt.Sprintf(" · %s %d", p.T("queueOverflow"), s.LinkOverflow)
	}
	return line
}

func (p *page) linkText(e trace.Event) string {
	state := p.T("online")
	if !e.Link.Online {
		state = strings.TrimSpace(p.T("offline") + " " + e.Link.Reason)
	}
	return strings.TrimSpace(e.Link.Self.Platform+" "+e.Link.Self.ID) + " " + state + " " + p.Clock(e.At)
}

// events sends what changes to the live page.
func (h *Handler) events(p *page) error {
	return p.stream(func(seq uint64, n int) (any, uint64) {
		u := p.updateSince(seq, n%statsTick == 0)
		if u.Seq == seq && u.Stats == "" {
			return nil, seq
		}
		return u, u.Seq
	})
}

// stream sends updates as server-sent events until the client goes or the handler is closed. next returns the update after a Seq, or
// nil, and the Seq that it ends with. n counts its calls.
func (p *page) stream(next func(seq uint64, n int) (update any, last uint64)) error {
	head := p.w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(p.w)
	_ = out.SetReadDeadline(time.Time{}) // that of the request ends before the page is closed
	var seq uint64
	if _, err := fmt.Sscan(p.r.URL.Query().Get("seq"), &seq); err != nil {
		_, seq, _ = p.feed.after(0, 0)
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for n := 0; ; n++ {
		u, last := next(seq, n)
		if u != nil {
			b, err := json.Marshal(u)
			if err != nil {
				return err
			}
			_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second)) // for a client that does not read
			if _, err := fmt.Fprintf(p.w, "data: %s\n\n", b); err != nil || out.Flush() != nil {
				return nil
			}
		}
		seq = last
		select {
		case <-p.r.Context().Done():
			return nil
		case <-p.feed.closed:
			return nil
		case <-ticker.C:
		}
	}
}
