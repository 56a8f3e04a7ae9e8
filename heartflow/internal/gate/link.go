package gate

import (
	"math"
	"slices"
)

// The weights of links are tables: each is looked up by what two lines have to do with each other, and the sum over
// all tables is how well the later goes on with the earlier. Their softmax over the candidates, of which one is that
// the line begins something new, is the chance of each.
var tables = []struct {
	Name string
	Size int
}{
	{"same_distance_to", 2 * 10 * relations},
	{"same_gap", 2 * 10},
	{"to_from_since", 2 * relations * relations * 4},
	{"to_from_between", 2 * relations * relations * 4},
	{"words_distance", 4 * 10},
	{"class_class", 2 * classes * classes},
	{"partners", 4 * relations * relations},
	{"new_new_to", 3 * 3 * relations},
	{"same_addressee", 3 * 2 * relations},
	{"distance_gap", 10 * 10},
	{"since_between", 4 * 4 * 2},
	{"called_since", 4 * relations * 2},
	{"begins_class", classes * 3 * 4},
	{"begins_own_gap", 10 * 4},
	{"begins_gap", 10 * classes},
}

const (
	pairTables  = 12
	beginTables = 3
)

var offsets = func() (list [pairTables + beginTables + 1]int) {
	for i, t := range tables {
		list[i+1] = list[i] + t.Size
	}
	return list
}()

// LinkWeights is how many weights the tables have.
var LinkWeights = offsets[len(offsets)-1]

// A pair holds the places of a candidate's weights.
type pair [pairTables]int32

// candidates is how many of the last lines a line may go on with.
func (c *Chat) candidates() int { return min(len(c.Lines), reach) }

// places sets p to those of the weights of l, which is not kept yet, going on with the line n+1 back. between is how
// many lines of l's author are between the two, and is counted on.
func (c *Chat) places(l *Line, n int, between *int, p *pair) {
	x := c.line(c.Count - 1 - int64(n))
	same := 0
	if x.From == l.From {
		same = 1
	}
	since, called := 3, 3
	if a := &c.People[x.Slot]; a.Hash == x.From {
		since, called = min(max(int(a.Lines)-int(x.Said)-1, 0), 3), min(max(int(a.Called)-int(x.Called), 0), 3)
	}
	d, g := distance(n+1), gap(l.At-x.At)
	to, from := l.relation(x.From), x.relation(l.From)
	partners := 0
	if l.Before == x.From {
		partners |= 1
	}
	if x.Other == l.From {
		partners |= 2
	}
	addressee := 0
	if l.Names > 0 && x.Names > 0 {
		addressee = 1
		if l.To[0] == x.To[0] {
			addressee = 2
		}
	}
	b := min(*between, 3)
	*p = pair{
		int32(offsets[0] + (same*10+d)*relations + to),
		int32(offsets[1] + same*10 + g),
		int32(offsets[2] + ((same*relations+to)*relations+from)*4 + since),
		int32(offsets[3] + ((same*relations+to)*relations+from)*4 + b),
		int32(offsets[4] + l.Words.shared(&x.Words, 3)*10 + d),
		int32(offsets[5] + (same*classes+int(x.Class))*classes + int(l.Class)),
		int32(offsets[6] + (partners*relations+to)*relations + from),
		int32(offsets[7] + (newness(x.Said)*3+newness(l.Said))*relations + to),
		int32(offsets[8] + (addressee*2+same)*relations + since),
		int32(offsets[9] + d*10 + g),
		int32(offsets[10] + (since*4+b)*2 + same),
		int32(offsets[11] + (called*relations+to)*2 + same),
	}
	*between += same
}

// begins returns the places of the weights of l beginning something new.
func (c *Chat) begins(l *Line) [beginTables]int32 {
	to := 0
	switch {
	case l.Start:
		to = 1
	case l.Names > 0:
		to = 2
	case l.Before != 0:
		to = 3
	}
	own, last := 9, 9
	if p := &c.People[l.Slot]; p.Last >= 0 {
		own = gap(l.At - p.LastAt)
	}
	if c.Count > 0 {
		last = gap(l.At - c.line(c.Count-1).At)
	}
	return [beginTables]int32{
		int32(offsets[12] + (int(l.Class)*3+newness(l.Said))*4 + to),
		int32(offsets[13] + own*4 + to),
		int32(offsets[14] + last*classes + int(l.Class)),
	}
}

func distance(d int) int {
	switch {
	case d <= 4:
		return d - 1
	case d <= 6:
		return 4
	case d <= 9:
		return 5
	case d <= 14:
		return 6
	case d <= 22:
		return 7
	case d <= 34:
		return 8
	}
	return 9
}

func gap(seconds int64) int {
	for i, s := range [...]int64{15, 30, 60, 120, 240, 480, 900, 1800, 3600} {
		if seconds < s {
			return i
		}
	}
	return 9
}

func newness(lines uint32) int {
	switch {
	case lines == 0:
		return 0
	case lines < 5:
		return 1
	}
	return 2
}

// Links are the chances of what a line goes on with: line Count-1-i of the chat at P[i], something new at None.
type Links struct {
	P    [reach]float32
	N    int
	None float32
}

// links weighs the candidates of l.
func (c *Chat) links(l *Line, w []float32, out *Links) {
	out.N = c.candidates()
	none := float32(0)
	for _, i := range c.begins(l) {
		none += w[i]
	}
	best := none
	between := 0
	var p pair
	for i := range out.N {
		c.places(l, i, &between, &p)
		s := float32(0)
		for _, k := range p {
			s += w[k]
		}
		if c.line(c.Count - 1 - int64(i)).Gone {
			s = -1e9
		}
		out.P[i] = s
		best = max(best, s)
	}
	sum := float32(0)
	soft := func(s float32) float32 {
		if s < best-8 {
			return 0
		}
		e := float32(math.Exp(float64(s - best)))
		sum += e
		return e
	}
	out.None = soft(none)
	for i := range out.N {
		out.P[i] = soft(out.P[i])
	}
	for i := range out.N {
		out.P[i] /= sum
	}
	out.None /= sum
}

// Study takes a message as Hear does, for whoever learns the weights: it returns the places of the weights of every
// candidate, the line i+1 back at i, and at the end those of beginning something new.
func (c *Chat) Study(in *Input) (places [][]int32) {
	l := c.take(in)
	between := 0
	var p pair
	for i := range c.candidates() {
		c.places(&l, i, &between, &p)
		places = append(places, slices.Clone(p[:]))
	}
	begins := c.begins(&l)
	places = append(places, begins[:])
	c.keep(&l)
	return places
}
