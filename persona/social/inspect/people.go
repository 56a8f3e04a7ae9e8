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

// maxPeople is the number of people on a page.
const maxPeople = 100

// A peoplePage is the data of the list of people.
type peoplePage struct {
	Query string
	Rows  []personRow
	Total int    // that match
	More  string // address of the next page; "" for none
	Gone  string // number of records that were just erased; "" for none
}

// A personRow is one account in the list.
type personRow struct {
	Account         persona.Account
	URL             string
	Names           []nameRow // the latest first
	Homes           []homeRow // data about the person by space
	Messages, About int
	First, Last     time.Time
}

// A nameRow is a name or card of a person in a chat.
type nameRow struct {
	Name, Where string
	Messages    int
	First, Last time.Time
}

// A homeRow is the data about a person in a space.
type homeRow struct {
	memory.Person
	Space memory.Space
	Where string
	Level string // of the relation
}

// Affinity is the importance of the person for recall, 0 to 1.
func (r homeRow) Affinity() float64 { return max(0, r.Relation) / 1000 }

// maxListedNames limits the names of a person in the list.
const maxListedNames = 5

// LatestNames returns the latest names, for the list.
func (r personRow) LatestNames() []nameRow { return r.Names[:min(len(r.Names), maxListedNames)] }

// people lists the people that the bot knows, the latest first.
func (h *Handler) people(p *page) error {
	d := peoplePage{Query: p.field("q"), Gone: p.field("gone")}
	rows, err := p.knownPeople()
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r personRow) bool { return !r.matches(d.Query) })
	d.Total = len(rows)
	from, _ := strconv.Atoi(p.field("from")) // 0: the first page
	from = min(max(from, 0), len(rows))
	d.Rows = rows[from:min(len(rows), from+maxPeople)]
	if from+maxPeople < len(rows) {
		d.More = p.Base() + "people?" + url.Values{"q": {d.Query}, "from": {strconv.Itoa(from + maxPeople)}}.Encode()
	}
	if _, err := strconv.Atoi(d.Gone); err != nil {
		d.Gone = ""
	}
	p.render("people.html", d)
	return nil
}

// matches reports whether the id, a name or a nickname contains a text, in any case.
func (r *personRow) matches(q string) bool {
	if q = strings.ToLower(q); q == "" || strings.Contains(strings.ToLower(r.Account.Platform+":"+r.Account.ID), q) {
		return true
	}
	has := func(name string) bool { return strings.Contains(strings.ToLower(name), q) }
	return slices.ContainsFunc(r.Names, func(n nameRow) bool { return has(n.Name) }) ||
		slices.ContainsFunc(r.Homes, func(h homeRow) bool {
			return slices.ContainsFunc(h.Names, func(n memory.Nickname) bool { return has(n.Name) })
		})
}

// knownPeople returns the people with records or other data in chats, the latest first. An ID in a space that is no chat names no
// platform, so it is not listed.
func (p *page) knownPeople() ([]personRow, error) {
	m, ctx := p.feed.Bot.Memory(), p.r.Context()
	entries, err := memory.Authors(ctx, m)
	if err != nil {
		return nil, err
	}
	by := map[persona.Account]*personRow{}
	rowOf := func(s memory.Space, id string) *personRow {
		who, ok := accountIn(s, id)
		if !ok {
			return nil
		}
		if by[who] == nil {
			by[who] = &personRow{Account: who, URL: p.personURL(who)}
		}
		return by[who]
	}
	for _, e := range entries {
		if r := rowOf(e.Space, e.Person); r != nil {
			r.add(e, p.SpaceTitle(e.Space))
		}
	}
	spaces, err := memory.PeopleSpaces(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, s := range spaces {
		all, err := m.People(s).All(ctx)
		if err != nil {
			return nil, err
		}
		for _, person := range all {
			if r := rowOf(s, person.ID); r != nil {
				r.Homes = append(r.Homes, homeRow{person, s, p.SpaceTitle(s), p.T("relation" + strconv.Itoa(person.RelationLevel()))})
			}
		}
	}
	rows := make([]personRow, 0, len(by))
	for _, r := range by {
		slices.SortStableFunc(r.Names, func(a, b nameRow) int { return b.Last.Compare(a.Last) })
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b personRow) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Account.Platform, b.Account.Platform), cmp.Compare(a.Account.ID, b.Account.ID))
	})
	return rows, nil
}

// add counts the records of one name.
func (r *personRow) add(e memory.AuthorEntry, where string) {
	r.Messages, r.About = r.Messages+e.Messages, r.About+e.Others
	if e.Messages == 0 {
		return
	}
	if e.Name != "" {
		r.Names = append(r.Names, nameRow{e.Name, where, e.Messages, e.First, e.Last})
	}
	if r.First.IsZero() || !e.First.IsZero() && e.First.Before(r.First) {
		r.First = e.First
	}
	if e.Last.After(r.Last) {
		r.Last = e.Last
	}
}

// accountIn returns the account that an id means in the space of a chat.
func accountIn(s memory.Space, id string) (who persona.Account, ok bool) {
	var chat persona.Chat
	if id == "" || chat.UnmarshalText([]byte(s.Base())) != nil || chat.Platform == "" {
		return who, false
	}
	return persona.Account{Platform: chat.Platform, ID: id}, true
}

// personIn returns the address of the page of a person in a space, or "" if there is none.
func (p *page) personIn(s memory.Space, id string, own bool) string {
	who, ok := accountIn(s, id)
	if !ok || own {
		return ""
	}
	return p.personURL(who)
}

func accountQuery(who persona.Account) string {
	return url.Values{"platform": {who.Platform}, "id": {who.ID}}.Encode()
}

func (p *page) personURL(who persona.Account) string {
	return p.Base() + "person?" + accountQuery(who)
}
