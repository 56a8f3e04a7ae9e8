package expressions

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Options of [Learn].
type Options struct {
	// Corpus has the messages of this group and of others. Nil, or one with fewer than two groups, compares the people of
	// the group instead: it finds the sayings that have a situation, and the words that some use often and others never.
	Corpus *Corpus
	Limit  int // of the result; 0 means 60
}

const (
	minPeople    = 2
	minDays      = 3
	maxOfOne     = .8  // share of uses by one person
	maxOfDay     = .5  // share of uses on one day
	maxNeighbour = .7  // share of uses beside the same unit
	minRatio     = 4   // frequency here to that elsewhere
	minAlone     = 8   // uses of a word without other groups
	maxSpread    = .65 // of the authors that a word of all would have, without other groups
	minBond      = .35 // share of the uses of one part that are beside the other part
	chance       = 8   // how often the parts of a short reply occur together, compared with chance
	mostly       = .5  // share of uses as a whole message, from which a form is a saying
	mostlyEnds   = .85
	examples     = 6
	perPerson    = 2 // examples of one person
)

// Learn returns the expressions in the messages of one group, which are in order of time, best first. It reads the latest 8,000.
func Learn(now time.Time, messages []Message, o Options) []Expression {
	l := learner{counter: count(messages), o: o, everyday: everydayWords(), saidBy: map[string]int{}}
	if l.counted == 0 {
		return nil
	}
	l.each(func(i int, _ []unit) { l.saidBy[l.messages[i].Person]++ })
	var found []candidate
	for h, f := range l.forms {
		if c, ok := l.judge(h, f); ok {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.count, a.count), strings.Compare(a.text, b.text))
	})
	found = withoutParts(found[:min(len(found), 600)])
	found = found[:min(len(found), cmp.Or(o.Limit, 60))]
	all := make([]Expression, 0, len(found))
	for _, c := range found {
		if e, ok := l.expression(c); ok && e.Weight(now) >= minWeight {
			all = append(all, e)
		}
	}
	return all
}

type learner struct {
	*counter
	o        Options
	everyday map[string]bool
	saidBy   map[string]int // messages by author
}

// A candidate is a form that is an expression by itself.
type candidate struct {
	*form
	situation  Situation
	confidence float64
}

func (l *learner) isSaying(f *form) bool {
	return float64(f.whole) >= mostly*float64(f.count) || float64(f.ends) >= mostlyEnds*float64(f.count)
}

// judge decides whether a form is an expression.
func (l *learner) judge(h uint64, f *form) (candidate, bool) {
	switch n := float64(f.count); {
	case f.count < minCount, f.people.n < minPeople, f.days.n < minDays,
		float64(f.people.top(none)) > maxOfOne*n, float64(f.days.top(none)) > maxOfDay*n,
		float64(f.left.top(none)) > maxNeighbour*n, float64(f.right.top(none)) > maxNeighbour*n,
		!l.mayBe(f), f.units > 1 && l.bond(f) < minBond && !l.shortReply(f):
		return candidate{}, false
	}
	c := candidate{form: f}
	if l.isSaying(f) {
		c.situation = l.situation(f)
	}
	ratio := l.ratio(h, f)
	switch {
	case l.o.Corpus.alone():
		if c.situation == "" && (f.count < minAlone || float64(f.people.n) > maxSpread*l.expectedPeople(f)) {
			return c, false
		}
		ratio = 2 * minRatio // not compared
	case ratio < minRatio+min(float64(f.count)/8, minRatio): // a frequent form is frequent elsewhere by chance, too
		return c, false
	}
	c.confidence = (1 - math.Exp(-float64(f.count-2)/5)) * (1 - math.Exp2(-float64(f.people.n))) * min(1, math.Log2(ratio)/4)
	if c.situation != "" { // it has a use
		c.confidence = math.Sqrt(c.confidence)
	}
	return c, true
}

// ratio is the frequency of a form here to that elsewhere.
func (l *learner) ratio(h uint64, f *form) float64 {
	share := float64(f.count) / float64(l.counted)
	smooth := 1 / float64(l.counted)
	return (share + smooth) / (l.o.Corpus.elsewhere(h, share) + smooth)
}

