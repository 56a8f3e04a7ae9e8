package expressions

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	minCount     = 4      // uses of a form that is kept
	maxMessages  = 12_000 // that are read, the latest
	maxForms     = 40_000 // that are counted exactly
	tallySize    = 12     // neighbours, authors and days of a form that are told apart
	maxUses      = 12     // messages of a form that are remembered
	approxBits   = 17     // of the hash in the first pass
	longText     = 9      // units from which a repeated text of one author counts once
	nSituations  = len(situations) + 2
	openingIndex = nSituations - 1
)

// A tally counts the most frequent values. A value that comes when it is full replaces the rarest one and continues its count, so counts of
// frequent values are nearly exact.
type tally struct {
	values [tallySize]uint32
	counts [tallySize]uint16
	n      uint8
}

func (t *tally) add(v uint32) {
	rarest := 0
	for i := range int(t.n) {
		if t.values[i] == v {
			t.counts[i]++
			return
		}
		if t.counts[i] < t.counts[rarest] {
			rarest = i
		}
	}
	if t.n < tallySize {
		t.values[t.n], t.counts[t.n] = v, 1
		t.n++
		return
	}
	t.values[rarest] = v
	t.counts[rarest]++
}

// top returns the highest count of a value other than one.
func (t *tally) top(but uint32) (n int) {
	for i := range int(t.n) {
		if t.values[i] != but {
			n = max(n, int(t.counts[i]))
		}
	}
	return n
}

// none is the neighbour of a form at the edge of a sentence.
const none = 0

// A form is what is counted of a sequence of units.
type form struct {
	text        string
	units       int
	han         bool // its units are Han characters
	count       int  // messages with it
	whole, ends int  // messages that are nothing else, sentences that it ends
	seen        int  // the last message that was counted, plus one
	left, right tally
	people      tally
	days        tally
	situations  [nSituations]uint16
	firstUse    int
	uses        []int32 // indexes of the last messages
}

// A counter counts the forms in the messages of one group, in two passes: the first finds the forms that may be frequent.
type counter struct {
	messages   []Message
	names      []string // of the authors, longest first
	texts      []string
	situations []uint8 // of what each message answers
	total      [nSituations]int
	counted    int // messages by somebody
	length     int // units in them
	approx     []uint8
	forms      map[uint64]*form
	singles    map[uint64]int32 // uses of each unit
}

// newCounter returns a counter of the latest messages, which are in order of time.
func newCounter(messages []Message) *counter {
	messages = messages[max(0, len(messages)-maxMessages):]
	c := &counter{messages: messages, texts: make([]string, len(messages))}
	c.readNames()
	pairs := make([]string, 0, 2*len(c.names))
	for _, name := range c.names {
		pairs = append(pairs, name, "\n")
	}
	r := strings.NewReplacer(pairs...)
	for i := range messages {
		c.texts[i] = r.Replace(foldText(messages[i].Text))
	}
	return c
}

// readNames reads the names of the authors. A name in a text ends a sentence.
func (c *counter) readNames() {
	seen := map[string]bool{}
	for i := range c.messages {
		raw := c.messages[i].Name
		if seen[raw] {
			continue
		}
		seen[raw] = true
		if name := strings.TrimSpace(foldText(raw)); utf8.RuneCountInString(name) >= 2 && !slices.Contains(c.names, name) {
			c.names = append(c.names, name)
		}
	}
	slices.SortFunc(c.names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
}

// count counts the forms of messages.
func count(messages []Message) *counter {
	c := newCounter(messages)
	c.approx, c.forms, c.singles = make([]uint8, 1<<approxBits), map[uint64]*form{}, map[uint64]int32{}
	c.answer()
	c.each(func(_ int, units []unit) {
		c.counted++
		c.length += len(units)
		for _, u := range units {
			c.singles[u.hash]++
		}
		c.sequences(units, func(h uint64, _, _ int) {
			if a := &c.approx[h>>(64-approxBits)]; *a < minCount {
				*a++
			}
		})
	})
	c.each(c.exact)
	c.approx = nil
	return c
}

// answer finds the situation that each message answers.
func (c *counter) answer() {
	c.situations = make([]uint8, len(c.messages))
	own := make([]uint8, len(c.messages))
	for i := range c.messages {
		m := &c.messages[i]
		own[i] = situationIndex(situationOfFolded(c.texts[i]))
		if m.Person == "" {
			continue
		}
		if i == 0 || m.At.Sub(c.messages[i-1].At) > silence {
			c.situations[i] = uint8(openingIndex)
		}
		for j := i - 1; j >= max(0, i-3) && m.At.Sub(c.messages[j].At) <= answerWithin; j-- {
			if c.messages[j].Person != m.Person && own[j] > 0 {
				c.situations[i] = own[j]
				break
			}
		}
		c.total[c.situations[i]]++
	}
}

// situationIndex is 0 for no situation.
func situationIndex(s Situation) uint8 {
	for i := range situations {
		if situations[i].situation == s {
			return uint8(i + 1)
		}
	}
	return 0
}

func situationAt(i int) Situation {
	switch {
	case i == 0:
		return ""
	case i == openingIndex:
		return Opening
	}
	return situations[i-1].situation
}

// each calls f with the units of each message that counts.
func (c *counter) each(f func(i int, units []unit)) {
	var units []unit
	seen := map[uint64]bool{} // long texts by author
	for i := range c.messages {
		if c.messages[i].Person == "" {
			continue
		}
		if units = split(units[:0], c.texts[i]); len(units) == 0 {
			continue
		}
		if len(units) >= longText {
			h := join(hashOf(c.texts[i]), hashOf(c.messages[i].Person))
			if seen[h] {
				continue
			}
			seen[h] = true
		}
		f(i, units)
	}
}

// sequences calls f for each form in a message.
func (c *counter) sequences(units []unit, f func(h uint64, from, to int)) {
	for i := range units {
		h := uint64(0)
		for j := i; j < min(i+maxUnits, len(units)) && (j == i || !units[j].first); j++ {
			h = join(h, units[j].hash)
			f(h, i, j+1)
		}
	}
}

func (c *counter) exact(i int, units []unit) {
	m, text := &c.messages[i], c.texts[i]
	person, day := uint32(hashOf(m.Person)), uint32(m.At.Unix()/int64((24*time.Hour)/time.Second))
	c.sequences(units, func(h uint64, from, to int) {
		if c.approx[h>>(64-approxBits)] < minCount {
			return
		}
		f := c.forms[h]
		if f == nil {
			if len(c.forms) >= maxForms {
				return
			}
			f = &form{text: text[units[from].from:units[to-1].to], units: to - from, han: isHan(units[from:to]), firstUse: i}
			c.forms[h] = f
		}
		if f.seen == i+1 {
			return // once a message
		}
		f.seen = i + 1
		f.count++
		before, after := uint32(none), uint32(none)
		if !units[from].first {
			before = uint32(units[from-1].hash)
		}
		if !units[to-1].last {
			after = uint32(units[to].hash)
		} else {
			f.ends++
		}
		if to-from == len(units) {
			f.whole++
		}
		f.left.add(before)
		f.right.add(after)
		f.people.add(person)
		f.days.add(day)
		f.situations[c.situations[i]]++
		if len(f.uses) == maxUses {
			f.uses = slices.Delete(f.uses, 0, 1)
		}
		f.uses = append(f.uses, int32(i))
	})
}

func isHan(units []unit) bool {
	return !slices.ContainsFunc(units, func(u unit) bool { return !u.han })
}
