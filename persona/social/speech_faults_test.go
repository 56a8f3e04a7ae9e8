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

// Random hours of messages, faults, mutes, retractions and restarts, with and without streaming. No part is sent twice or
// without the one before it. Replies obey the limits, regardless of the number of their parts. Every job ends.
func TestSpeech_Faults(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) { runSpeechFaults(t, seed) })
	}
}

func runSpeechFaults(t *testing.T, seed uint64) {
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
	change := withSpeech(func(o *social.Options) { o.Reply.Speech.Stream = seed%4 == 1; o.When.Attention.Seed = seed + 1 })
	withFixture(t, model, change, func(f *fixture) {
		friend := f.qq.Friend(2001, "小满")
		var calls []int64
		for range 60 {
			switch who := []int64{alice, bob}[r.IntN(2)]; r.IntN(12) {
			case 0:
				friend.Say(say(fmt.Sprint("在吗", r.IntN(1000))))
			case 1:
				f.group.Say(who, say(fmt.Sprint("聊别的", r.IntN(1000))))
			case 2:
				f.qq.WithholdResponse("send_group_msg", 1)
			case 3:
				f.qq.Fail("send_group_msg", 1, 1200)
			case 4:
				f.qq.DropLinks()
			case 5:
				f.group.Ban(botID, time.Duration(1+r.IntN(60))*time.Second)
			case 6:
				if len(calls) > 0 {
					f.qq.Recall(calls[len(calls)-1])
				}
			case 7:
				f.stop()
				f.start(change)
			default:
				calls = append(calls, f.group.Say(who, at(botID, fmt.Sprint("你怎么看", r.IntN(1000)))))
			}
			f.advance(time.Duration(r.IntN(9000)) * time.Millisecond)
		}
		f.advance(10 * time.Minute)
		f.stop()
		f.start(change)
		f.advance(10 * time.Minute)
		parts, begun := 0, 0
		for _, chat := range []onebottest.Chat{f.group.Chat(), friend.Chat()} {
			p, n := checkParts(f, chat)
			parts, begun = parts+p, begun+n
		}
		assert.Greater(t, begun, 3, "too few replies")
		assert.Greater(t, parts, begun, "no reply in parts")
		rows, err := f.store.Load(f.Context(), "errand/")
		require.NoError(t, err)
		for id := range rows {
			assert.Equal(t, jobs.Done, f.job(strings.TrimPrefix(id, "errand/")).Status, id)
		}
	})
}

// checkParts checks the parts sent to a chat, and returns the number of parts and of their replies.
func checkParts(f *fixture, chat onebottest.Chat) (parts, replies int) {
	f.Helper()
	said, begun := map[string]bool{}, []time.Time{}
	order := []string{"头一句", "中间一句", "最后一句"}
	for _, s := range f.qq.Sent() {
		if s.Chat != chat {
			continue
		}
		parts++
		text := strings.TrimPrefix(s.Message.Text(), quoted)
		assert.False(f, said[text], "%s was sent twice", text)
		said[text] = true
		for i, name := range order {
			if !strings.Contains(text, name) {
				continue
			}
			if i == 0 {
				begun = append(begun, s.At)
			} else {
				assert.True(f, said[strings.Replace(text, name, order[i-1], 1)], "%s was sent without the part before it", text)
			}
		}
	}
	for i := 26; i < len(begun); i++ {
		assert.GreaterOrEqual(f, begun[i].Sub(begun[i-26]), 5*time.Minute-10*time.Second, "more than 20 replies and 6 interjections in five minutes")
	}
	return parts, len(begun)
}
