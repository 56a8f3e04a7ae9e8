package groupchat

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNew_SameSeedSameChat(t *testing.T) {
	for name, p := range map[string]*Phrasings{"tuning": Tuning(), "unseen": Unseen()} {
		for _, english := range []bool{false, true} {
			o := Options{Seed: 7, Phrasings: p, English: english, Messages: 1000}
			assert.Equal(t, New(o), New(o), name)
			other := o
			other.Seed++
			assert.NotEqual(t, New(o), New(other), name)
		}
	}
}

// The two sets share no value, so rules cannot know them.
func TestPhrasings_HeldOut(t *testing.T) {
	tuning, unseen := Tuning(), Unseen()
	for slot, values := range unseen.values {
		for _, v := range values {
			assert.NotContains(t, tuning.values[slot], v)
		}
	}
	for kind, texts := range unseen.texts {
		assert.NotEmpty(t, texts, kind)
		for _, text := range texts {
			assert.NotContains(t, tuning.texts[kind], text)
		}
	}
}

// The numbers of doc.go.
func TestNew_Difficulty(t *testing.T) {
	if testing.Short() {
		t.Skip("generates three whole chats")
	}
	for seed := range uint64(3) {
		chat := New(Options{Seed: seed, Phrasings: Tuning()})
		assert.Len(t, chat.Records, 10_000)
		kinds, changed := map[QuestionKind]int{}, 0
		for _, q := range chat.Questions {
			kinds[q.Kind]++
			if q.Kind == Now && q.Changed {
				changed++
			}
		}
		t.Log(seed, len(chat.Questions), kinds, changed)
		assert.Greater(t, len(chat.Questions), 300)
		assert.Greater(t, changed, 50)
		for _, kind := range []QuestionKind{Now, Then, Since, Who, Meant} {
			assert.NotZero(t, kinds[kind], kind)
		}
	}
}
