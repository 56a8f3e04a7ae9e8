package social_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// three is a reply of three sentences, each of ten characters: two seconds of typing.
const three = "今天的雨下得真是大啊！你出门的时候记得带伞！路上小心一点慢慢地走呀！"

var threeParts = []string{"今天的雨下得真是大啊！", "你出门的时候记得带伞！", "路上小心一点慢慢地走呀！"}

// spoken splits at every sentence, and types two seconds at each of three's parts.
func spoken(also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		o.Reply.Speech = &social.Speech{Split: speech.SplitOptions{SplitChance: 1}, Pace: speech.Pace{Min: 2 * time.Second, Max: 2 * time.Second}}
		for _, f := range also {
			f(o)
		}
	}
}

// A reply leaves in parts, typed one after the other, and counts as one. Only the first mentions.
func TestSpeechInParts(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人叫我", "at_user": "1001"}`, words: three}
	inBubble(t, p.model(), spoken(inThree), func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		require.Equal(t, []string{"@1001 " + threeParts[0], threeParts[1], threeParts[2]}, b.sent(b.group.Chat()))
		sent := b.qq.Sent()
		for i := range 2 {
			gap := sent[i+1].At.Sub(sent[i].At)
			assert.Equal(t, 2*time.Second, gap.Round(100*time.Millisecond), "typed for 2 s, and the 3 s between replies are not for parts")
		}
		assert.Len(t, b.decided(heartflow.KindSpeak), 1, "they count as one")
		assert.EqualValues(t, 3, b.being.Stats().Sent)
		assert.Equal(t, append([]string{"@小炉 在吗"}, threeParts...), b.journal(techSpace))
		e := b.errand("batch/")
		assert.Equal(t, "spoke", e.Outcome)
		require.Len(t, e.Outbox, 3)
		for i, entry := range e.Outbox {
			assert.Equal(t, jobs.Sent, entry.Status)
			assert.Equal(t, threeParts[i], entry.Text)
		}

		for i := range 5 { // a part more would be over the cap of six
			b.group.Say(alice, at(bot, fmt.Sprint("然后呢", i)))
			b.pass(20 * time.Second)
		}
		assert.Len(t, b.qq.Sent(), 6*3)
		b.group.Say(alice, at(bot, "然后呢"))
		b.pass(20 * time.Second)
		assert.Len(t, b.qq.Sent(), 6*3, "six replies in five minutes")
	})
}

// The same seed and errand give the same parts; what was thought for long enough is not typed again.
func TestSpeechFollowsFromTheSeed(t *testing.T) {
	var lives [][]string
	for range 2 {
		slow := modeltest.Always(modeltest.Say(three + three).After(8 * time.Second))
		inBubble(t, slow, func(o *social.Options) { o.Reply.Speech = &social.Speech{} }, func(b *bubble) {
			b.group.Say(alice, at(bot, "在吗"))
			b.pass(10 * time.Second) // 2 s after the call it thinks, for 8 s
			assert.Len(t, b.qq.Sent(), 1, "the first part had its time while it was thought of")
			b.pass(time.Minute)
			lives = append(lives, b.sent(b.group.Chat()))
		})
	}
	assert.Greater(t, len(lives[0]), 1)
	assert.Equal(t, lives[0], lives[1])
	assert.Equal(t, three+three, strings.Join(lives[0], ""))
}

// While it types, a friend sees it; an implementation that cannot show that is not asked again, and nothing else changes.
func TestSpeechShowsThatItTypes(t *testing.T) {
	for _, lacks := range []bool{false, true} {
		inBubble(t, modeltest.Always(modeltest.Say(three)), spoken(), func(b *bubble) {
			if !lacks {
				b.qq.Handle("set_input_status", func(json.RawMessage) (any, error) { return nil, nil })
			}
			friend := b.qq.Friend(2001, "小满")
			friend.Say(say("在吗"))
			b.pass(time.Minute)
			assert.Equal(t, threeParts, b.sent(friend.Chat()))
			shown := b.qq.Calls("set_input_status")
			if lacks {
				assert.Len(t, shown, 1)
				return
			}
			require.Len(t, shown, 3)
			assert.JSONEq(t, `{"user_id": 2001, "event_type": 1}`, string(shown[0].Params))
			b.group.Say(alice, at(bot, "在吗"))
			b.pass(time.Minute)
			assert.Len(t, b.qq.Calls("set_input_status"), 3, "groups cannot show it")
		})
	}
}

