package inspect

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// maxPersonRecords limits each list of records on a person's page.
const maxPersonRecords = 30

// A personPage is the data of a person's page.
type personPage struct {
	personRow
	Same      []accountLink // other accounts of the same person
	Homes     []personHome
	Said      []hitRow // by the person, newest first
	About     []hitRow // about or derived from the person
	Notes     []noteRow
	SearchURL string
}

// An accountLink is another account.
type accountLink struct {
	Account persona.Account
	URL     string
}

// A personHome is the data about a person in a space, with links.
type personHome struct {
	homeRow
	Sources []recordLink
	More    int // sources that are not listed or no longer stored
}

// AboutCount is the number of records about the person.
func (d personPage) AboutCount() int { return d.personRow.About }

// accountParam returns the account that a request names.
func (p *page) accountParam() (who persona.Account, err error) {
	who = persona.Account{Platform: p.r.FormValue("platform"), ID: p.r.FormValue("id")}
	if who.Platform == "" || who.ID == "" {
		return who, errNotFound
	}
	return who, nil
}

// person shows everything about one account.
func (h *Handler) person(p *page) error {
	who, err := p.accountParam()
	if err != nil {
		return err
	}
	d := personPage{SearchURL: p.Base() + "memory?" + url.Values{"person": {who.Platform + ":" + who.ID}}.Encode()}
	if d.personRow, err = p.personRow(who); err != nil {
		return err
	}
	for _, same := range p.feed.Bot.SamePerson(who) {
		if same != who {
			d.Same = append(d.Same, accountLink{same, p.personURL(same)})
		}
	}
	for _, home := range d.personRow.Homes {
		links, err := p.sourceLinks(home.Space, home.Sources[:min(len(home.Sources), maxPersonRecords)])
		if err != nil {
			return err
		}
		d.Homes = append(d.Homes, personHome{home, links, len(home.Sources) - len(links)})
	}
	if err := d.findRecords(p, who); err != nil {
		return err
	}
	if d.Notes, err = p.notesAbout(d.names(), who); err != nil {
		return err
	}
	if d.Messages+d.personRow.About+len(d.Homes)+len(d.About)+len(d.Notes) == 0 {
		return errNotFound
	}
	p.render("person.html", d)
	return nil
}

// personRow returns the row of one account. It is empty if the bot does not know the account.
func (p *page) personRow(who persona.Account) (personRow, error) {
	rows, err := p.knownPeople()
	if i := slices.IndexFunc(rows, func(r personRow) bool { return r.Account == who }); i >= 0 {
		return rows[i], err
	}
	return personRow{Account: who, URL: p.personURL(who)}, err
}

