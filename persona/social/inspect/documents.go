package inspect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
)

// diffContext is the number of unchanged lines that a comparison shows around changes.
const diffContext = 3

// A documentsPage is the data of the list of documents.
type documentsPage struct {
	Rows   []documentRow
	Others []prompt.Document // without versions
}

// A documentRow is a document in the list.
type documentRow struct {
	Name, URL string
	Version   patch.Version // the current one
	Versions  int
}

// documents lists the bot's documents.
func (h *Handler) documents(p *page) error {
	all, err := p.feed.Bot.Documents(p.r.Context())
	if err != nil {
		return err
	}
	agenda, err := p.feed.Bot.Agenda(p.r.Context())
	if err != nil {
		return err
	}
	d := documentsPage{}
	for _, doc := range all {
		d.Rows = append(d.Rows, documentRow{doc.Name, p.documentURL(doc.Name), doc.Versions[0], len(doc.Versions)})
	}
	for _, doc := range agenda.Documents {
		if !slices.ContainsFunc(all, func(o social.DocumentHistory) bool { return o.Name == doc.Name }) {
			d.Others = append(d.Others, doc)
		}
	}
	p.render("documents.html", d)
	return nil
}

func (p *page) documentURL(name string) string {
	return p.Base() + "document?" + url.Values{"name": {name}}.Encode()
}

// A documentPage is the data of a document's page.
type documentPage struct {
	Name     string
	Current  patch.Version
	Versions []versionRow
	A, B     int // the compared versions
	Diff     []diffLine
}

// A versionRow is a version with what it changed.
type versionRow struct {
	patch.Version
	Reason      string
	ReasonURL   string // of the decision that led to it; "" if it is no longer kept
	Plus, Minus int    // lines
	RestoreURL  string // "" for the current text
}

// document shows a document, its versions, and the difference of two of them.
func (h *Handler) document(p *page) error {
	doc, err := p.documentParam()
	if err != nil {
		return err
	}
	d := documentPage{Name: doc.Name, Current: doc.Versions[0]}
	for i, v := range doc.Versions {
		row := versionRow{Version: v}
		row.Reason, row.ReasonURL = p.reasonOf(v)
		if i+1 < len(doc.Versions) {
			row.Plus, row.Minus = countDiff(diffText(doc.Versions[i+1].Text, v.Text))
		}
		if i > 0 {
			row.RestoreURL = p.Base() + "document/restore?" + url.Values{"name": {doc.Name}, "version": {strconv.Itoa(v.Number)}}.Encode()
		}
		d.Versions = append(d.Versions, row)
	}
	a, b := doc.Versions[min(1, len(doc.Versions)-1)], doc.Versions[0]
	if v, ok := versionParam(doc, p.r.FormValue("a")); ok {
		a = v
	}
	if v, ok := versionParam(doc, p.r.FormValue("b")); ok {
		b = v
	}
	d.A, d.B, d.Diff = a.Number, b.Number, foldDiff(diffText(a.Text, b.Text), diffContext)
	p.render("document.html", d)
	return nil
}

func (p *page) documentParam() (social.DocumentHistory, error) {
	all, err := p.feed.Bot.Documents(p.r.Context())
	if err != nil {
		return social.DocumentHistory{}, err
	}
	i := slices.IndexFunc(all, func(d social.DocumentHistory) bool { return d.Name == p.r.FormValue("name") })
	if i < 0 {
		return social.DocumentHistory{}, errNotFound
	}
	return all[i], nil
}

func versionParam(d social.DocumentHistory, text string) (v patch.Version, ok bool) {
	number, err := strconv.Atoi(text)
	i := slices.IndexFunc(d.Versions, func(v patch.Version) bool { return v.Number == number })
	if err != nil || i < 0 {
		return v, false
	}
	return d.Versions[i], true
}

// reasonOf describes why a version was made.
func (p *page) reasonOf(v patch.Version) (text, link string) {
	if number, ok := strings.CutPrefix(v.Note, social.DocumentRestored); ok {
		return fmt.Sprintf(p.T("reasonRestored"), number), ""
	}
	switch {
	case v.Number == 0:
		return p.T("reasonEmpty"), ""
	case v.Note == "as it was given":
		return p.T("reasonGiven"), ""
	}
	decision, kind := p.feed.turnCalled(v.Note)
	if decision > 0 {
		link = fmt.Sprintf("%sdecision?seq=%d", p.Base(), decision)
	}
	return strings.TrimSpace(kind + " " + v.Note), link
}

// turnCalled returns the decision that led to a turn, and the kind of the turn. Both are zero if they are no longer kept.
func (f *feed) turnCalled(id string) (decision uint64, kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.turns {
		if e.Turn.ID == id {
			decision, kind = e.Turn.Decision, e.Turn.Kind
		}
	}
	if decision > 0 && !slices.ContainsFunc(f.events, func(e trace.Event) bool { return e.Seq == decision }) {
		decision = 0
	}
	return decision, kind
}

// A restorePage is the data of the preview of a restored version.
type restorePage struct {
	Name string
	URL  string
	From patch.Version
	To   patch.Version
	Diff []diffLine
}

// previewRestore shows what restoring a version would change.
func (h *Handler) previewRestore(p *page) error {
	doc, err := p.documentParam()
	if err != nil {
		return err
	}
	to, ok := versionParam(doc, p.r.FormValue("version"))
	if !ok {
		return errNotFound
	}
	from := doc.Versions[0]
	p.render("restore.html", restorePage{Name: doc.Name, URL: p.documentURL(doc.Name), From: from, To: to, Diff: foldDiff(diffText(from.Text, to.Text), diffContext)})
	return nil
}

// restore restores a version, unless the document has changed since the preview.
func (h *Handler) restore(p *page) error {
	doc, err := p.documentParam()
	if err != nil {
		return err
	}
	version, ok := versionParam(doc, p.r.PostFormValue("version"))
	if !ok {
		return errNotFound
	}
	if p.r.PostFormValue("from") != strconv.Itoa(doc.Versions[0].Number) {
		return p.refuse(p.T("changedMeanwhile"))
	}
	err = p.feed.Bot.RestoreDocument(p.r.Context(), doc.Name, version.Number)
	if errors.Is(err, patch.ErrNoVersion) {
		return errNotFound
	}
	if err != nil {
		return err
	}
	p.changed("document", "restore", "document", doc.Name, "version", version.Number)
	http.Redirect(p.w, p.r, p.documentURL(doc.Name), http.StatusSeeOther)
	return nil
}
