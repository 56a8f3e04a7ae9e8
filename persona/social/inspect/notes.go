package inspect

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

const (
	maxInsights = 50  // on the page
	maxCovered  = 200 // messages on a page
)

// A notesPage is the data of the page with summaries, notes and insights.
type notesPage struct {
	Space     string
	Spaces    []spaceOption
	Summaries []summaryRow
	Notes     []noteRow
	Insights  []hitRow
}

// A summaryRow is a rolling summary with the messages that it covers.
type summaryRow struct {
	memory.RollingSummary
	Where       string
	First, Last time.Time // of the covered messages; zero: no longer stored
	URL         string    // of the covered messages
}

// A noteRow is a note with links to its sources.
type noteRow struct {
	memory.NoteEntry
	Where, KindText string
	Links           []string // addresses of sources
}

// notes shows the rolling summaries, the notes and the newest insights, of one space or of all.
func (h *Handler) notes(p *page) error {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	d := notesPage{Space: p.field("space")}
	records, err := m.Spaces(ctx)
	if err != nil {
		return err
	}
	summaries, err := memory.SummarySpaces(ctx, m)
	if err != nil {
		return err
	}
	notes, err := memory.NoteSpaces(ctx, m)
	if err != nil {
		return err
	}
	all := slices.Concat(records, summaries, notes)
	slices.Sort(all)
	d.Spaces = p.spaceOptions(slices.Compact(all), d.Space)
	narrow := func(spaces []memory.Space) []memory.Space {
		return slices.DeleteFunc(slices.Clone(spaces), func(s memory.Space) bool { return d.Space != "" && s != memory.Space(d.Space) })
	}
	for _, s := range narrow(summaries) {
		if err := d.addSummary(p, s); err != nil {
			return err
		}
	}
	for _, s := range narrow(notes) {
		found, err := memory.NoteEntries(ctx, m, s)
		if err != nil {
			return err
		}
		for _, n := range found {
			d.Notes = append(d.Notes, p.noteRow(n))
		}
	}
	if in := narrow(records); len(in) > 0 {
		hits, err := m.OwnerReader(in...).Recall(ctx, time.Now(), memory.Query{Kinds: []string{memory.KindFact, memory.KindSummary}, Limit: maxInsights, KeepDuplicates: true})
		if err != nil {
			return err
		}
		for _, hit := range hits {
			d.Insights = append(d.Insights, p.hitRow(hit))
		}
	}
	p.render("notes.html", d)
	return nil
}

// addSummary adds the summary of a space, if it has a text.
func (d *notesPage) addSummary(p *page, s memory.Space) error {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	sum, err := m.Summary(ctx, s)
	if err != nil || sum.Text == "" {
		return err
	}
	row := summaryRow{RollingSummary: sum, Where: p.SpaceTitle(s), URL: p.coveredURL(s, sum.FirstSeq, sum.LastSeq)}
	for _, end := range []struct {
		seq uint64
		at  *time.Time
	}{{sum.FirstSeq, &row.First}, {sum.LastSeq, &row.Last}} {
		recs, err := memory.Between(ctx, m, s, end.seq, end.seq, 1)
		if err != nil {
			return err
		}
		if len(recs) > 0 {
			*end.at = recs[0].At
		}
	}
	d.Summaries = append(d.Summaries, row)
	return nil
}

func (p *page) coveredURL(s memory.Space, first, last uint64) string {
	return p.Base() + "covered?" + url.Values{"space": {string(s)}, "first": {strconv.FormatUint(first, 10)}, "last": {strconv.FormatUint(last, 10)}}.Encode()
}

func (p *page) noteRow(n memory.NoteEntry) noteRow {
	row := noteRow{NoteEntry: n, Where: p.SpaceTitle(n.Space), KindText: p.T("note_" + n.Kind)}
	for _, id := range n.Sources[:min(len(n.Sources), maxPersonRecords)] {
		row.Links = append(row.Links, p.recordURL(n.Space, id))
	}
	return row
}

// A coveredPage is the data of the page with the messages of a summary.
type coveredPage struct {
	Where string
	Rows  []memory.Record
	URLs  []string
	More  string
}

// covered shows the messages that a summary covers.
func (h *Handler) covered(p *page) error {
	s := memory.Space(p.r.FormValue("space"))
	first, err := strconv.ParseUint(p.r.FormValue("first"), 10, 64)
	last, failed := strconv.ParseUint(p.r.FormValue("last"), 10, 64)
	if err != nil || failed != nil || s.Validate() != nil {
		return errNotFound
	}
	recs, err := memory.Between(p.r.Context(), p.feed.Bot.Memory(), s, first, last, maxCovered+1)
	if err != nil {
		return err
	}
	d := coveredPage{Where: p.SpaceTitle(s)}
	if len(recs) > maxCovered {
		d.More, recs = p.coveredURL(s, recs[maxCovered].Seq, last), recs[:maxCovered]
	}
	for _, r := range recs {
		if r.Kind == memory.KindMessage {
			d.Rows, d.URLs = append(d.Rows, r), append(d.URLs, p.recordURL(r.Space, r.ID))
		}
	}
	p.render("covered.html", d)
	return nil
}

// IsInsight reports whether a dream has written a record.
func (r hitRow) IsInsight() bool { return strings.HasPrefix(r.ID, "dream:") }
