package lookback

import "slices"

// Between two lines that name nobody, most indexes of the tables of links follow from few properties. The sums of these weights
// are tables, too. Compile appends them to the weights of a model.
const (
	atTimes    = LinkWeights       // by author, distance and gap
	atTurns    = atTimes + 2*10*10 // by author, later lines of the earlier author, and lines of the later one between
	allWeights = atTurns + 2*4*4
)

// withSums returns weights with the sums.
func withSums(weights []float32) []float32 {
	w := slices.Grow(slices.Clone(weights[:LinkWeights]), allWeights-LinkWeights)[:allWeights]
	for same := range 2 {
		for d := range 10 {
			for g := range 10 {
				w[atTimes+(same*10+d)*10+g] = w[atSameDistanceTo+(same*10+d)*relations] + w[atSameGap+same*10+g] + w[atDistanceGap+d*10+g]
			}
		}
		for since := range 4 {
			for b := range 4 {
				w[atTurns+(same*4+since)*4+b] = w[atToFromSince+same*relations*relations*4+since] + w[atToFromBetween+same*relations*relations*4+b] +
					w[atSameAddressee+same*relations+since] + w[atSinceBetween+(since*4+b)*2+same]
			}
		}
	}
	return w
}

// unnamed sets out to the sums of the weights of places for a line that names nobody, and returns the highest one, or best if that is
// higher.
func (c *Chat) unnamed(l *Line, w *[allWeights]float32, out *Links, best float32) float32 {
	k := walkFrom(l)
	people := c.People
	for i := range out.N {
		x := c.line(c.Count - 1 - int64(i))
		var s float32
		if x.Names > 0 {
			s, k = c.sumOfPlaces(k, i, w)
		} else {
			same, partners := 0, 0
			if x.From == l.From {
				same = 1
			}
			if l.Before == x.From {
				partners = 1
			}
			if x.Other == l.From {
				partners += 2
			}
			since, called := 3, 3
			if a := &people[x.Slot]; a.Hash == x.From {
				since, called = upTo3(int64(a.Lines)-int64(x.Said)-1), upTo3(int64(a.Called)-int64(x.Called))
			}
			shared := 0
			if !l.Words.differ(&x.Words) {
				shared = l.Words.shared(&x.Words, 3)
			}
			d, b := stepOfDistance[i], min(k.between, 3)
			k.between += same
			s = w[atTimes+(same*10+d)*10+gap(l.At-x.At)] + w[atTurns+(same*4+since)*4+b] + w[atWordsDistance+shared*10+d] +
				w[atClassClass+(same*classes+int(x.Class))*classes+int(l.Class)] + w[atPartners+partners*relations*relations] +
				w[atNewNewTo+(newness(x.Said)*3+k.newness)*relations] + w[atCalledSince+called*relations*2+same]
		}
		if x.Gone {
			s = gone
		}
		out.P[i] = s
		if s > best { // max has more to check
			best = s
		}
	}
	return best
}

// sumOfPlaces returns the sum of the weights of places, and the walk after it.
func (c *Chat) sumOfPlaces(k walk, n int, w *[allWeights]float32) (float32, walk) {
	var p pair
	c.places(&k, n, &p)
	return p.sum((*[LinkWeights]float32)(w[:])), k
}

// upTo3 returns n, at least 0 and at most 3. It has no branch, because that would be mispredicted often.
func upTo3(n int64) int {
	n = n&^(n>>63) - 3
	return int(n&(n>>63) + 3)
}
