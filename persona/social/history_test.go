package social_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The default of Options.Reply.History shows the last 50 turns completely and at most 75 older messages. The history
// starts at the same message for many turns, so on average at least 70 % of a prompt is a prefix of the previous one.
func TestHistory_FiftyTurns(t *testing.T) {
	const turns = 160
	model := modeltest.Func(answering(func(modeltest.Prompt) string { return "嗯" }))
	withFixture(t, model, nil, func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		for i := range turns {
			friend.Say(say(fmt.Sprintf("第%d句", i)))
			f.advance(6 * time.Minute)
		}
		prompts := model.Prompts()
		require.Len(t, prompts, turns)
		same, all := 0, 0
		for n := 60; n < turns; n++ {
			history, _, _ := strings.Cut(prompts[n].Human(), fmt.Sprintf("第%d句", n))
			for i := range n {
				shown := strings.Contains(history, fmt.Sprintf("第%d句", i))
				if i >= n-50 {
					assert.True(t, shown, "turn %d does not see %d", n, i)
				}
				if i < n-50-75/2-1 {
					assert.False(t, shown, "turn %d sees %d", n, i)
				}
			}
			last, now := prompts[n-1].System()+prompts[n-1].Human(), prompts[n].System()+prompts[n].Human()
			begin := 0
			for begin < min(len(last), len(now)) && last[begin] == now[begin] {
				begin++
			}
			same, all = same+prompt.Tokens(now[:begin]), all+prompt.Tokens(now)
		}
		t.Logf("%.1f %% of the prompt tokens are a prefix of the previous prompt", 100*float64(same)/float64(all))
		assert.GreaterOrEqual(t, 10*same, 7*all)
	})
}
