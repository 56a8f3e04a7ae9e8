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

// chances are how willing the being was to answer, message by message.
func (b *bubble) chances() (values []float64) {
	for _, judged := range b.decided(heartflow.KindJudge) {
		for _, g := range judged.Gates {
			if g.Code == hfc.WhyWilling {
				values = append(values, g.Value)
			}
		}
	}
	return values
}

// TestChatOptions_Down: the chance to speak is a third of what it is elsewhere.
func TestChatOptions_Down(t *testing.T) {
	first := map[bool]float64{}
	for _, down := range []bool{false, true} {
		inBubble(t, modeltest.Always(modeltest.Say("[skip]")), func(o *social.Options) {
			o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat}}
			o.When.Attention.Seed = 7
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{SpeakLess: down} }
		}, func(b *bubble) {
			for range 6 {
				b.group.Say(bob, say("今天好冷"))
				b.pass(time.Minute)
			}
			chances := b.chances()
			require.NotEmpty(t, chances)
			first[down] = chances[0]
		})
	}
	assert.Positive(t, first[true])
	assert.InDelta(t, first[false]/3, first[true], 1e-9)
}

// TestChatOptions_NoFocus: a private chat has the being's full attention, unless it is not to have it.
func TestChatOptions_NoFocus(t *testing.T) {
	for _, no := range []bool{false, true} {
		inBubble(t, counted(), withHFC(func(o *social.Options) {
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{NoFocus: no} }
		}), func(b *bubble) {
			friend := b.qq.Friend(alice, "张三")
			friend.Say(say("在吗"))
			b.pass(time.Minute)
			assert.NotEmpty(t, b.sent(friend.Chat()), "it answers all the same")
			focused := slices.ContainsFunc(b.being.Traces(persona.Chat{Platform: "qq", Kind: persona.Private, ID: "1001"}), func(tr heartflow.Trace) bool {
				return slices.Contains(tr.Why, hfc.WhyPrivateTalk)
			})
			assert.Equal(t, !no, focused)
		})
	}
}
