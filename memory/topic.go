package memory

import (
	"math"
	"time"
)

const (
	turnGap         = time.Minute      // a longer pause begins a new turn
	topicGap        = 30 * time.Minute // a longer pause begins a new topic
	minTopicWords   = 12               // minimum number of different words on both sides
	topicSimilarity = .04              // below this cosine the topics differ
)

// turnBegins reports whether next begins a turn. It does if it is the first message of another person after one of the
// bot, or after a pause of more than a minute.
func turnBegins(last, next Record) bool {
	return last.Own && !next.Own || next.At.Sub(last.At) > turnGap
}

// topicChanged reports whether latest has another topic than before. It does after a pause of half an hour. It also
// does if the cosine of the word counts is below .04 and both sides have at least 12 different words. Words are stemmed
// words and pairs of Han characters.
func topicChanged(before, latest []Record) bool {
	if len(before) == 0 || len(latest) == 0 {
		return false
	}
	if latest[0].At.Sub(before[len(before)-1].At) > topicGap {
		return true
	}
	a, b := countWords(before, false), countWords(latest, false)
	if len(a) < minTopicWords || len(b) < minTopicWords {
		return false
	}
	var ab, aa, bb float64
	for term, n := range a { // sums of integers, so the order does not matter
		ab, aa = ab+n*b[term], aa+n*n
	}
	for _, n := range b {
		bb += n * n
	}
	return ab/math.Sqrt(aa*bb) < topicSimilarity
}

// countWords counts the words of messages. Without glyphs it ignores single Han characters, because they say little
// about the topic.
func countWords(recs []Record, glyphs bool) map[uint64]float64 {
	var b bag
	n := map[uint64]float64{}
	for i := range recs {
		b.reset()
		b.read(recs[i].Text[:min(len(recs[i].Text), maxIndexed)])
		for _, term := range b.words {
			if term&^termMask == termBorder {
				continue
			}
			if glyphs || term&termGlyph != termGlyph || term&termMask >= 1<<21 {
				n[term]++
			}
		}
	}
	return n
}
