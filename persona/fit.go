package persona

import (
	"cmp"
	"strings"
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
	history
	summary
	ranks
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

// fit gives the text with as many parts left out as it takes to cost at most budget tokens, or with none.
func (d *draft) fit(budget int) string {
	budget = cmp.Or(budget, defaultBudget)
	over := d.cost() - 4*budget
	if budget < 0 || over <= 0 {
		return d.buf.String()
	}
	for r := range ranks {
		for i := range d.parts {
			if r != history { // the oldest message goes first, of all else the last
				i = len(d.parts) - 1 - i
			}
			if p := &d.parts[i]; p.rank == r && over > 0 {
				p.out = true
				over -= p.cost
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
