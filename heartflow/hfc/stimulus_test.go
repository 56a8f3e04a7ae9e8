package hfc

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

func TestFeeling_Gain(t *testing.T) {
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

func TestWillingness_ReportsReplies(t *testing.T) {
	f := fixed(Options{})
	f.shared.newWillingness = func() willingness { return &counting{chance: 1} }
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(noon)
	reply := func(end func()) string {
		f.Observe(noon, "g", heartflow.Message{From: "6", AtMe: true, Text: "在吗"})
		f.Observe(noon, "g", heartflow.Message{From: "5", Text: "早"})
		require.Equal(t, heartflow.Ask, f.Judge(noon, "g").Do)
		f.chats.byKey["g"].willingness.(*counting).calls = nil
		end()
		return strings.Join(f.chats.byKey["g"].willingness.(*counting).calls, " ")
	}
	assert.Equal(t, "sent 6", reply(func() {
		require.NoError(t, f.Speak(noon, "g", "在"))
		require.NoError(t, f.Speak(noon, "g", "怎么了"))
	}), "one reply of two messages, to the author of the mention")
	assert.Equal(t, "dropped 6", reply(func() { f.SkipTurn(noon, "g", heartflow.WhyModelSilent) }))
	assert.Equal(t, "dropped 6", reply(func() { f.Judge(noon, "g") }), "the next verdict ends the turn")
	f.Observe(noon, "g", heartflow.Message{From: "6"})
	assert.Equal(t, "", reply(func() { require.NoError(t, f.Speak(noon, "g", "早", "owner")) }), "it answers nothing")
}

// counting records its calls.
type counting struct {
	classical
	chance  float64
	seed    uint64
	authors []string
	calls   []string
}

func (c *counting) Seed(s uint64) { c.seed = s }
func (c *counting) Chance(_ time.Time, s stimulus) float64 {
	c.authors = append(c.authors, s.From)
	return c.chance
}
func (c *counting) Began(_ time.Time, from string)   { c.calls = append(c.calls, "began "+from) }
func (c *counting) Sent(_ time.Time, from string)    { c.calls = append(c.calls, "sent "+from) }
func (c *counting) Dropped(_ time.Time, from string) { c.calls = append(c.calls, "dropped "+from) }

func TestOptions_InterestAndRelation(t *testing.T) {
	var got []stimulus
	f := fixed(Options{
		Arousal:         func(chat string) float64 { return float64(len(chat)) },
		MessageInterest: func(chat string, m heartflow.Message, addressed bool) float64 { return float64(len(chat + m.Text)) },
		Relation:        func(chat, from string) int { return len(chat) + len(from) },
	})
	f.shared.newWillingness = func() willingness { return stimulated{&got} }
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "a"})
	f.Due(noon)
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "ab"})
	f.Observe(noon, "g", heartflow.Message{From: "8", Text: "[图片]"})
	f.Judge(noon, "g")
	assert.Equal(t, []stimulus{
		{From: "7", Interest: 3, Relation: 2, Gain: 1.25},
		{From: "8", Interest: 9, Relation: 2, Gain: 1.25, EmojiOnly: true},
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

func TestTextInterest_SharedWords(t *testing.T) {
	topics := newTopicWords([]string{"空洞骑士", "telescope", "猫", "Go"})
	assert.Zero(t, textInterest("今天吃什么", false, topics, nil))
	assert.InDelta(t, 1, textInterest("今天吃什么", true, topics, nil), 1e-9)
	assert.InDelta(t, 1.5, textInterest("空洞骑士好玩", false, topics, nil), 1e-9)
	assert.InDelta(t, .5, textInterest("a new Telescope!", false, topics, nil), 1e-9)
	assert.InDelta(t, 2, textInterest("空洞骑士，空洞骑士 telescope", false, topics, nil), 1e-9, "each word once, up to four")
	assert.InDelta(t, .5, textInterest("那只猫呢", false, topics, nil), 1e-9, "one Han character")
	assert.InDelta(t, .5, textInterest("用ＧＯ写的", false, topics, nil), 1e-9)
	assert.InDelta(t, .5, textInterest("golang, go!", false, topics, nil), 1e-9)
	assert.Zero(t, textInterest("google ago", false, topics, nil), "parts of other words")
	assert.InDelta(t, 2, textInterest("空洞骑士，空洞骑士 telescope，猫，go", false, topics, nil), 1e-9, "up to four")
	assert.InDelta(t, .5, textInterest("还有羊肉吗", false, topics, newTopicWords([]string{"我最爱羊肉"}).terms), 1e-9, "the topic of the last own message")
	assert.True(t, emojiOnly(heartflow.Message{Text: " [图片] "}))
	assert.True(t, emojiOnly(heartflow.Message{}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[图片] 看"}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[图片][图片]，看]"}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[语音]"}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[文件 a.txt]"}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[聊天记录]"}))
	assert.False(t, emojiOnly(heartflow.Message{Text: "[消息]", AtMe: true}), "a poke")
}
