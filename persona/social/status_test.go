package social_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Requirements H2 and H10: a host reads the states of the bot, and its cycles with times, actions and reasons.
func TestBot_ChatStatus(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人找我"}`}
	withFixture(t, p.model(), withHFC(threeCalls), func(f *fixture) {
		chat := persona.Chat{Platform: "qq", Kind: persona.Private, ID: fmt.Sprint(alice)}
		s := f.bot.ChatStatus(chat)
		assert.Equal(t, social.ChatStatus{GlobalState: "focused_chat", State: "absent", Energy: 1}, s)
		f.qq.Friend(alice, "张三").Say(say("在吗"))
		f.advance(2500 * time.Millisecond)
		p.decide(`{"action": "no_reply", "reasoning": "等等看"}`)
		f.advance(10 * time.Second)
		s = f.bot.ChatStatus(chat)
		assert.Equal(t, "focused", s.State)
		assert.Positive(t, s.Interest)
		assert.Less(t, s.Energy, 1.)
		require.NotEmpty(t, s.Cycles)
		first, last := s.Cycles[0], s.Cycles[len(s.Cycles)-1]
		assert.Equal(t, "有人找我", first.Plan.Reasoning)
		assert.Equal(t, hfc.TextReply, first.Plan.Action)
		assert.False(t, first.Ended.Before(first.Began))
		assert.Equal(t, hfc.Plan{Action: hfc.NoReply, Reasoning: "等等看"}, last.Plan)

		var decided []string
		for _, tr := range f.tracesOf(heartflow.KindPlan) {
			decided = append(decided, fmt.Sprint(tr.Why, tr.Text))
		}
		require.NotEmpty(t, decided)
		assert.Equal(t, "[text_reply]有人找我", decided[0])
		assert.Equal(t, "[no_reply]等等看", decided[len(decided)-1], "the reason for silence is in the trace")
	})
	withFixture(t, numbered(), nil, func(f *fixture) {
		s := f.bot.ChatStatus(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"})
		assert.Equal(t, social.ChatStatus{State: "observing", Energy: 1}, s, "without HFC")
	})
}

// The prompts of a bot with HFC have energy, states and interest. Those of other bots have none of them.
func TestAttention_InPrompts(t *testing.T) {
	p := &planner{plan: `{"action": "no_reply"}`}
	withFixture(t, p.model(), withHFC(threeCalls), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		f.qq.Friend(alice, "张三").Say(say("在吗"))
		f.advance(10 * time.Second)
		for _, task := range []string{"想", "决定"} {
			assert.Regexp(t, `<mood energy="1.00"></mood>\n(?s:.*)<attention global_state="focused_chat" chat_state="focused" interest="0\.\d\d"/>`, p.read(task))
		}
	})
	withFixture(t, numbered(), nil, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.NotContains(t, f.model.Prompts()[0].Human(), "<attention")
		assert.NotContains(t, f.model.Prompts()[0].Human(), "<mood")
	})
}
