package memory

import (
	"math"
	"time"
)

const (
	turnPause  = time.Minute      // a longer pause begins another turn
	shiftPause = 30 * time.Minute // a longer pause begins another topic
	shiftLeast = 12               // different words that both sides need for a comparison
	shiftSame  = .04              // below this cosine the topics differ
)

// turnBegins reports whether next begins a turn: next is the first message of somebody else after one of the bot, or it comes after a pause of more than
// a minute.
func turnBegins(last, next Record) bool {
	return last.Own && !next.Own || next.At.Sub(last.At) > turnPause
}

// topicShift reports whether latest has another topic than before. It does if half an hour lies between them, or if the cosine of their word counts is below
// .04 and both have a dozen different words. Words are stemmed words and pairs of Han characters.
func topicShift(before, latest []Record) bool {
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
