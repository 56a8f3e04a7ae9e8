package facts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWordSet(t *testing.T) {
	s := setOf(" 爱 爱上 爱上了 -可爱 猫 -熊猫")
	for text, want := range map[string]string{
		"我爱猫": "我|爱|猫", "我爱上了猫": "我|爱上了|猫", "可爱": "可爱||", "可爱，我爱": "可爱，我|爱|", "": "||", "熊猫": "熊猫||", "abc": "abc||",
	} {
		before, w, after := s.find(text)
		assert.Equal(t, want, strings.Join([]string{before, w, after}, "|"), text)
	}
	before, w, after := s.findLast("爱一只猫吧")
	assert.Equal(t, []string{"爱一只", "猫", "吧"}, []string{before, w, after})
	assert.Equal(t, "猫", s.ends("一只猫"))
	assert.Empty(t, s.ends("一只熊猫"), "a longer word hides it")
	assert.Equal(t, "吧", s.cutAll("爱爱上猫吧"))
	assert.True(t, s.is("爱上"))
	assert.False(t, s.is("爱上谁"))

	english := setOf("|work at|work|-work out")
	_, w, _ = english.find("i work at home")
	assert.Equal(t, "work at", w)
	assert.False(t, english.in("homework"), "inside a word")
	assert.False(t, english.in("i work out"))

	both := unionOf(s, english)
	assert.True(t, both.in("我爱你"))
	assert.True(t, both.in("to work"))
	assert.False(t, both.in("狗"))
}

// A list begins with its separator, and positions in it fit into 16 bits.
func TestWordSet_Lists(t *testing.T) {
	for _, s := range []*wordSet{cities, firms, roles, animals, loving, hating, lovely, cooling, fillers, jobEnds, enLove, enPlan} {
		assert.Contains(t, " |", s.list[:1])
		assert.Less(t, len(s.list), 1<<16)
		for _, e := range s.split() {
			if w := s.word(e); !s.hides(e) {
				assert.True(t, s.is(w), w)
			}
		}
	}
}