// An implementation that does not answer holds nothing up.
func TestSpeechTypingHangs(t *testing.T) {
	inBubble(t, modeltest.Always(modeltest.Say(three)), spoken(), func(b *bubble) {
		b.qq.Handle("set_input_status", func(json.RawMessage) (any, error) { return nil, nil })
		b.qq.DelayResponse("set_input_status", time.Hour)
		friend := b.qq.Friend(2001, "小满")
		friend.Say(say("在吗"))
		b.pass(9 * time.Second)
		assert.Equal(t, threeParts, b.sent(friend.Chat()))
	})
}

// Who writes on while the first part is typed is answered anew; afterwards they are not.
func TestSpeechIsSupersededBeforeItsFirstPart(t *testing.T) {
	n := 0
	model := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		n++
		return modeltest.Say(fmt.Sprintf("这是第 %d 次想出来的话！后面还有这样一句！", n))
	})
	inBubble(t, model, spoken(), func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(3 * time.Second) // after 2 s it types
		assert.Empty(t, b.qq.Sent())
		b.group.Say(alice, say("对了"))
		b.pass(time.Minute)
		assert.Equal(t, []string{"这是第 2 次想出来的话！", "后面还有这样一句！"}, b.sent(b.group.Chat()))
	})
}

// After each wait it is looked at again whether the rest may be said. What was said stands.
func TestSpeechStops(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(b *bubble, call int64)
		why     []heartflow.Code
	}{
		"muted":      {func(b *bubble, _ int64) { b.group.Ban(bot, 10*time.Minute) }, []heartflow.Code{heartflow.WhyUnsent, heartflow.WhyMuted}},
		"taken back": {func(b *bubble, call int64) { b.qq.Recall(call) }, []heartflow.Code{heartflow.WhyUnsent, heartflow.WhyRetracted}},
		"forgotten": {func(b *bubble, _ int64) {
			_, err := b.being.ErasePerson(b.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(alice)}, nil)
			require.NoError(b, err)
		}, []heartflow.Code{heartflow.WhyUnsent, heartflow.WhyRetracted}},
		"the platform refuses": {func(b *bubble, _ int64) { b.qq.Fail("send_group_msg", 1, 1200) }, []heartflow.Code{heartflow.WhyUnsent}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, modeltest.Always(modeltest.Say(three)), spoken(), func(b *bubble) {
				call := b.group.Say(alice, at(bot, "在吗"))
				b.pass(5 * time.Second) // the first part left at 4 s
				require.Equal(t, threeParts[:1], b.sent(b.group.Chat()))
				c.happens(b, call)
				b.pass(time.Minute)
				assert.Equal(t, threeParts[:1], b.sent(b.group.Chat()))
				spoke := b.decided(heartflow.KindSpeak)
				assert.EqualValues(t, 1, b.being.Stats().Truncated)
				require.Len(t, spoke, 2)
				assert.Equal(t, c.why, spoke[1].Why)
				assert.Equal(t, threeParts[1], spoke[1].Text)
				if name != "forgotten" { // then there is no row
					assert.Equal(t, jobs.Done, b.errand("batch/").Status)
					assert.Contains(t, b.errand("batch/").Outcome, "spoke in part (1)")
				}
			})
		})
	}
}

// A stop, or a kill, between two parts: what was said is not said again, the rest is not said, and the errand ends.
func TestSpeechOverARestart(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprint("kill=", kill), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s, model := fake(), &state{MemStore: memory.NewMemStore()}, modeltest.Always(modeltest.Say(three))
				_, stop := liveOn(t, f, model, s, nil, spoken())
				f.in <- heard("1", "a", "小炉 在吗")
				after(5 * time.Second)
				s.dead.Store(kill)
				stop()
				s.dead.Store(false)
				_, stop = liveOn(t, f, model, s, nil, spoken())
				after(time.Minute)
				stop()
				assert.Equal(t, threeParts[:1], f.said)
				rows, err := s.Load(t.Context(), "errand/")
				require.NoError(t, err)
				require.Len(t, rows, 1)
				for _, row := range rows {
					assert.Contains(t, string(row), `"status":"done"`)
				}
			})
		})
	}
}

