package facts

import (
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// PlanDays is the number of days after which a plan lapses if nobody repeats it.
const PlanDays = 45

// maxClaims is the number of claims kept about one relation of a person.
const maxClaims = 64

// A Fact is a version of what is said about a person: a value and the time for which it holds.
type Fact struct {
	Subject  string
	Relation Relation
	Value    string
	Person   string    // account of the person that Value names, if any
	From     time.Time // time of the first message that says so
	Until    time.Time // end; zero: it holds
	Speaker  string    // who says so; the subject, or somebody who believes it
	Disputed bool      // another version holds at the same time, and they contradict each other
	Claims   []string  // IDs of the claims' records
	Sources  []string  // IDs of the messages
	Label    memory.Label
}

// Own reports whether the person says so.
func (f *Fact) Own() bool { return f.Speaker == f.Subject }

func (f *Fact) holds(t time.Time) bool {
	return !f.From.After(t) && (f.Until.IsZero() || f.Until.After(t))
}

// A Table holds the claims about the people of a space. The zero Table is empty.
type Table struct {
	claims map[string][]Claim  // by subject, in order of time
	cache  map[string][][]Fact // versions of all claims about a subject
}

// Add adds a claim, or replaces the one with the same ID.
func (t *Table) Add(c Claim) {
	if t.claims == nil {
		t.claims = map[string][]Claim{}
	}
	list := t.claims[c.Subject]
	if i := slices.IndexFunc(list, func(old Claim) bool { return old.ID == c.ID }); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	i := len(list)
	for i > 0 && list[i-1].At.After(c.At) {
		i--
	}
	list = slices.Insert(list, i, c)
	first, n := 0, 0
	for j := len(list) - 1; j >= 0; j-- {
		if list[j].Relation == c.Relation {
			first, n = j, n+1
		}
	}
	if n > maxClaims {
		list = slices.Delete(list, first, first+1)
	}
	t.claims[c.Subject] = list
	delete(t.cache, c.Subject)
}

// Remove removes the claims about a subject for which gone returns true.
func (t *Table) Remove(subject string, gone func(Claim) bool) {
	delete(t.cache, subject)
	if list := slices.DeleteFunc(t.claims[subject], gone); len(list) > 0 {
		t.claims[subject] = list
	} else {
		delete(t.claims, subject)
	}
}

// Claims returns the claims about a person, oldest first.
func (t *Table) Claims(subject string) []Claim { return t.claims[subject] }

// At returns the facts about a person that hold at a time, in the order of [Relation]s, newest first. Of several beliefs of others
// about a relation with one value, the last one comes first. Do not change the slices in a Fact.
func (t *Table) At(at time.Time, subject string) []Fact {
	all := t.versions(at, subject)
	facts := make([]Fact, 0, 2*len(all))
	for _, versions := range all {
		facts = choose(facts, at, versions)
	}
	return facts
}

// History returns all versions of one relation of a person until a time, oldest first, with those that have ended.
func (t *Table) History(until time.Time, subject string, r Relation) []Fact {
	for _, versions := range t.versions(until, subject) {
		if versions[0].Relation == r {
			return slices.Clone(versions)
		}
	}
	return nil
}

// Holds reports whether a claim with Ends would end something.
func (t *Table) Holds(c Claim) bool {
	for _, f := range t.At(c.At, c.Subject) {
		if f.Relation == c.Relation && (c.Value == "" || sameValue(f.Value, c.Value)) {
			return true
		}
	}
	return false
}

// repeatWithin is the time within which a claim that is repeated adds nothing.
const repeatWithin = 24 * time.Hour

// repeats reports whether the speaker has said the same within a day, and nothing against it since.
func (t *Table) repeats(c Claim) bool {
	list := t.claims[c.Subject]
	for i := len(list) - 1; i >= 0 && c.At.Sub(list[i].At) < repeatWithin; i-- {
		old := &list[i]
		switch {
		case old.Speaker != c.Speaker:
		case old.Relation == c.Relation && sameValue(old.Value, c.Value):
			return !c.Ends && !old.Ends && old.Person == c.Person
		case old.Relation == c.Relation && (old.Ends || !c.Relation.Multiple()), old.Relation == opposite(c.Relation):
			return false
		}
	}
	return false
}

// versions returns all versions about a person until a time, by relation in the order of prompts.
func (t *Table) versions(until time.Time, subject string) (all [][]Fact) {
	claims := t.claims[subject]
	latest := len(claims) > 0 && !claims[len(claims)-1].At.After(until)
	if latest {
		if all, ok := t.cache[subject]; ok {
			return all
		}
		defer func() {
			if t.cache == nil {
				t.cache = map[string][][]Fact{}
			}
			t.cache[subject] = all
		}()
	}
	var by [len(relations) + 1][]Fact
	for _, c := range claims {
		if c.At.After(until) {
			break
		}
		i := c.Relation.rank()
		by[i] = addClaim(by[i], c)
		if other := opposite(c.Relation); other != "" && !c.Ends {
			j := other.rank()
			end := c
			end.Relation, end.Ends = other, true
			by[j] = addClaim(by[j], end)
		}
	}
	for _, list := range by {
		if len(list) > 0 {
			all = append(all, list)
		}
	}
	return all
}

// opposite returns the relation that cannot hold for the same value.
func opposite(r Relation) Relation {
	switch r {
	case Likes:
		return Dislikes
	case Dislikes:
		return Likes
	}
	return ""
}

// addClaim changes the versions of one relation by the next claim.
func addClaim(list []Fact, c Claim) []Fact {
	for i := range list {
		f := &list[i]
		if f.Relation == Plan && f.Until.IsZero() && c.At.After(f.From.AddDate(0, 0, PlanDays)) {
			f.Until = f.From.AddDate(0, 0, PlanDays)
		}
		if !f.Until.IsZero() {
			continue
		}
		same := c.Value == "" || sameValue(f.Value, c.Value)
		switch {
		case c.Ends && same && (f.Speaker == c.Speaker || c.Speaker == c.Subject):
			f.Until = c.At
		case c.Ends || f.Speaker != c.Speaker:
		case same && f.Value == c.Value && c.Relation != Plan: // repeated
			f.Claims, f.Sources, f.Label = append(f.Claims, c.ID), append(f.Sources, c.Source), joinLabel(f.Label, c.Label)
			return list
		case same || !c.Relation.Multiple():
			f.Until = c.At
		}
	}
	if c.Ends {
		return list
	}
	return append(list, Fact{
		Subject: c.Subject, Relation: c.Relation, Value: c.Value, Person: c.Person, From: c.At, Speaker: c.Speaker, Claims: []string{c.ID}, Sources: []string{c.Source}, Label: c.Label,
	})
}

func joinLabel(a, b memory.Label) memory.Label {
	if a == b {
		return a
	}
	return a.Join(b)
}

// choose appends the versions of one relation that hold at a time and that nothing better replaces.
func choose(all []Fact, at time.Time, versions []Fact) []Fact {
	multiple, begin := versions[0].Relation.Multiple(), len(all)
	for i := range versions {
		f := &versions[i]
		if f.Relation == Plan && at.After(f.From.AddDate(0, 0, PlanDays)) || !f.holds(at) || !f.Own() && outranked(f, versions, multiple) {
			continue
		}
		same := slices.IndexFunc(all[begin:], func(o Fact) bool { return sameValue(o.Value, f.Value) })
		switch {
		case same < 0:
			all = append(all, *f)
		case f.Own(): // somebody else says the same
			all[begin+same] = *f
		}
	}
	facts := all[begin:]
	slices.SortStableFunc(facts, func(a, b Fact) int {
		switch {
		case a.Own() && !b.Own():
			return -1
		case b.Own() && !a.Own():
			return 1
		}
		return b.From.Compare(a.From)
	})
	for i := range facts {
		facts[i].Disputed = !multiple && len(facts) > 1
	}
	return all
}

// outranked reports whether the person's own word makes a belief of another obsolete: for a relation with one value if the own word is later, and
// for the others if it has ended that value.
func outranked(f *Fact, versions []Fact, multiple bool) bool {
	for i := range versions {
		own := &versions[i]
		if !own.Own() || multiple && !sameValue(own.Value, f.Value) {
			continue
		}
		if !own.From.Before(f.From) || !own.Until.IsZero() && own.Until.After(f.From) || multiple {
			return true
		}
	}
	return false
}

// sameValue reports whether two texts name the same value: equal, or one contains the other.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	const least = 4 // bytes, so more than one Han character
	return len(a) >= least && len(b) >= least && (strings.Contains(a, b) || strings.Contains(b, a))
}
