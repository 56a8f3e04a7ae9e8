package memory

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// dreamPrefix begins the IDs of what dreams wrote.
const dreamPrefix = "dream:"

func dreamed(r *Record) bool { return strings.HasPrefix(r.ID, dreamPrefix) && r.Kind != KindMessage }

// dreamID goes by the last message of the night: another night has another, in a copy of the store too.
func dreamID(msgs []Record, i int) string {
	sum := sha256.Sum256([]byte(msgs[len(msgs)-1].ID))
	return fmt.Sprintf("%s%x:%d", dreamPrefix, sum[:8], i)
}

const maxInsight = 4000 // runes

// planOf makes a plan of insights. It goes by what it is given alone: the same night and the same answer make the same records.
func planOf(s Space, msgs, known, near []Record, insights []answer) (*plan, DreamResult) {
	b := book{known: known, near: near, by: map[string]int{}}
	for i := range insights {
		b.add(s, dreamID(msgs, i), &insights[i])
	}
	p := &plan{Last: msgs[len(msgs)-1].Seq}
	for i := range b.put {
		p.Put = append(p.Put, pack(&b.put[i]))
	}
	for _, id := range b.gone {
		if _, kept := b.by[id]; !kept {
			p.Delete = append(p.Delete, id)
			b.did.Deleted++
		}
	}
	return p, b.did
}

// A book is what the insights of one night came to so far.
type book struct {
	known []Record // by the dreamer
	near  []Record // and by nobody but us
	put   []Record
	by    map[string]int // IDs in put
	gone  []string
	did   DreamResult
}

func (b *book) add(s Space, id string, in *answer) {
	text := clip.Runes(strings.TrimSpace(mend(in.Text)), maxInsight)
	r := Record{
		ID: id, Space: s, Kind: in.Kind, Text: text,
		Person: in.Person, Tags: slices.Clone(in.Tags), Importance: min(max(in.Importance, 0), 1),
	}
	if r.Kind == "" || r.Kind == KindMessage { // nobody said it
		r.Kind = KindFact
	}
	if math.IsNaN(in.Importance) {
		r.Importance = 0
	}
	r.from(in.from, in.Sources)
	r.bear(in.label)
	old, replaced := b.replaced(in)
	if old == nil {
		old = b.same(&r)
	}
	if old != nil {
		r.ID = old.ID
		r.Sources, r.Tags = union(r.Sources, old.Sources), union(r.Tags, old.Tags)
		if len(replaced) == 0 { // said again
			r.Importance = max(r.Importance, old.Importance)
		}
	}
	if text == "" || r.Validate() != nil {
		b.did.Rejected++
		return
	}
	for _, id := range replaced[min(1, len(replaced)):] {
		if !slices.Contains(b.gone, id) {
			b.gone = append(b.gone, id)
		}
	}
	if at, ok := b.by[r.ID]; ok {
		b.put[at] = r
		return
	}
	b.by[r.ID] = len(b.put)
	b.put = append(b.put, r)
	if old != nil {
		b.did.Updated++
	} else {
		b.did.Added++
	}
}

// from notes what a record was made from: its sources, whose words they were, and when the last of them was said.
func (r *Record) from(msgs []Record, sources []string) {
	for _, all := range [...]bool{false, true} {
		for i := range msgs {
			m := &msgs[i]
			if !all && !slices.Contains(sources, m.ID) {
				continue
			}
			r.Sources = append(r.Sources, m.ID)
			if m.At.After(r.At) {
				r.At = m.At
			}
			if tag := taggedFrom + m.Person; m.Person != "" && !m.Own && len(tag) <= MaxAddress && !slices.Contains(r.Tags, tag) {
				r.Tags = append(r.Tags, tag)
			}
		}
		if len(r.Sources) > 0 {
			return
		}
	}
}

// replaced is what the insight takes the place of: the record to update, as it is after the insights before, and the IDs of all that are known.
func (b *book) replaced(in *answer) (old *Record, ids []string) {
	for _, id := range in.Replaces {
		i := slices.IndexFunc(in.known, func(r Record) bool { return r.ID == id })
		if i < 0 || slices.Contains(ids, id) {
			continue // made up
		}
		if ids = append(ids, id); old == nil {
			old = &in.known[i]
			if at, ok := b.by[id]; ok {
				old = &b.put[at]
			}
		}
	}
	return old, ids
}

// same is a record that says nearly the same of the same person.
func (b *book) same(r *Record) *Record {
	for _, list := range [...][]Record{b.put, b.known, b.near} {
		for i := range list {
			if k := &list[i]; k.Kind == r.Kind && k.Person == r.Person && k.LabelOrDefault() == r.LabelOrDefault() && !slices.Contains(b.gone, k.ID) && sameWords(k.Text, r.Text) {
				return k
			}
		}
	}
	return nil
}

// sameWords reports whether two texts consist of nearly the same words, whatever their order (a Jaccard of .9). Insights are short: one word
// more or less changes most of the five-rune runs that recall compares.
func sameWords(a, b string) bool {
	if a == b {
		return true
	}
	x, y := tally([]Record{{Text: a}}, true), tally([]Record{{Text: b}}, true)
	both := 0
	for term := range x {
		if y[term] > 0 {
			both++
		}
	}
	all := len(x) + len(y) - both
	return all > 0 && float64(both) >= .9*float64(all)
}

// union is a, and what of b is not in it.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// A plan is the answer to a night, before it is written down. Each of its steps may be done twice.
type plan struct {
	Put    []packed `json:"put,omitzero"`
	Delete []string `json:"delete,omitzero"`
	Last   uint64   `json:"last"`
	Digest []byte   `json:"digest,omitzero"` // the row of the summary that was read
}