// Whenever the process dies, no part is said twice, none after one that is missing, and the errand ends.
func TestSpeechKilled(t *testing.T) {
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				f, cancel := fake(), func() {}
				s := &mortal{MemStore: memory.NewMemStore(), dead: func() { died = true; cancel() }}
				live := func(store social.Store) (stop func()) {
					o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.Always(modeltest.Say(three)), Link: f, Storage: social.Storage{Store: store}}
					o.When.Attention.Seed = 1
					spoken()(&o)
					being, err := social.New(o)
					require.NoError(t, err)
					ctx, end := context.WithCancel(context.Background())
					cancel = end
					ended := make(chan error, 1)
					go func() { ended <- being.Run(ctx) }()
					synctest.Wait()
					return func() { end(); <-ended }
				}
				end := live(s)
				s.doom(doom, how)
				f.in <- heard("1", "a", "小炉 在吗")
				after(time.Minute)
				end()
				end = live(s.MemStore)
				after(time.Minute)
				end()
				said := f.said
				require.LessOrEqual(t, len(said), len(threeParts), "write %d, %d", doom, how)
				require.Equal(t, threeParts[:len(said)], append([]string{}, said...), "write %d, %d", doom, how)
				rows, err := s.MemStore.Load(t.Context(), "errand/")
				require.NoError(t, err)
				for _, row := range rows {
					require.Contains(t, string(row), `"status":"done"`, "write %d, %d", doom, how)
				}
			})
		}
		if !died {
			require.Greater(t, doom, 6, "hardly anything was written")
			break
		}
	}
}

// A part whose outcome nobody knows ends the reply, and is looked up like any other message.
func TestSpeechUnclearPart(t *testing.T) {
	inBubble(t, modeltest.Always(modeltest.Say(three)), spoken(), func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(5 * time.Second)
		b.qq.WithholdResponse("send_group_msg", 1) // it arrives, and its answer is lost
		b.pass(3 * time.Minute)
		assert.Equal(t, threeParts[:2], b.sent(b.group.Chat()))
		e := b.errand("batch/")
		assert.Equal(t, "settled", e.Outcome)
		require.Len(t, e.Outbox, 2)
		assert.Equal(t, jobs.Sent, e.Outbox[1].Status, "the history had it")
	})
}

// In focus, a reply in parts is one text_reply of the cycle.
func TestSpeechInFocus(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人找我"}`, words: three}
	inBubble(t, p.model(), withHFC(inThree, spoken()), func(b *bubble) {
		friend := b.qq.Friend(alice, "张三")
		friend.Say(say("在吗"))
		b.pass(7 * time.Second)
		p.decide(`{"action": "no_reply"}`)
		b.pass(time.Minute)
		assert.Equal(t, threeParts, b.sent(friend.Chat()))
		assert.Contains(t, p.read("想"), `<deed did="text_reply">有人找我</deed>`)
	})
}

// There are eight parts at most: parts count as one, and a model must not get around the caps by them.
func TestSpeechIsBounded(t *testing.T) {
	var items strings.Builder
	for i := range 12 {
		fmt.Fprintf(&items, "<item>第 %d 条</item>", i)
	}
	inBubble(t, modeltest.Always(modeltest.Say(items.String())), spoken(), func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		sent := b.sent(b.group.Chat())
		require.Len(t, sent, 8)
		assert.Equal(t, "第 7 条\n第 8 条\n第 9 条\n第 10 条\n第 11 条", sent[7])
	})
}

// errand is the newest one whose id begins so.
func (b *bubble) errand(prefix string) (newest jobs.Job) {
	b.Helper()
	rows, err := b.store.Load(b.Context(), "errand/"+prefix)
	require.NoError(b, err)
	for _, row := range rows {
		var e jobs.Job
		require.NoError(b, json.Unmarshal(row, &e))
		if e.At.After(newest.At) {
			newest = e
		}
	}
	return newest
}
