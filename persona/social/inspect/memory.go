package inspect

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
)

// maxListedRunes limits a text in a list. The page of its record shows all of it.
const maxListedRunes = 200

// memoryRoutes maps the paths of the pages about memory. Only the owner sees any of them.
func (h *Handler) memoryRoutes() {
	for path, serve := range map[string]func(*page) error{
		"memory": h.search, "record": h.record, "change": h.previewChange, "people": h.people, "person": h.person, "person/forget": h.previewErase,
		"notes": h.notes, "covered": h.covered, "documents": h.documents, "document": h.document, "document/restore": h.previewRestore,
	} {
		h.page("GET /bot/{bot}/"+path, owners, serve)
	}
	h.page("POST /bot/{bot}/change", owners, h.previewChange) // with a long text
	h.page("POST /bot/{bot}/record", owners, h.changeRecord)
	h.page("POST /bot/{bot}/person/forget", owners, h.erase)
	h.page("POST /bot/{bot}/document/restore", owners, h.restore)
}

// A recordPage is the data of a record's page.
type recordPage struct {
	memory.Record
	Label, PersonURL string
	Sources          []recordLink
	Missing          int          // sources that are no longer stored
	Derived          []recordLink // what is deleted with it
	Hidden           bool
	Message          bool // stays as it was said
	Corrected        bool
	Trusted          bool // counts as the owner's
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
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	d := recordPage{
		Record: rec, Label: rec.LabelOrDefault().String(), PersonURL: p.personIn(rec.Space, rec.Person, rec.Own), Hidden: rec.Space.IsSecret(), Message: rec.Kind == memory.KindMessage,
		Corrected: slices.Contains(rec.Tags, memory.TagCorrected), Trusted: m.EffectiveLabel(rec.LabelOrDefault()).IsTrusted(),
	}
	if d.Sources, err = p.sourceLinks(space, rec.Sources); err != nil {
		return err
	}
	d.Missing = len(rec.Sources) - len(d.Sources)
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

// sourceLinks returns links to the records with these IDs that are stored in a space or its secret counterpart.
func (p *page) sourceLinks(s memory.Space, ids []string) (links []recordLink, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	for _, at := range []memory.Space{s, s.Counterpart()} {
		recs, err := p.feed.Bot.Memory().Get(p.r.Context(), at, ids...)
		if err != nil {
			return nil, err
		}
		for _, r := range recs {
			links = append(links, p.recordLink(r))
		}
	}
	return links, nil
}

func (p *page) recordAt(space memory.Space, id string) (memory.Record, error) {
	found, err := p.feed.Bot.Memory().Get(p.r.Context(), space, id)
	switch {
	case errors.Is(err, memory.ErrInvalid):
		return memory.Record{}, errNotFound
	case err != nil:
		return memory.Record{}, err
	case len(found) == 0:
		return memory.Record{}, errNotFound
	}
	return found[0], nil
}

func (p *page) recordLink(r memory.Record) recordLink {
	return recordLink{p.recordURL(r.Space, r.ID), r.Kind, p.Short(r.Text)}
}

// changeRecord forgets, hides, shows, corrects or endorses a record.
func (h *Handler) changeRecord(p *page) error {
	do, space, id := p.r.PostFormValue("do"), memory.Space(p.r.PostFormValue("space")), p.r.PostFormValue("id")
	rec, err := p.recordAt(space, id)
	if err != nil {
		return err
	}
	m, ctx, next := p.feed.Bot.Memory(), p.r.Context(), p.recordURL(space, id)
	switch do {
	case "forget":
		err, next = m.Delete(ctx, space, id), p.Base()+"memory"
	case "hide":
		err, next = m.Hide(ctx, space, id), p.recordURL(space.Secret(), id)
	case "reveal":
		err, next = m.Reveal(ctx, space, id), p.recordURL(space.Base(), id)
	case "mend":
		ok := normalLines(rec.Text) == normalLines(p.r.PostFormValue("old"))
		if ok {
			ok, err = memory.Correct(ctx, m, space, id, rec.Text, normalLines(p.r.PostFormValue("text")))
		}
		switch {
		case errors.Is(err, memory.ErrInvalid), errors.Is(err, memory.ErrTooLong):
			return p.refuse(p.T("mendRefused"))
		case err == nil && !ok:
			return p.refuse(p.T("changedMeanwhile"))
		}
		if isDone(err) && p.r.PostFormValue("trust") != "" {
			_, err = p.feed.Bot.Endorse(ctx, space, id)
		}
	case "endorse":
		_, err = p.feed.Bot.Endorse(ctx, space, id)
	default:
		return errNotFound
	}
	if !isDone(err) {
		return err
	}
	if do != "endorse" && do != "reveal" {
		p.feed.forget()
	}
	p.changed("record", do, "space", space, "record", id)
	http.Redirect(p.w, p.r, next, http.StatusSeeOther)
	return nil
}

// normalLines turns the line ends that a form sends into those that were in the text.
func normalLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// isDone reports whether a change of memory is stored. An index may have failed; it is repaired at the next start.
func isDone(err error) bool {
	return err == nil || errors.Is(err, memory.ErrNotIndexed) || errors.Is(err, memory.ErrCannotDelete)
}

// changed logs a change that the owner made on a page, without any text of the memory.
func (p *page) changed(what, do string, args ...any) {
	p.h.o.Logger.Info("inspect: the owner made a change", append([]any{"bot", p.feed.Name, "what", what, "do", do, "at", time.Now().Round(0)}, args...)...)
}

// forget drops what was kept, because it may quote a record that was deleted.
func (f *feed) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.erased = f.seq
	f.dropLocked()
}

// Functions of the templates about memory.

// At reports whether the address of the page ends with a name.
func (p *page) At(name string) bool { return strings.HasSuffix(p.r.URL.Path, "/"+name) }

// RecordURL returns the address of a record's page.
func (p *page) RecordURL(s memory.Space, id string) string { return p.recordURL(s, id) }

// Short returns the beginning of a text for a list.
func (p *page) Short(text string) string { return clip.Ellipsis(text, maxListedRunes) }

// Number returns the number of an item whose index counts from 0.
func (p *page) Number(index int) int { return index + 1 }

// Part returns the data of a template within a page: the page as P, and one value.
func (p *page) Part(name string, value any) map[string]any {
	return map[string]any{"P": p, name: value}
}
