package inspect

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// Limits of the search.
const (
	maxHits    = 50  // results on a page
	maxResults = 400 // results of one search
)

// recordKinds are the kinds of records that a bot stores.
var recordKinds = []string{memory.KindMessage, memory.KindFact, memory.KindSummary, "task", "archive"}

// A searchPage is the data of the search.
type searchPage struct {
	Query, Space, Kind, Person, From, To string
	Spaces                               []spaceOption
	Kinds                                []string
	Hits                                 []hitRow
	More                                 string // address of older records or of more results; "" for none
	Vectors                              memory.VectorState
	Bad                                  bool // a date is not valid
}

// A spaceOption is a space that a page can be narrowed to.
type spaceOption struct {
	Space    memory.Space
	Title    string
	Selected bool
}

// A hitRow is a search result with its terms.
type hitRow struct {
	memory.Hit
	URL, PersonURL, Label, Where string
	Terms                        []termRow
}

// A termRow is one term of a score.
type termRow struct {
	memory.ScoreTerm
	Share float64 // of the score
}

// Product is what the term adds to the score.
func (t termRow) Product() float64 { return t.Value * t.Weight }

// search finds records by words, with the terms of each score. An empty query finds the newest.
func (h *Handler) search(p *page) error {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	d := searchPage{
		Query: p.field("q"), Space: p.field("space"), Kind: p.field("kind"), Person: p.field("person"), From: p.field("from"), To: p.field("to"), Kinds: slices.Clone(recordKinds),
	}
	if d.Kind != "" && !slices.Contains(d.Kinds, d.Kind) {
		d.Kinds = append(d.Kinds, d.Kind)
	}
	spaces, err := m.Spaces(ctx)
	if err != nil {
		return err
	}
	d.Spaces = p.spaceOptions(spaces, d.Space)
	q, in := d.query(spaces)
	c := cursorOf(p.r.URL.Query())
	c.apply(&q)
	if len(in) > 0 {
		hits, err := m.OwnerReader(in...).Recall(ctx, time.Now(), q)
		if err != nil {
			return err
		}
		hits, d.More = d.page(hits, &c, q.Limit)
		for _, hit := range hits {
			d.Hits = append(d.Hits, p.hitRow(hit))
		}
	}
	if d.More != "" {
		d.More = p.Base() + "memory?" + d.More
	}
	d.Vectors = memory.Vectors(m) // after the search, which may have failed to ask the embedder
	p.render("memory.html", d)
	return nil
}

func (p *page) field(name string) string { return strings.TrimSpace(p.r.FormValue(name)) }

func (p *page) hitRow(hit memory.Hit) hitRow {
	row := hitRow{Hit: hit, URL: p.recordURL(hit.Space, hit.ID), PersonURL: p.personIn(hit.Space, hit.Person, hit.Own), Label: hit.LabelOrDefault().String(), Where: p.SpaceTitle(hit.Space)}
	row.Text = p.Short(hit.Text)
	for _, t := range hit.Terms {
		row.Terms = append(row.Terms, termRow{t, t.Value * t.Weight / max(hit.Score, 1e-9)})
	}
	return row
}

// query returns the query of the form, and the spaces to search.
func (d *searchPage) query(spaces []memory.Space) (q memory.Query, in []memory.Space) {
	q = memory.Query{Text: d.Query}
	if d.Kind != "" {
		q.Kinds = []string{d.Kind}
	}
	from, err := day(d.From)
	to, failed := day(d.To)
	if d.Bad = cmp.Or(err, failed) != nil; !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	q.Since, q.Until = from, to
	platform, id, ok := strings.Cut(d.Person, ":")
	if !ok {
		platform, id = "", d.Person
	}
	q.Person = id
	for _, s := range spaces {
		var chat persona.Chat
		onPlatform := platform == "" || chat.UnmarshalText([]byte(s.Base())) != nil || chat.Platform == platform
		if onPlatform && (d.Space == "" || s == memory.Space(d.Space)) {
			in = append(in, s)
		}
	}
	return q, in
}

// day parses a date of a form in local time. "" is the zero time.
func day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.ParseInLocation(time.DateOnly, text, time.Local)
}

// A cursor is a position in the list of the newest records, or the number of results of a search.
type cursor struct {
	before int64 // Unix nanoseconds of the last record that was shown; 0: none
	skip   int   // number of shown records of exactly that time
	limit  int   // of a search
}

func cursorOf(v url.Values) (c cursor) {
	c.before, _ = strconv.ParseInt(v.Get("before"), 10, 64) // 0: from the newest
	c.skip, _ = strconv.Atoi(v.Get("skip"))
	c.skip = min(max(c.skip, 0), maxResults)
	c.limit, _ = strconv.Atoi(v.Get("n"))
	c.limit = min(max(c.limit, maxHits), maxResults)
	return c
}

// apply limits a query to one page, and asks for one result more.
func (c *cursor) apply(q *memory.Query) {
	if q.Text != "" {
		q.Limit = c.limit + 1
		return
	}
	q.Limit, q.KeepDuplicates = maxHits+c.skip+1, true
	if at := time.Unix(0, c.before).Add(1); c.before != 0 && (q.Until.IsZero() || at.Before(q.Until)) {
		q.Until = at
	}
}

// page returns the hits of one page, and the query of the next one.
func (d *searchPage) page(hits []memory.Hit, c *cursor, limit int) (shown []memory.Hit, more string) {
	next := url.Values{}
	for name, value := range map[string]string{"q": d.Query, "space": d.Space, "kind": d.Kind, "person": d.Person, "from": d.From, "to": d.To} {
		if value != "" {
			next.Set(name, value)
		}
	}
	full := len(hits) == limit
	if full {
		hits = hits[:limit-1]
	}
	if d.Query != "" {
		if !full || c.limit >= maxResults {
			return hits, ""
		}
		next.Set("n", strconv.Itoa(2*c.limit))
		return hits, next.Encode()
	}
	var last time.Time
	if len(hits) > 0 {
		last = hits[len(hits)-1].At
	}
	same := 0
	for _, h := range hits {
		if h.At.Equal(last) {
			same++
		}
	}
	hits = hits[min(c.skip, len(hits)):]
	if !full || last.IsZero() {
		return hits, ""
	}
	next.Set("before", strconv.FormatInt(last.UnixNano(), 10))
	next.Set("skip", strconv.Itoa(same))
	return hits, next.Encode()
}

// spaceOptions returns the choices of a select.
func (p *page) spaceOptions(spaces []memory.Space, selected string) (all []spaceOption) {
	for _, s := range spaces {
		all = append(all, spaceOption{s, p.SpaceTitle(s), string(s) == selected})
	}
	return all
}

// SpaceTitle returns the name of a space for people: the name of its chat and the id.
func (p *page) SpaceTitle(s memory.Space) string {
	title := string(s.Base())
	var chat persona.Chat
	switch {
	case s.Base() == memory.Owner:
		title = p.T("owner")
	case s.Base() == memory.Self:
		title = p.T("spaceSelf")
	case chat.UnmarshalText([]byte(s.Base())) == nil:
		if name := p.feed.info(chat).name; name != "" {
			title = name + " · " + chat.SourceID()
		}
	}
	if s.IsSecret() {
		title += p.T("spaceSecret")
	}
	return title
}
