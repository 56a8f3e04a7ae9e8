package memory

import (
	"math"
	"time"
)

const (
	turnPause  = time.Minute      // what comes so much later is another turn
	shiftPause = 30 * time.Minute // and so much later another talk
	shiftLeast = 12               // words or pairs of glyphs that both sides must have to be compared
	shiftSame  = .04              // cosine below which they are about different things
)

// TurnBegins reports whether next begins a turn: a turn is what was heard together and what was answered. It begins with the first message of
// others after one of the being's own, and after a pause of more than a minute.
func TurnBegins(last, next Record) bool {
	return last.Own && !next.Own || next.At.Sub(last.At) > turnPause
}

// TopicShift reports whether the latest messages are about something else than those before: half an hour lies between them, or they share
// hardly a word: the cosine of their counts of words, and of pairs of Han glyphs, is below .04, with a dozen different ones on each side. What is said all
// the time, a greeting for one, is little against that.
func TopicShift(before, latest []Record) bool {
	if len(before) == 0 || len(latest) == 0 {
		return false
	}
	if latest[0].At.Sub(before[len(before)-1].At) > shiftPause {
		return true
	}
	a, b := tally(before, false), tally(latest, false)
	if len(a) < shiftLeast || len(b) < shiftLeast {
		return false
	}
	var ab, aa, bb float64
	for term, n := range a { // sums of whole numbers: their order does not show
		ab, aa = ab+n*b[term], aa+n*n
	}
	for _, n := range b {
		bb += n * n
	}
	return ab/math.Sqrt(aa*bb) < shiftSame
}

// tally counts the words of messages. A single glyph says little of what they are about.
func tally(recs []Record, glyphs bool) map[uint64]float64 {
	var b bag
	n := map[uint64]float64{}
	for i := range recs {
		b.reset()
		b.read(recs[i].Text[:min(len(recs[i].Text), maxIndexed)])
		for _, term := range b.words {
			if glyphs || term&termGlyph != termGlyph || term&termMask >= 1<<21 {
				n[term]++
			}
		}
	}
	return n
}
