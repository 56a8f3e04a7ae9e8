package lookback

import (
	"math"
	"slices"
)

// The weights of links are tables. The properties of two lines select one weight in each table, and the sum over all
// tables tells how well the later line continues the earlier one. The softmax over the candidates, including none,
// gives their chances.
var tables = []struct {
	Name string
	At   int
}{
	{"same_distance_to", atSameDistanceTo},
	{"same_gap", atSameGap},
	{"to_from_since", atToFromSince},
	{"to_from_between", atToFromBetween},
	{"words_distance", atWordsDistance},
	{"class_class", atClassClass},
	{"partners", atPartners},
	{"new_new_to", atNewNewTo},
	{"same_addressee", atSameAddressee},
	{"distance_gap", atDistanceGap},
	{"since_between", atSinceBetween},
	{"called_since", atCalledSince},
	{"begins_class", atBeginsClass},
	{"begins_own_gap", atBeginsOwnGap},
	{"begins_gap", atBeginsGap},
}

// Offsets of the tables.
const (
	atSameDistanceTo = 0
	atSameGap        = atSameDistanceTo + 2*10*relations
	atToFromSince    = atSameGap + 2*10
	atToFromBetween  = atToFromSince + 2*relations*relations*4
	atWordsDistance  = atToFromBetween + 2*relations*relations*4
	atClassClass     = atWordsDistance + 4*10
	atPartners       = atClassClass + 2*classes*classes
	atNewNewTo       = atPartners + 4*relations*relations
	atSameAddressee  = atNewNewTo + 3*3*relations
	atDistanceGap    = atSameAddressee + 3*2*relations
	atSinceBetween   = atDistanceGap + 10*10
	atCalledSince    = atSinceBetween + 4*4*2
	atBeginsClass    = atCalledSince + 4*relations*2
	atBeginsOwnGap   = atBeginsClass + classes*3*4
	atBeginsGap      = atBeginsOwnGap + 10*4

	// LinkWeights is the number of weights in all tables.
	LinkWeights = atBeginsGap + 10*classes
)

const (
	pairTables  = 12
	beginTables = 3
)

// end returns the end of table i.
func end(i int) int {
	if i+1 < len(tables) {
		return tables[i+1].At
	}
	return LinkWeights
}

// A pair holds the weight indexes of a candidate.
type pair [pairTables]int32

// candidates returns how many of the last lines a line may continue.
func (c *Chat) candidates() int { return min(len(c.Lines), reach) }

// A walk goes back from a line that is not added yet, from candidate to candidate.
type walk struct {
	l       *Line
	newness int // of l
	between int // lines of its author so far
}

func walkFrom(l *Line) walk { return walk{l: l, newness: newness(l.Said)} }

// places sets p to the weight indexes for a link from the line of k to the line n+1 back. n counts up from 0.
func (c *Chat) places(k *walk, n int, p *pair) {
	l, x := k.l, c.line(c.Count-1-int64(n))
	same := 0
	if x.From == l.From {
		same = 1
	}
	since, called := 3, 3
	if a := &c.People[x.Slot]; a.Hash == x.From {
		since, called = upTo3(int64(a.Lines)-int64(x.Said)-1), upTo3(int64(a.Called)-int64(x.Called))
	}
	d, g := stepOfDistance[n], gap(l.At-x.At)
	to, from := toNobody, toNobody
	if l.Names > 0 {
		to = l.relation(x.From)
	}
	if x.Names > 0 {
		from = x.relation(l.From)
	}
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
	b := min(k.between, 3)
	*p = pair{
		int32(atSameDistanceTo + (same*10+d)*relations + to),
		int32(atSameGap + same*10 + g),
		int32(atToFromSince + ((same*relations+to)*relations+from)*4 + since),
		int32(atToFromBetween + ((same*relations+to)*relations+from)*4 + b),
		int32(atWordsDistance + l.Words.shared(&x.Words, 3)*10 + d),
		int32(atClassClass + (same*classes+int(x.Class))*classes + int(l.Class)),
		int32(atPartners + (partners*relations+to)*relations + from),
		int32(atNewNewTo + (newness(x.Said)*3+k.newness)*relations + to),
		int32(atSameAddressee + (addressee*2+same)*relations + since),
		int32(atDistanceGap + d*10 + g),
		int32(atSinceBetween + (since*4+b)*2 + same),
		int32(atCalledSince + (called*relations+to)*2 + same),
	}
	k.between += same
}

