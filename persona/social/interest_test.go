package social_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Requirement H1: two hours of talk about the interests of the profile focus the bot. Without interests they do not.
func TestInterests_LeadToFocus(t *testing.T) {
	said := []string{"我家猫又爬上衣柜了", "下午那杯咖啡太苦", "周末去爬山吗", "山上有猫吗", "喝完咖啡再去爬山"}
	// focused plays up to n messages, and returns the number after which the bot is focused by interest; 0 means never.
	focused := func(n int, change func(*social.Options)) (after int) {
		withFixture(t, modeltest.Always(modeltest.Say("[skip]")), withHFC(change), func(f *fixture) {
			for i := 0; i < n && after == 0; i++ {
				f.group.Say([]int64{alice, bob}[i%2], say(fmt.Sprint(said[i%len(said)], i)))
				f.advance(3 * time.Second)
				for _, tr := range f.tracesOf(heartflow.KindState) {
					if len(tr.Why) > 1 && tr.Why[0] == hfc.WhyFocused && tr.Why[1] == hfc.WhyInterest {
						after = i + 1
					}
				}
			}
		})
		return after
	}
	const n = 600 // half an hour
	after := focused(n, func(o *social.Options) { o.Profile.Interests = []string{"猫", "咖啡", "爬山"} })
	require.Positive(t, after)
	require.Less(t, after, n/10)
	assert.Zero(t, focused(n, func(o *social.Options) { o.Profile.About += "，喜欢猫、咖啡、爬山" }))
	assert.Zero(t, focused(n, func(o *social.Options) {
		o.Profile.Interests = []string{"猫", "咖啡", "爬山"}
		o.When.HFC.Topics = []string{"望远镜"} // replace the interests
	}))
}

// The prompt of a bot names its interests.
func TestInterests_InPrompt(t *testing.T) {
	withFixture(t, numbered(), func(o *social.Options) { o.Profile.Interests = []string{"猫", "手冲咖啡"} }, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		require.Len(t, f.model.Prompts(), 1)
		assert.Contains(t, f.model.Prompts()[0].System(), "爱坐在炉边的人\n你感兴趣的：猫、手冲咖啡。\n")
	})
}
