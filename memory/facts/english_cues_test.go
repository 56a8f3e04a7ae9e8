package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The index finds the same kinds of cues as the sets.
func TestCueIndex(t *testing.T) {
	for _, k := range enCues.kinds {
		for _, s := range k.sets {
			for _, e := range s.split() {
				if w := s.word(e); firstWord(w) != "" && s.list[e.at-1] != '-' && !enCommon.is(w) {
					assert.NotZero(t, enCues.in(w)&k.kind, w)
					assert.NotZero(t, enCues.in("then we "+w+", as it were")&k.kind, w)
				}
			}
		}
	}
	for text, want := range map[string]uint8{
		"": 0, "haha": 0, "good morning": 0, "that was a good match": 0, "with my": 0, "moved toward": otherCues | strongCues,
		"moved to": otherCues | homeCues | strongCues, "a category": 0, "a cat": petCues | strongCues, "i got a cat": jobCues | petCues | strongCues,
	} {
		assert.Equal(t, want, enCues.in(text), text)
	}
}