// begins returns the weight indexes for l without a link.
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
		int32(atBeginsClass + (int(l.Class)*3+newness(l.Said))*4 + to),
		int32(atBeginsOwnGap + own*4 + to),
		int32(atBeginsGap + last*classes + int(l.Class)),
	}
}

// Upper limits of the steps of distances, and of gaps in seconds. Longer ones are one step more.
var (
	distances = [...]int{1, 2, 3, 4, 6, 9, 14, 22, 34}
	gaps      = [...]int64{14, 29, 59, 119, 239, 479, 899, 1799, 3599}
)

// stepOfDistance is the step of the distance n+1 at n.
var stepOfDistance = func() (steps [reach]int) {
	for n := 1; n < reach; n++ {
		steps[n] = steps[n-1]
		if at := steps[n]; at < len(distances) && n+1 > distances[at] {
			steps[n]++
		}
	}
	return steps
}()

const gapUnit = 15

// stepOfGap is the step of a gap of n times gapUnit seconds, at n. All gaps in the same unit have the same step.
var stepOfGap = func() (steps [3600/gapUnit + 1]uint8) {
	for n := range steps {
		for _, most := range gaps {
			if int64(n)*gapUnit > most {
				steps[n]++
			}
		}
	}
	return steps
}()

// gap returns the step of a time between two lines.
func gap(seconds int64) int {
	return int(stepOfGap[min(max(seconds, 0)/gapUnit, int64(len(stepOfGap)-1))])
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

// Links are the chances of the links of a line: to line Count-1-i of the chat at P[i], to none at None.
type Links struct {
	P    [reach]float32
	N    int
	None float32
}

// gone is the sum of the weights of a recalled line.
const gone = -1e9

// sum returns the sum of the weights.
func (p *pair) sum(w *[LinkWeights]float32) float32 {
	return w[p[0]] + w[p[1]] + w[p[2]] + w[p[3]] + (w[p[4]] + w[p[5]] + w[p[6]] + w[p[7]]) + (w[p[8]] + w[p[9]] + w[p[10]] + w[p[11]])
}

// links computes the chances of the candidates of l.
func (c *Chat) links(l *Line, weights []float32, out *Links) {
	w := (*[LinkWeights]float32)(weights)
	out.N = c.candidates()
	none := float32(0)
	for _, i := range c.begins(l) {
		none += w[i]
	}
	var best float32
	if l.Names == 0 && len(weights) == allWeights {
		best = c.unnamed(l, (*[allWeights]float32)(weights), out, none)
	} else {
		best = c.named(l, w, out, none)
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

// named sets out to the sums of the weights of places, and returns the highest one, or best if that is higher.
func (c *Chat) named(l *Line, w *[LinkWeights]float32, out *Links, best float32) float32 {
	walk := walkFrom(l)
	var p pair
	for i := range out.N {
		c.places(&walk, i, &p)
		if out.P[i] = p.sum(w); c.line(c.Count - 1 - int64(i)).Gone {
			out.P[i] = gone
		}
		best = max(best, out.P[i])
	}
	return best
}

// Study adds a message like Observe, for training. It returns the weight indexes of every candidate: the line i+1
// back at i, and none at the end.
func (c *Chat) Study(in *Input) (places [][]int32) {
	l := c.newLine(in)
	walk := walkFrom(&l)
	var p pair
	for i := range c.candidates() {
		c.places(&walk, i, &p)
		places = append(places, slices.Clone(p[:]))
	}
	begins := c.begins(&l)
	places = append(places, begins[:])
	c.add(&l)
	return places
}
