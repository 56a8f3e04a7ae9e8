package prompt

import (
	"cmp"
	"github.com/hearth-bot/hearth/persona"
	"strings"
	"time"
)

const defaultBudget = 8000

// A part is a piece of a draft that may be left out.
type part struct {
	rank       rank
	start, end int
	cost       int // in quarters of a token, so that parts add up
	out        bool
}

// A rank says what a part is, and so how soon it goes.
type rank uint8

const (
	background rank = iota
	ownerMemory
	chatMemory
	people
	events
	pastTasks
	notes
	plannedTasks
	mind
	history
	summary
	inner
	documents
	ranks // how many there are; of a part that stays
)

// begin opens a part; what is written up to [draft.end] belongs to it. Parts do not nest.
func (d *draft) begin(r rank) {
	d.parts = append(d.parts, part{rank: r, start: d.buf.Len(), cost: -d.cost()})
}

func (d *draft) end() {
	p := &d.parts[len(d.parts)-1]
	p.end = d.buf.Len()
	p.cost += d.cost()
}

// fit gives the text with as many parts left out as it takes to cost at most budget tokens, or with none. The first
// spare messages of the history are more than was asked for.
func (d *draft) fit(budget int, said []persona.Message, spare int) string {
	budget = cmp.Or(budget, defaultBudget)
	over := d.cost() - 4*budget
	if budget < 0 || over <= 0 {
		return d.buf.String()
	}
	if spare = min(spare, len(said)); spare > 0 {
		n := d.oldest(over, len(said))
		if n > spare {
			n = max(spare, d.oldest(over-d.lesser(), len(said)))
		}
		over -= d.forget(n, said)
	}
	for r := range ranks {
		if r == history {
			over -= d.forget(d.oldest(over, len(said)), said)
			continue
		}
		for i := range d.parts {
			if r != pastTasks { // the oldest goes first, of all else the last
				i = len(d.parts) - 1 - i
			}
			if p := &d.parts[i]; p.rank == r && over > 0 {
				over -= p.save()
			}
		}
	}
	text, from := d.buf.String(), 0
	var kept strings.Builder
	kept.Grow(len(text))
	for _, p := range d.parts {
		if p.out {
			kept.WriteString(text[from:p.start])
			from = p.end
		}
	}
	kept.WriteString(text[from:])
	return kept.String()
}

// lesser is what all that goes before the history costs.
func (d *draft) lesser() (cost int) {
	for i := range d.parts {
		if p := &d.parts[i]; p.rank < history {
			cost += p.cost
		}
	}
	return cost
}

// oldest is how many of so many messages of the history have to go to save so much, or all of them.
func (d *draft) oldest(over, said int) (n int) {
	for ; over > 0 && n < said; n++ {
		over -= d.parts[d.first+n].cost
	}
	return n
}

// forget leaves out the n oldest messages of the history, and up to a third of the rest: where it begins then, it can
// begin for many turns. It tells how much that saves.
func (d *draft) forget(n int, said []persona.Message) (saved int) {
	if 0 < n && n < len(said) {
		n = StableStart(n, n+(len(said)-n)/3, func(i int) time.Time { return said[i].At })
	}
	for i := range n {
		saved += d.parts[d.first+i].save()
	}
	return saved
}

// save leaves a part out and tells what that saves.
func (p *part) save() int {
	if p.out {
		return 0
	}
	p.out = true
	return p.cost
}
