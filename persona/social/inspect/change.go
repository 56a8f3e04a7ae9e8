package inspect

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// maxListedChanges limits each list of a preview. The number of all is shown, too.
const maxListedChanges = 200

// A changePage is the data of a preview of a change to a record.
type changePage struct {
	Do            string
	Record        memory.Record
	Where         string
	Before, After string // labels; After is "" if the record is deleted
	From, To      string // spaces of a move
	Old, New      string // texts of a correction
	Trust         bool
	Diff          []diffLine
	Effects       effects
}

// Effects are what a change takes with it.
type effects struct {
	Deleted   []recordLink
	Stored    []storedRow
	Summaries []string
	People    []personChange
	Notes     []noteRow
	Overrides []memory.LabelOverride
	Records   int // number of all deleted records
	More      int // deleted records that are not listed
}

// Any reports whether there are effects.
func (e effects) Any() bool {
	return e.Records+len(e.Stored)+len(e.Summaries)+len(e.People)+len(e.Notes)+len(e.Overrides) > 0
}

// A storedRow is another record that is changed.
type storedRow struct {
	recordLink
	From, To string // spaces; equal if it stays
}

// A personChange is a person's data that is changed or deleted.
type personChange struct {
	ID, URL, Where string
	Impression     string   // that is deleted; "" for none
	Nicknames      []string // that are deleted
	All            bool     // nothing is left
}

// previewChange shows what a change to a record would do, with a button that does it.
func (h *Handler) previewChange(p *page) error {
	space, id := memory.Space(p.r.FormValue("space")), p.r.FormValue("id")
	rec, err := p.recordAt(space, id)
	if err != nil {
		return err
	}
	d := changePage{Do: p.r.FormValue("do"), Record: rec, Where: p.SpaceTitle(space), Before: rec.LabelOrDefault().String()}
	if d.Do == "mend" {
		d.Old, d.New, d.Trust = rec.Text, strings.TrimSpace(normalLines(p.r.FormValue("text"))), p.r.FormValue("trust") != ""
		d.Diff = diffText(d.Old, d.New)
	}
	ctx := p.r.Context()
	c, err := memory.DryRun(ctx, p.feed.Bot.Memory(), func(m *memory.Memory) error { return d.try(ctx, m) })
	if errors.Is(err, memory.ErrInvalid) || errors.Is(err, memory.ErrTooLong) {
		return p.refuse(p.T("mendRefused"))
	}
	if err != nil {
		return err
	}
	d.After = d.Before
	for _, r := range c.Deleted {
		if r.Space == space && r.ID == id {
			d.After = ""
		}
	}
	for _, r := range c.Stored {
		if r.After.ID == id && r.After.Space.Base() == space.Base() {
			d.After = r.After.LabelOrDefault().String()
			if r.Before.Space != r.After.Space {
				d.From, d.To = p.SpaceTitle(r.Before.Space), p.SpaceTitle(r.After.Space)
			}
		}
	}
	d.Effects = p.effects(c, func(r *memory.Record) bool { return r.ID == id && r.Space.Base() == space.Base() })
	p.render("change.html", d)
	return nil
}

// try makes the change in a dry run.
func (d *changePage) try(ctx context.Context, m *memory.Memory) (err error) {
	s, id := d.Record.Space, d.Record.ID
	switch d.Do {
	case "forget":
		return m.Delete(ctx, s, id)
	case "hide":
		return m.Hide(ctx, s, id)
	case "reveal":
		return m.Reveal(ctx, s, id)
	case "mend":
		if _, err = memory.Correct(ctx, m, s, id, d.Old, d.New); err != nil || !d.Trust {
			return err
		}
	case "endorse":
	default:
		return errNotFound
	}
	_, err = m.Endorse(ctx, time.Now(), s, id)
	return err
}

// effects describes changes, without those of the record itself.
func (p *page) effects(c memory.Changes, itself func(*memory.Record) bool) (e effects) {
	for i := range c.Deleted {
		if r := &c.Deleted[i]; !itself(r) {
			e.Records++
			if len(e.Deleted) < maxListedChanges {
				e.Deleted = append(e.Deleted, p.recordLink(*r))
			}
		}
	}
	e.More = e.Records - len(e.Deleted)
	for i := range c.Stored {
		if r := &c.Stored[i]; !itself(&r.After) && len(e.Stored) < maxListedChanges {
			e.Stored = append(e.Stored, storedRow{p.recordLink(r.Before), p.SpaceTitle(r.Before.Space), p.SpaceTitle(r.After.Space)})
		}
	}
	for _, s := range c.Summaries {
		e.Summaries = append(e.Summaries, p.SpaceTitle(s))
	}
	for _, change := range c.People {
		e.People = append(e.People, p.personChange(change))
	}
	for _, n := range c.Notes {
		e.Notes = append(e.Notes, p.noteRow(n))
	}
	e.Overrides = c.Overrides
	return e
}

func (p *page) personChange(c memory.PersonChange) personChange {
	row := personChange{ID: c.Before.ID, URL: p.personIn(c.Space, c.Before.ID, false), Where: p.SpaceTitle(c.Space), All: c.After.ID == ""}
	if c.After.Impression != c.Before.Impression {
		row.Impression = c.Before.Impression
	}
	left := map[string]bool{}
	for _, n := range c.After.Names {
		left[n.Name] = true
	}
	for _, n := range c.Before.Names {
		if !left[n.Name] {
			row.Nicknames = append(row.Nicknames, n.Name)
		}
	}
	return row
}

// refuse shows why something cannot be done.
func (p *page) refuse(why string) error {
	p.w.WriteHeader(http.StatusUnprocessableEntity)
	p.render("message.html", why)
	return nil
}
