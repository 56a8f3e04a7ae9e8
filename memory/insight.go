package memory

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// dreamPrefix begins the IDs of records written by dreams.
const dreamPrefix = "dream:"

func isDreamRecord(r *Record) bool {
	return strings.HasPrefix(r.ID, dreamPrefix) && r.Kind != KindMessage
}

// dreamID is derived from the last message of the input, so each input has different IDs, even in a copy of the store.
func dreamID(msgs []Record, i int) string {
	sum := sha256.Sum256([]byte(msgs[len(msgs)-1].ID))
	return fmt.Sprintf("%s%x:%d", dreamPrefix, sum[:8], i)
}

const maxInsight = 4000 // runes

// planOf turns insights into a plan. It is deterministic: equal arguments make equal records.
func planOf(s Space, msgs, known, near []Record, insights []sourcedInsight) (*plan, DreamResult) {
	b := planBuilder{known: known, similar: near, putIndex: map[string]int{}}
	for i := range insights {
		b.add(s, dreamID(msgs, i), &insights[i])
	}
	p := &plan{Last: msgs[len(msgs)-1].Seq}
	for i := range b.put {
		p.Put = append(p.Put, pack(&b.put[i]))
	}
	for _, id := range b.deleted {
		if _, kept := b.putIndex[id]; !kept {
			p.Delete = append(p.Delete, id)
			b.result.Deleted++
		}
	}
	return p, b.result
}

// A planBuilder collects the changes from the insights of one input.
type planBuilder struct {
	known    []Record // records that the function has seen
	similar  []Record // similar records that it has not seen
	put      []Record
	putIndex map[string]int // index in put by ID
	deleted  []string
	result   DreamResult
}

func (b *planBuilder) add(s Space, id string, in *sourcedInsight) {
	text := clip.Runes(strings.TrimSpace(sanitize(in.Text)), maxInsight)
	r := Record{
		ID: id, Space: s, Kind: in.Kind, Text: text,
		Person: in.Person, Tags: slices.Clone(in.Tags), Importance: min(max(in.Importance, 0), 1),
	}
	if r.Kind == "" || r.Kind == KindMessage { // an insight is not a message
		r.Kind = KindFact
	}
	if math.IsNaN(in.Importance) {
		r.Importance = 0
	}
	r.setSources(in.messages, in.Sources)
	r.setLabel(in.label)
	old, replaced := b.findReplaced(in)
	if old == nil {
		old = b.findSame(&r)
	}
	if old != nil {
		r.ID = old.ID
		r.Sources, r.Tags = union(r.Sources, old.Sources), union(r.Tags, old.Tags)
		if len(replaced) == 0 { // repeated, not contradicted
			r.Importance = max(r.Importance, old.Importance)
		}
	}
	if text == "" || r.Validate() != nil {
		b.result.Rejected++
		return
	}
	for _, id := range replaced[min(1, len(replaced)):] {
		if !slices.Contains(b.deleted, id) {
			b.deleted = append(b.deleted, id)
		}
	}
	if at, ok := b.putIndex[r.ID]; ok {
		b.put[at] = r
		return
	}
	b.putIndex[r.ID] = len(b.put)
	b.put = append(b.put, r)
	if old != nil {
		b.result.Updated++
	} else {
		b.result.Added++
	}
}

// setSources sets the source IDs, the author tags, and the time of the latest source. It ignores unknown IDs. Without a
// known one it uses all messages.
func (r *Record) setSources(msgs []Record, sources []string) {
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
			if tag := authorTagPrefix + m.Person; m.Person != "" && !m.Own && len(tag) <= MaxAddress && !slices.Contains(r.Tags, tag) {
				r.Tags = append(r.Tags, tag)
			}
		}
		if len(r.Sources) > 0 {
			return
		}
	}
}

// findReplaced returns the record that the insight updates, in its latest version, and the IDs of all known records in
// Replaces.
func (b *planBuilder) findReplaced(in *sourcedInsight) (old *Record, ids []string) {
	for _, id := range in.Replaces {
		i := slices.IndexFunc(in.known, func(r Record) bool { return r.ID == id })
		if i < 0 || slices.Contains(ids, id) {
			continue // unknown ID
		}
		if ids = append(ids, id); old == nil {
			old = &in.known[i]
			if at, ok := b.putIndex[id]; ok {
				old = &b.put[at]
			}
		}
	}
	return old, ids
}

// findSame returns a record about the same person with nearly the same words, or nil.
func (b *planBuilder) findSame(r *Record) *Record {
	for _, list := range [...][]Record{b.put, b.known, b.similar} {
		for i := range list {
			if k := &list[i]; k.Kind == r.Kind && k.Person == r.Person && k.LabelOrDefault() == r.LabelOrDefault() && !slices.Contains(b.deleted, k.ID) && sameWords(k.Text, r.Text) {
				return k
			}
		}
	}
	return nil
}

// sameWords reports whether two texts have nearly the same words in any order (Jaccard similarity at least .9).
// Insights are short, so one changed word changes most grams, and similar cannot be used.
func sameWords(a, b string) bool {
	if a == b {
		return true
	}
	x, y := countWords([]Record{{Text: a}}, true), countWords([]Record{{Text: b}}, true)
	both := 0
	for term := range x {
		if y[term] > 0 {
			both++
		}
	}
	all := len(x) + len(y) - both
	return all > 0 && float64(both) >= .9*float64(all)
}

// union appends to a the elements of b that it does not contain.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// A plan holds the changes from one dream input until they are applied. Each step is idempotent.
type plan struct {
	Put    []packedRecord `json:"put,omitzero"`
	Delete []string       `json:"delete,omitzero"`
	Last   uint64         `json:"last"`
	Digest []byte         `json:"digest,omitzero"` // bytes of the summary row that was read
}
