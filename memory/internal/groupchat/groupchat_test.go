package groupchat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNew_SameSeedSameChat(t *testing.T) {
	for _, p := range append(Tuning(), Unseen()...) {
		for _, english := range []bool{false, true} {
			o := Options{Seed: 7, Phrasings: p, English: english, Messages: 1000}
			assert.Equal(t, New(o), New(o), p.Name)
			other := o
			other.Seed++
			assert.NotEqual(t, New(o), New(other), p.Name)
		}
	}
}

// Every set has phrasings of the same kinds, and no held-out phrasing is in a set from which package facts learns.
func TestPhrasings(t *testing.T) {
	tuning := Tuning()
	require.NotEmpty(t, tuning)
	for _, p := range append(Unseen(), tuning[1:]...) {
		for kind := range tuning[0].texts {
			assert.NotEmpty(t, p.texts[kind], "%s: %s", p.Name, kind)
		}
	}
	learned := learnedTexts()
	require.True(t, learned["like.self"+tuning[0].texts["like.self"][0]], "control")
	for _, p := range Unseen() {
		for kind, texts := range p.texts {
			for _, text := range texts {
				assert.False(t, learned[kind+text], p.Name)
			}
		}
	}
}

func TestSamples(t *testing.T) {
	p := Parse("one", "# a comment\n[like.self]\n我喜欢{like}\n[like.other]\n{n}喜欢{like}\n[noise]\n早\n[=like]\n香菜 榴莲\n[=name]\n小王 小李 小张\n[=city]\n成都\n[=firm]\n腾讯\n[=role]\n老师\n[=pet]\n猫\n[=plan]\n考研|买车\n")
	all, names := Samples(Options{Phrasings: p}, 20)
	require.Len(t, all, 60)
	assert.Len(t, names, 24)
	for _, s := range all {
		switch s.Kind {
		case "like.self":
			assert.Equal(t, s.Record.Person, s.Subject)
			assert.Equal(t, "我喜欢"+s.Values[0], s.Record.Text)
		case "like.other":
			assert.NotEqual(t, s.Record.Person, s.Subject)
			assert.Equal(t, names[s.Subject]+"喜欢"+s.Values[0], s.Record.Text)
		default:
			assert.Empty(t, s.Subject)
			assert.Equal(t, "早", s.Record.Text)
		}
	}
}

// The numbers of doc.go.
func TestNew_Difficulty(t *testing.T) {
	if testing.Short() {
		t.Skip("generates three whole chats")
	}
	for seed := range uint64(3) {
		chat := New(Options{Seed: seed, Phrasings: Tuning()[0]})
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