// expectedPeople is the number of authors that a form would have if all used it alike.
func (l *learner) expectedPeople(f *form) (n float64) {
	for _, said := range l.saidBy {
		n += 1 - math.Pow(1-float64(said)/float64(l.counted), float64(f.count))
	}
	return min(n, tallySize)
}

// mayBe reports whether a form is long enough, no everyday word and no name.
func (l *learner) mayBe(f *form) bool {
	switch {
	case l.everyday[f.text], strings.IndexFunc(f.text, unicode.IsLetter) < 0:
		return false
	case f.units == 1 && f.han && float64(f.ends) < .9*float64(f.count):
		return false
	case f.units == 1 && !f.han && len(f.text) < 2:
		return false
	}
	for _, name := range l.names {
		if f.units > 1 && strings.Contains(name, f.text) {
			return false
		}
	}
	return true
}

// bond tells how much a form is a unit: for the two parts where it is lowest, the share of uses of one part that are beside the other.
func (l *learner) bond(f *form) float64 {
	units, lowest := split(nil, f.text), 1.
	for at := 1; at < len(units); at++ {
		lowest = min(lowest, float64(f.count)/min(l.uses(units[:at]), l.uses(units[at:])))
	}
	return lowest
}

// shortReply reports whether a form is mostly a message of two or three units, whose parts occur together more often than by chance.
func (l *learner) shortReply(f *form) bool {
	if f.units > 3 || float64(f.whole) < mostly*float64(f.count) {
		return false
	}
	units := split(nil, f.text)
	for at := 1; at < len(units); at++ {
		if float64(f.count)*float64(l.length) < chance*l.uses(units[:at])*l.uses(units[at:]) {
			return false
		}
	}
	return true
}

// uses returns how often a sequence of units occurs.
func (l *learner) uses(units []unit) float64 {
	if len(units) == 1 {
		return float64(max(1, l.singles[units[0].hash]))
	}
	h := uint64(0)
	for _, u := range units {
		h = join(h, u.hash)
	}
	if f := l.forms[h]; f != nil {
		return float64(f.count)
	}
	return minCount
}

// withoutParts keeps one form of those that contain each other: the longer one if most uses of the shorter one are in it.
func withoutParts(found []candidate) []candidate {
	drop := make([]bool, len(found))
	for i := range found {
		for j := range found {
			short, long := &found[i], &found[j]
			if i == j || short.units >= long.units || !strings.Contains(long.text, short.text) {
				continue
			}
			if float64(long.count) >= .65*float64(short.count) {
				drop[i] = true
			} else {
				drop[j] = true
			}
		}
	}
	kept := found[:0]
	for i, c := range found {
		if !drop[i] {
			kept = append(kept, c)
		}
	}
	return kept
}

// expression converts a candidate. It returns false if its last uses are of one person.
func (l *learner) expression(c candidate) (Expression, bool) {
	e := Expression{Kind: Word, Form: c.text, Count: c.count, People: int(c.people.n), Confidence: c.confidence}
	if l.isSaying(c.form) {
		e.Kind, e.Situation = Saying, c.situation
	}
	of := map[string]int{}
	for _, i := range slices.Backward(c.uses) {
		m := &l.messages[i]
		if e.Last.IsZero() {
			e.Last = m.At
			e.Gap = e.Last.Sub(l.messages[c.firstUse].At) / time.Duration(c.count)
		}
		if of[m.Person]++; of[m.Person] <= perPerson && len(e.Examples) < examples {
			e.Examples = append(e.Examples, Example{ID: m.ID, Person: m.Person, Text: m.Text})
		}
	}
	return e, len(of) >= minPeople
}

// situation returns the situation that a form answers much more often than other messages do.
func (l *learner) situation(f *form) Situation {
	best, at := 0., 0
	for i := 1; i < nSituations; i++ {
		share := float64(f.situations[i]) / float64(f.count)
		if share >= .4 && f.situations[i] >= 3 && share >= 2*float64(l.total[i])/float64(l.counted) && share > best {
			best, at = share, i
		}
	}
	return situationAt(at)
}
