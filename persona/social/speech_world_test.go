package social_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In random hours of talk, faults, mutes, recalls and restarts, streaming or not: no part is said twice, none without the
// one before it, replies keep to the caps however many parts they have, and every errand ends.
func TestSpeechInTrouble(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) { speechInTrouble(t, seed) })
	}
}

func speechInTrouble(t *testing.T, seed uint64) {
	r, replies := rand.New(rand.NewPCG(seed, 5)), make(chan int, 1)
	replies <- 0
	model := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		n := <-replies + 1
		replies <- n
		text := fmt.Sprintf("第%d回的头一句话说完！第%d回的中间一句话说完！第%d回的最后一句话说完！", n, n, n)
		if seed%2 == 1 {
			text = "<item>" + strings.TrimSuffix(strings.ReplaceAll(text, "！", "</item><item>"), "<item>")
		}
		return modeltest.Say(text).After(time.Duration(n%5) * time.Second)
	})
	change := spoken(func(o *social.Options) { o.Reply.Speech.Stream = seed%4 == 1; o.When.Attention.Seed = seed + 1 })
	inBubble(t, model, change, func(b *bubble) {
		friend := b.qq.Friend(2001, "小满")
		var calls []int64
		for range 60 {
			switch who := []int64{alice, bob}[r.IntN(2)]; r.IntN(12) {
			case 0:
				friend.Say(say(fmt.Sprint("在吗", r.IntN(1000))))
			case 1:
				b.group.Say(who, say(fmt.Sprint("聊别的", r.IntN(1000))))
			case 2:
				b.qq.WithholdResponse("send_group_msg", 1)
			case 3:
				b.qq.Fail("send_group_msg", 1, 1200)
			case 4:
				b.qq.DropLinks()
			case 5:
				b.group.Ban(bot, time.Duration(1+r.IntN(60))*time.Second)
			case 6:
				if len(calls) > 0 {
					b.qq.Recall(calls[len(calls)-1])
				}
			case 7:
				b.stop()
				b.start(change)
			default:
				calls = append(calls, b.group.Say(who, at(bot, fmt.Sprint("你怎么看", r.IntN(1000)))))
			}
			b.pass(time.Duration(r.IntN(9000)) * time.Millisecond)
		}
		b.pass(10 * time.Minute)
		b.stop()
		b.start(change)
		b.pass(10 * time.Minute)
		parts, begun := 0, 0
		for _, chat := range []onebottest.Chat{b.group.Chat(), friend.Chat()} {
			p, n := holdParts(b, chat)
			parts, begun = parts+p, begun+n
		}
		assert.Greater(t, begun, 3, "hardly anything was said")
		assert.Greater(t, parts, begun, "nothing was said in parts")
		rows, err := b.store.Load(b.Context(), "errand/")
		require.NoError(t, err)
		for id := range rows {
			assert.Equal(t, jobs.Done, b.errand(strings.TrimPrefix(id, "errand/")).Status, id)
		}
	})
}

// holdParts holds what must be true of what was said in a chat. It counts the parts, and the replies that they are of.
func holdParts(b *bubble, chat onebottest.Chat) (parts, replies int) {
	b.Helper()
	said, begun := map[string]bool{}, []time.Time{}
	order := []string{"头一句", "中间一句", "最后一句"}
	for _, s := range b.qq.Sent() {
		if s.Chat != chat {
			continue
		}
		parts++
		text := s.Message.Text()
		assert.False(b, said[text], "%s was said twice", text)
		said[text] = true
		for i, name := range order {
			if !strings.Contains(text, name) {
				continue
			}
			if i == 0 {
				begun = append(begun, s.At)
			} else {
				assert.True(b, said[strings.Replace(text, name, order[i-1], 1)], "%s has nothing before it", text)
			}
		}
	}
	for i := 6; i < len(begun); i++ {
		assert.GreaterOrEqual(b, begun[i].Sub(begun[i-6]), 5*time.Minute-10*time.Second, "more than six replies in five minutes")
	}
	return parts, len(begun)
}