// names returns the names by which notes may mention the person.
func (d *personPage) names() (names []string) {
	for _, n := range d.personRow.Names {
		names = append(names, n.Name)
	}
	for _, h := range d.personRow.Homes {
		for _, n := range h.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// findRecords finds the newest records of the person, and those about them or derived from their messages.
func (d *personPage) findRecords(p *page, who persona.Account) error {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	all, err := m.Spaces(ctx)
	if err != nil {
		return err
	}
	in := spacesOf(all, who.Platform)
	if len(in) == 0 {
		return nil
	}
	find := func(q memory.Query) (hits []memory.Hit, err error) {
		q.Limit, q.KeepDuplicates = maxPersonRecords, true
		return m.OwnerReader(in...).Recall(ctx, time.Now(), q)
	}
	said, err := find(memory.Query{Person: who.ID, Kinds: []string{memory.KindMessage}})
	if err != nil {
		return err
	}
	other := slices.DeleteFunc(slices.Clone(recordKinds), func(kind string) bool { return kind == memory.KindMessage })
	about, err := find(memory.Query{Person: who.ID, Kinds: other})
	if err != nil {
		return err
	}
	from, err := find(memory.Query{Tags: []string{"from:" + who.ID}})
	if err != nil {
		return err
	}
	for _, hit := range said {
		d.Said = append(d.Said, p.hitRow(hit))
	}
	seen := map[string]bool{}
	for _, hit := range slices.Concat(about, from) {
		if row := p.hitRow(hit); !seen[row.URL] {
			seen[row.URL] = true
			d.About = append(d.About, row)
		}
	}
	return nil
}

// spacesOf returns the spaces of a platform and those that are no chats. The same ID is another person on another platform.
func spacesOf(spaces []memory.Space, platform string) []memory.Space {
	return slices.DeleteFunc(slices.Clone(spaces), func(s memory.Space) bool {
		var chat persona.Chat
		return chat.UnmarshalText([]byte(s.Base())) == nil && chat.Platform != platform
	})
}

// notesAbout returns the notes that contain the id or a name of a person.
func (p *page) notesAbout(names []string, who persona.Account) (rows []noteRow, err error) {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	spaces, err := memory.NoteSpaces(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, s := range spacesOf(spaces, who.Platform) {
		notes, err := memory.NoteEntries(ctx, m, s)
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			text := n.Name + "\n" + n.Text
			mentions := func(name string) bool { return utf8.RuneCountInString(name) > 1 && strings.Contains(text, name) }
			if strings.Contains(text, who.ID) || slices.ContainsFunc(names, mentions) {
				rows = append(rows, p.noteRow(n))
			}
		}
	}
	return rows, nil
}

// An erasePage is the data of the preview of an erasure.
type erasePage struct {
	Account  persona.Account
	URL      string
	Names    []nameRow
	Accounts []persona.Account // all of the person
	Spaces   []spaceCount
	Total    int
	Effects  effects
	Plans    []string // timers and tasks of the person
	Unsure   bool     // the box was not ticked
}

// A spaceCount counts the records that an erasure deletes in a space.
type spaceCount struct {
	Where         string
	Said, Derived int
}

// previewErase shows what would be erased with a person.
func (h *Handler) previewErase(p *page) error {
	who, err := p.accountParam()
	if err != nil {
		return err
	}
	d := erasePage{Account: who, URL: p.personURL(who), Accounts: p.feed.Bot.SamePerson(who), Unsure: p.r.Method == http.MethodPost}
	row, err := p.personRow(who)
	if err != nil {
		return err
	}
	d.Names = row.Names
	ctx := p.r.Context()
	c, err := p.feed.Bot.PreviewErasePerson(ctx, who)
	if err != nil {
		return err
	}
	d.count(p, c.Deleted)
	d.Effects = p.effects(c, func(r *memory.Record) bool { return d.saidBy(r) })
	agenda, err := p.feed.Bot.Agenda(ctx)
	if err != nil {
		return err
	}
	is := func(id string) bool {
		return slices.ContainsFunc(d.Accounts, func(a persona.Account) bool { return a.ID == id })
	}
	for _, t := range agenda.Timers {
		if is(t.Origin.Person.ID) {
			d.Plans = append(d.Plans, t.Payload)
		}
	}
	for _, t := range slices.Concat(agenda.Planned, agenda.Past) {
		if is(t.Origin.Person.ID) {
			d.Plans = append(d.Plans, t.Title)
		}
	}
	if d.Unsure {
		p.w.WriteHeader(http.StatusUnprocessableEntity)
	}
	p.render("erase.html", d)
	return nil
}

// saidBy reports whether a record is a message of the person.
func (d *erasePage) saidBy(r *memory.Record) bool {
	return r.Kind == memory.KindMessage && !r.Own && slices.ContainsFunc(d.Accounts, func(a persona.Account) bool { return a.ID == r.Person })
}

// count counts deleted records by space. The records are sorted by space.
func (d *erasePage) count(p *page, deleted []memory.Record) {
	d.Total = len(deleted)
	var last memory.Space
	for i := range deleted {
		r := &deleted[i]
		if i == 0 || r.Space != last {
			d.Spaces = append(d.Spaces, spaceCount{Where: p.SpaceTitle(r.Space)})
			last = r.Space
		}
		n := &d.Spaces[len(d.Spaces)-1]
		if d.saidBy(r) {
			n.Said++
		} else {
			n.Derived++
		}
	}
}

// maxErasure limits an erasure. A longer one is completed at the next start.
const maxErasure = 10 * time.Minute

// erase erases a person after the second step. It goes on if the browser goes away.
func (h *Handler) erase(p *page) error {
	who, err := p.accountParam()
	if err != nil {
		return err
	}
	if p.r.PostFormValue("sure") == "" {
		return h.previewErase(p)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(p.r.Context()), maxErasure)
	defer stop()
	n, err := p.feed.Bot.ErasePerson(ctx, who, nil)
	if !isDone(err) {
		return err
	}
	p.feed.forget()
	p.changed("person", "forget", "records", n)
	http.Redirect(p.w, p.r, fmt.Sprintf("%speople?gone=%d", p.Base(), n), http.StatusSeeOther)
	return nil
}
