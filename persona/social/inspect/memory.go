package inspect

import (
	"net/http"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// maxHits is the number of search results.
const maxHits = 50

func (h *Handler) memoryRoutes() {
	h.page("GET /bot/{bot}/memory", owners, h.search)
	h.page("GET /bot/{bot}/record", owners, h.record)
	h.page("POST /bot/{bot}/record", owners, h.changeRecord)
}

// A searchPage is the data of the search.
type searchPage struct {
	Query, Space string
	Spaces       []memory.Space
	Hits         []hitRow
}

// A hitRow is a search result with its terms.
type hitRow struct {
	memory.Hit
	URL, Label string
}

// search finds records by words, with the terms of each score. An empty query finds the newest.
func (h *Handler) search(p *page) error {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	d := searchPage{Query: strings.TrimSpace(p.r.FormValue("q")), Space: p.r.FormValue("space")}
	spaces, err := m.Spaces(ctx)
	if err != nil {
		return err
	}
	d.Spaces = spaces
	in := spaces
	if d.Space != "" {
		in = []memory.Space{memory.Space(d.Space)}
	}
	if len(in) > 0 {
		hits, err := m.OwnerReader(in...).Recall(ctx, time.Now(), memory.Query{Text: d.Query, Limit: maxHits})
		if err != nil {
			return err
		}
		for _, hit := range hits {
			d.Hits = append(d.Hits, hitRow{hit, p.recordURL(hit.Space, hit.ID), hit.LabelOrDefault().String()})
		}
	}
	p.render("memory.html", d)
	return nil
}

// A recordPage is the data of a record's page.
type recordPage struct {
	memory.Record
	Label   string
	Sources []recordLink
	Derived []recordLink // what is deleted with it
	Hidden  bool
}

// A recordLink names another record.
type recordLink struct{ URL, Kind, Text string }

// record shows a record with its sources and with what was derived from it.
func (h *Handler) record(p *page) error {
	space, id := memory.Space(p.r.FormValue("space")), p.r.FormValue("id")
	rec, err := p.recordAt(space, id)
	if err != nil {
		return err
	}
	d := recordPage{Record: rec, Label: rec.LabelOrDefault().String(), Hidden: rec.Space.IsSecret()}
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	if len(rec.Sources) > 0 {
		sources, err := m.Get(ctx, space, rec.Sources...)
		if err != nil {
			return err
		}
		for _, s := range sources {
			d.Sources = append(d.Sources, p.recordLink(s))
		}
	}
	derived, err := memory.Derived(ctx, m, space, id)
	if err != nil {
		return err
	}
	for _, s := range derived {
		d.Derived = append(d.Derived, p.recordLink(s))
	}
	p.render("record.html", d)
	return nil
}

func (p *page) recordAt(space memory.Space, id string) (memory.Record, error) {
	found, err := p.feed.Bot.Memory().Get(p.r.Context(), space, id)
	switch {
	case err != nil:
		return memory.Record{}, err
	case len(found) == 0:
		return memory.Record{}, errNotFound
	}
	return found[0], nil
}

func (p *page) recordLink(r memory.Record) recordLink {
	return recordLink{p.recordURL(r.Space, r.ID), r.Kind, r.Text}
}

// changeRecord forgets, hides, shows or endorses a record.
func (h *Handler) changeRecord(p *page) error {
	space, id := memory.Space(p.r.PostFormValue("space")), p.r.PostFormValue("id")
	if _, err := p.recordAt(space, id); err != nil {
		return err
	}
	m, ctx, next := p.feed.Bot.Memory(), p.r.Context(), p.recordURL(space, id)
	var err error
	switch p.r.PostFormValue("do") {
	case "forget":
		err = m.Delete(ctx, space, id)
		p.feed.forget()
		next = p.Base() + "memory"
	case "hide":
		err, next = m.Hide(ctx, space, id), p.recordURL(space.Secret(), id)
	case "reveal":
		err, next = m.Reveal(ctx, space, id), p.recordURL(space.Base(), id)
	case "endorse":
		_, err = p.feed.Bot.Endorse(ctx, space, id)
	default:
		return errNotFound
	}
	if err == nil {
		http.Redirect(p.w, p.r, next, http.StatusSeeOther)
	}
	return err
}

// forget drops what was kept, because it may quote a record that was deleted.
func (f *feed) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.erased = f.seq
	f.dropLocked()
}
