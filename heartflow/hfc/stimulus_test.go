package hfc

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

func TestFeelingMultipliesWillingness(t *testing.T) {
	assert.InDelta(t, 1, Feeling{Energy: 1}.gain(), 1e-9)
	assert.InDelta(t, .5, Feeling{}.gain(), 1e-9)
	assert.InDelta(t, 1.5, Feeling{Valence: 1, Arousal: 1, Energy: 1}.gain(), 1e-9)
	assert.InDelta(t, .25, Feeling{Valence: -1, Arousal: -1}.gain(), 1e-9)

	chance := func(f *Flow[string]) float64 {
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		f.Due(noon)
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		return f.Judge(noon, "g").Score
	}
	even, sad := fixed(Options{}), fixed(Options{})
	sad.SetMood(-1)
	assert.InDelta(t, chance(even)*.75, chance(sad), 1e-9)
}

func TestWillingnessIsToldWhatBecameOfAReply(t *testing.T) {
	f := fixed(Options{})
	f.being.willing = func() willingness { return &counting{chance: 1} }
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(noon)
	reply := func(end func()) string {
		f.Observe(noon, "g", heartflow.Message{From: "6", AtMe: true, Text: "在吗"})
		f.Observe(noon, "g", heartflow.Message{From: "5", Text: "早"})
		require.Equal(t, heartflow.Ask, f.Judge(noon, "g").Do)
		f.chats.subs["g"].willing.(*counting).told = nil
		end()
		return strings.Join(f.chats.subs["g"].willing.(*counting).told, " ")
	}
	assert.Equal(t, "sent 6", reply(func() {
		require.NoError(t, f.Speak(noon, "g", "在"))
		require.NoError(t, f.Speak(noon, "g", "怎么了"))
	}), "one reply of two messages, to who called")
	assert.Equal(t, "dropped 6", reply(func() { f.SkipTurn(noon, "g", heartflow.WhyModelSilent) }))
	assert.Equal(t, "dropped 6", reply(func() { f.Judge(noon, "g") }), "the next verdict ends the turn")
	f.Observe(noon, "g", heartflow.Message{From: "6"})
	assert.Equal(t, "", reply(func() { require.NoError(t, f.SpeakUnprompted(noon, "g", "早", "owner")) }), "that answers nothing")
}

// counting keeps what it is told.
type counting struct {
	classical
	chance float64
	seed   uint64
	heard  []string
	told   []string
}

func (c *counting) Seed(s uint64) { c.seed = s }
func (c *counting) Chance(_ time.Time, s stimulus) float64 {
	c.heard = append(c.heard, s.From)
	return c.chance
}
func (c *counting) Began(_ time.Time, from string)   { c.told = append(c.told, "began "+from) }
func (c *counting) Sent(_ time.Time, from string)    { c.told = append(c.told, "sent "+from) }
func (c *counting) Dropped(_ time.Time, from string) { c.told = append(c.told, "dropped "+from) }

func TestValueAndRelationAreTheHosts(t *testing.T) {
	var got []stimulus
	f := fixed(Options{
		MessageInterest: func(m heartflow.Message, called bool) float64 { return float64(len(m.Text)) },
		Relation:        func(chat, from string) int { return len(chat) + len(from) },
	})
	f.being.willing = func() willingness { return stimulated{&got} }
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "a"})
	f.Due(noon)
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "ab"})
	f.Observe(noon, "g", heartflow.Message{From: "8", Text: "[图片]"})
	f.Judge(noon, "g")
	assert.Equal(t, []stimulus{
		{From: "7", Interest: 2, Relation: 2, Gain: 1},
		{From: "8", Interest: 8, Relation: 2, Gain: 1, EmojiOnly: true},
	}, got)
}

type stimulated struct{ to *[]stimulus }

func (s stimulated) Chance(_ time.Time, x stimulus) float64 {
	*s.to = append(*s.to, x)
	return 0
}
func (stimulated) Began(time.Time, string)      {}
func (stimulated) Sent(time.Time, string)       {}
func (stimulated) Dropped(time.Time, string)    {}
func (stimulated) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (stimulated) UnmarshalJSON([]byte) error   { return nil }

func TestValue(t *testing.T) {
	topics := topicsOf([]string{"空洞骑士", "telescope"})
	assert.Zero(t, value("今天吃什么", false, topics, nil))
	assert.InDelta(t, 1, value("今天吃什么", true, topics, nil), 1e-9)
	assert.InDelta(t, 1.5, value("空洞骑士好玩", false, topics, nil), 1e-9)
	assert.InDelta(t, .5, value("a new Telescope!", false, topics, nil), 1e-9)
	assert.InDelta(t, 2, value("空洞骑士，空洞骑士 telescope", false, topics, nil), 1e-9, "each once, four at most")
	assert.InDelta(t, .5, value("还有羊肉吗", false, topics, topicsOf([]string{"我最爱羊肉"})), 1e-9, "of what it has just said")
	assert.True(t, emojiOnly(heartflow.Message{Text: " [图片] "}))
	assert.True(t, emojiOnly(heartflow.Message{}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[图片] 看"}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[图片][图片]，看]"}))
}
