package inspect

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/social"
)

// maxDay limits the entries on the page of a day.
const maxDay = 500

func (h *Handler) dayRoutes() {
	h.page("GET /bot/{bot}/day", readers, h.day)
	h.page("GET /bot/{bot}/day/events", readers, h.dayEvents)
	h.page("POST /bot/{bot}/talk", owners, h.talk)
}

// A dayView reads the events of a bot for the page of its day.
type dayView struct{ *page }

// A dayPage is the data of the page of a day.
type dayPage struct {
	Now    time.Time
	Seq    uint64
	Groups []dayGroup
	Side   daySide
}

// A dayGroup is one row, or the dull rows that follow each other.
type dayGroup struct {
	Heading string // the day, if it is another one than that of the group before
	Dull    bool
	Rows    []dayRow
}

// day shows what the bot did, oldest first. Other programs get it as JSON, with the plans.
func (h *Handler) day(on *page) error {
	p := dayView{on}
	rows, last, _ := p.rows(0)
	plans, err := p.agenda()
	if err != nil {
		return err
	}
	now := p.shown(time.Now())
	if accepts(p.r, "application/json") {
		p.w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(p.w).Encode(p.json(now, rows, plans)) // fails only if the client is gone
		return nil
	}
	p.render("day.html", dayPage{Now: now, Seq: last, Groups: groupRows(rows), Side: p.side(now, rows, plans)})
	return nil
}

// rows returns the entries after a Seq, and the Seq of the last event.
func (p dayView) rows(seq uint64) (rows []dayRow, last uint64, gone bool) {
	events, last, gone := p.feed.after(seq, maxEvents)
	for _, e := range events {
		if row, ok := p.row(e); ok {
			rows = append(rows, row)
		}
	}
	return rows[max(0, len(rows)-maxDay):], last, gone && seq > 0
}

// agenda returns the plans for owners, and nothing for readers.
func (p dayView) agenda() (social.Agenda, error) {
	if !p.Owner() {
		return social.Agenda{}, nil
	}
	return p.feed.Bot.Agenda(p.r.Context())
}

func groupRows(rows []dayRow) (groups []dayGroup) {
	day := ""
	for _, r := range rows {
		n := len(groups)
		switch {
		case n > 0 && r.Dull && groups[n-1].Dull && r.Day == day:
			groups[n-1].Rows = append(groups[n-1].Rows, r)
		case r.Day == day:
			groups = append(groups, dayGroup{Dull: r.Dull, Rows: []dayRow{r}})
		default:
			groups = append(groups, dayGroup{Heading: r.Day, Dull: r.Dull, Rows: []dayRow{r}})
		}
		day = r.Day
	}
	return groups
}

// A dayUpdate is what changed. Its JSON names are those of day.js.
type dayUpdate struct {
	Seq  uint64 `json:"seq"`
	Rows string `json:"rows,omitempty"` // HTML
	Side string `json:"side,omitempty"` // HTML
	Gone bool   `json:"gone,omitempty"` // the page must drop all that it shows: somebody was forgotten
}

// sideTicks is the number of ticks after which the time line moves on although nothing happened.
const sideTicks = 60

// dayEvents sends what changes on the page of a day.
func (h *Handler) dayEvents(on *page) error {
	p := dayView{on}
	stale := true // what is beside the entries
	return p.stream(func(seq uint64, n int) (any, uint64) {
		rows, last, gone := p.rows(seq)
		stale = stale || len(rows) > 0 || gone || n%sideTicks == 0
		u := dayUpdate{Seq: last, Gone: gone}
		if len(rows) > 0 {
			u.Rows = p.part("dayrows", rows)
		}
		if stale && n%statsTick == 0 {
			if plans, err := p.agenda(); err == nil {
				all, _, _ := p.rows(0)
				u.Side, stale = p.part("dayside", p.With(p.side(p.shown(time.Now()), all, plans))), false
			}
		}
		if u.Rows == "" && u.Side == "" && !gone {
			return nil, last
		}
		return u, last
	})
}

// part returns a part of a page as HTML.
func (p dayView) part(name string, data any) string {
	var b strings.Builder
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		p.h.o.Logger.Warn("inspect: a page was not written", "page", name, "err", err)
	}
	return strings.TrimSpace(b.String())
}

// accepts reports whether a request prefers a kind of answer.
func accepts(r *http.Request, kind string) bool {
	return strings.Contains(r.Header.Get("Accept"), kind)
}
