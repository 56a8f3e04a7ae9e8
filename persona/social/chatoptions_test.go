package social_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chances returns the bot's willingness for each message.
func (f *fixture) chances() (values []float64) {
	for _, judged := range f.tracesOf(heartflow.KindJudge) {
		for _, g := range judged.Gates {
			if g.Code == hfc.WhyWilling {
				values = append(values, g.Value)
			}
		}
	}
	return values
}

// In a chat with SpeakLess the probability to speak is a third of the usual one.
func TestChatOptions_SpeakLess(t *testing.T) {
	first := map[bool]float64{}
	for _, down := range []bool{false, true} {
		withFixture(t, modeltest.Always(modeltest.Say("[skip]")), func(o *social.Options) {
			o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat}}
			o.When.Attention.Seed = 7
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{SpeakLess: down} }
		}, func(f *fixture) {
			for range 6 {
				f.group.Say(bob, say("今天好冷"))
				f.advance(time.Minute)
			}
			chances := f.chances()
			require.NotEmpty(t, chances)
			first[down] = chances[0]
		})
	}
	assert.Positive(t, first[true])
	assert.InDelta(t, first[false]/3, first[true], 1e-9)
}

// A private chat is focused, except with NoFocus.
func TestChatOptions_NoFocus(t *testing.T) {
	for _, no := range []bool{false, true} {
		withFixture(t, numbered(), withHFC(func(o *social.Options) {
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{NoFocus: no} }
		}), func(f *fixture) {
			friend := f.qq.Friend(alice, "张三")
			friend.Say(say("在吗"))
			f.advance(time.Minute)
			assert.NotEmpty(t, f.sent(friend.Chat()), "it still answers")
			focused := slices.ContainsFunc(f.bot.Traces(persona.Chat{Platform: "qq", Kind: persona.Private, ID: "1001"}), func(tr heartflow.Trace) bool {
				return slices.Contains(tr.Why, hfc.WhyPrivateTalk)
			})
			assert.Equal(t, !no, focused)
		})
	}
}
