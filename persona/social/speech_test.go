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

// threeSentences is a reply of three sentences of ten characters each. Each takes two seconds to type.
const threeSentences = "今天的雨下得真是大啊！你出门的时候记得带伞！路上小心一点慢慢地走呀！"

var threeParts = []string{"今天的雨下得真是大啊！", "你出门的时候记得带伞！", "路上小心一点慢慢地走呀！"}

// withSpeech splits at every sentence and types each part of three for two seconds.
func withSpeech(also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		o.Reply.Speech = &social.Speech{Split: speech.SplitOptions{SplitChance: 1}, Pace: speech.Pace{Min: 2 * time.Second, Max: 2 * time.Second}}
		for _, f := range also {
			f(o)
		}
	}
}

// A reply is sent in parts, each after its typing time, and counts as one. Only the first part has mentions.
func TestSpeech_Parts(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人叫我", "at_user": "1001"}`, words: threeSentences}
	withFixture(t, p.model(), withSpeech(threeCalls, sixReplies), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		require.Equal(t, []string{"@1001 " + threeParts[0], threeParts[1], threeParts[2]}, f.sent(f.group.Chat()))
		sent := f.qq.Sent()
		for i := range 2 {
			gap := sent[i+1].At.Sub(sent[i].At)
			assert.Equal(t, 2*time.Second, gap.Round(100*time.Millisecond), "typed for 2 s; the 3 s between replies do not apply to parts")
		}
		assert.Len(t, f.tracesOf(heartflow.KindSpeak), 1, "they count as one")
		assert.EqualValues(t, 3, f.bot.Stats().Sent)
		assert.Equal(t, append([]string{"@小炉 在吗"}, threeParts...), f.journal(techSpace))
		e := f.job("batch/")
		assert.Equal(t, "spoke", e.Outcome)
		require.Len(t, e.Outbox, 3)
		for i, entry := range e.Outbox {
			assert.Equal(t, jobs.Sent, entry.Status)
			assert.Equal(t, threeParts[i], entry.Text)
		}

		for i := range 5 { // one more part would exceed the limit of six
			f.group.Say(alice, at(botID, fmt.Sprint("然后呢", i)))
			f.advance(20 * time.Second)
		}
		assert.Len(t, f.qq.Sent(), 6*3)
		f.group.Say(alice, at(botID, "然后呢"))
		f.advance(20 * time.Second)
		assert.Len(t, f.qq.Sent(), 6*3, "six replies in five minutes")
	})
}

// The same seed and job give the same parts. Time spent by the model counts as typing time.
func TestSpeech_FollowsSeed(t *testing.T) {
	var runs [][]string
	for range 2 {
		slow := modeltest.Always(modeltest.Say(threeSentences + threeSentences).After(8 * time.Second))
		withFixture(t, slow, func(o *social.Options) { o.Reply.Speech = &social.Speech{} }, func(f *fixture) {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(10 * time.Second) // 8 s after the model was called
			assert.Len(t, f.qq.Sent(), 1, "the model's time was enough for the first part")
			f.advance(time.Minute)
			runs = append(runs, f.sent(f.group.Chat()))
		})
	}
	assert.Greater(t, len(runs[0]), 1)
	assert.Equal(t, runs[0], runs[1])
	assert.Equal(t, threeSentences+threeSentences, strings.Join(runs[0], ""))
}

// In private chats the typing indicator is shown. An implementation without it is not asked again; nothing else
// changes.
func TestSpeech_TypingIndicator(t *testing.T) {
	for _, lacks := range []bool{false, true} {
		withFixture(t, modeltest.Always(modeltest.Say(threeSentences).After(time.Second)), withSpeech(), func(f *fixture) {
			if !lacks {
				f.qq.Handle("set_input_status", func(json.RawMessage) (any, error) { return nil, nil })
			}
			friend := f.qq.Friend(2001, "小满")
			friend.Say(say("在吗"))
			f.advance(time.Minute)
			assert.Equal(t, threeParts, f.sent(friend.Chat()))
			shown := f.qq.Calls("set_input_status")
			if lacks {
				assert.Len(t, shown, 1)
				return
			}
			require.Len(t, shown, 4, "one while the model writes, and one for each part")
			assert.JSONEq(t, `{"user_id": 2001, "event_type": 1}`, string(shown[0].Params))
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			assert.Len(t, f.qq.Calls("set_input_status"), 4, "groups have no typing indicator")
		})
	}
}

// Requirement H14: while the model writes a reply to a private chat, the platform shows it, also if nothing is said then. A
// thought and a plan show nothing.
func TestSpeech_TypingWhileModelWrites(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*social.Options)
		says   string
		sent   []string
		shown  []time.Duration // since the message
	}{
		"one call":           {nil, "在", []string{"在"}, []time.Duration{2 * time.Second}},
		"one call, silent":   {nil, "[skip]", nil, []time.Duration{2 * time.Second}},
		"three calls":        {threeCalls, "在", []string{"在"}, []time.Duration{22 * time.Second}},
		"three calls, focus": {withHFC(threeCalls), "在", []string{"在"}, []time.Duration{22 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := `{"action": "text_reply"}`
			model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
				switch {
				case strings.Contains(p.Human(), "## 现在：想\n"):
					return modeltest.Say("想想").After(10 * time.Second)
				case strings.Contains(p.Human(), "## 现在：决定\n"):
					said := plan
					plan = `{"action": "no_reply"}`
					return modeltest.Say(said).After(10 * time.Second)
				}
				return modeltest.Say(c.says).After(10 * time.Second)
			})
			withFixture(t, model, c.change, func(f *fixture) {
				f.qq.Handle("set_input_status", func(json.RawMessage) (any, error) { return nil, nil })
				began := time.Now()
				friend := f.qq.Friend(2001, "小满")
				friend.Say(say("在吗"))
				f.advance(time.Minute)
				assert.Equal(t, c.sent, f.sent(friend.Chat()))
				var shown []time.Duration
				for _, call := range f.qq.Calls("set_input_status") {
					shown = append(shown, call.At.Sub(began).Truncate(time.Second))
				}
				assert.Equal(t, c.shown, shown)
			})
		})
	}
}

// A typing request without a response blocks nothing.
func TestSpeech_TypingRequestHangs(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say(threeSentences)), withSpeech(), func(f *fixture) {
		f.qq.Handle("set_input_status", func(json.RawMessage) (any, error) { return nil, nil })
		f.qq.DelayResponse("set_input_status", time.Hour)
		friend := f.qq.Friend(2001, "小满")
		friend.Say(say("在吗"))
		f.advance(9 * time.Second)
		assert.Equal(t, threeParts, f.sent(friend.Chat()))
	})
}

// If the author writes again while the first part is typed, the turn is repeated. After the first part it is not.
func TestSpeech_SupersededBeforeFirstPart(t *testing.T) {
	n := 0
	model := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		n++
		return modeltest.Say(fmt.Sprintf("这是第 %d 次想出来的话！后面还有这样一句！", n))
	})
	withFixture(t, model, withSpeech(), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(3 * time.Second) // typing since 1 s
		assert.Empty(t, f.qq.Sent())
		f.group.Say(alice, say("对了"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"这是第 2 次想出来的话！", "后面还有这样一句！"}, f.sent(f.group.Chat()))
	})
}

// After each wait it is checked whether the rest may still be sent. Sent parts stay.
func TestSpeech_StopsBetweenParts(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(f *fixture, call int64)
		why     []heartflow.Code
	}{
		"muted":      {func(f *fixture, _ int64) { f.group.Ban(botID, 10*time.Minute) }, []heartflow.Code{heartflow.WhyUnsent, heartflow.WhyMuted}},
		"taken back": {func(f *fixture, call int64) { f.qq.Recall(call) }, []heartflow.Code{heartflow.WhyUnsent, heartflow.WhyRetracted}},
		"forgotten": {func(f *fixture, _ int64) {
			_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(alice)}, nil)
			require.NoError(f, err)
		}, []heartflow.Code{heartflow.WhyUnsent, heartflow.WhyRetracted}},
		"the platform refuses": {func(f *fixture, _ int64) { f.qq.Fail("send_group_msg", 1, 1200) }, []heartflow.Code{heartflow.WhyUnsent}},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, modeltest.Always(modeltest.Say(threeSentences)), withSpeech(), func(f *fixture) {
				call := f.group.Say(alice, at(botID, "在吗"))
				f.advance(5 * time.Second) // the first part was sent at 4 s
				require.Equal(t, threeParts[:1], f.sent(f.group.Chat()))
				c.happens(f, call)
				f.advance(time.Minute)
				assert.Equal(t, threeParts[:1], f.sent(f.group.Chat()))
				spoke := f.tracesOf(heartflow.KindSpeak)
				assert.EqualValues(t, 1, f.bot.Stats().Truncated)
				require.Len(t, spoke, 2)
				assert.Equal(t, c.why, spoke[1].Why)
				assert.Equal(t, threeParts[1], spoke[1].Text)
				if name != "forgotten" { // then the row is erased
					assert.Equal(t, jobs.Done, f.job("batch/").Status)
					assert.Contains(t, f.job("batch/").Outcome, "spoke in part (1)")
				}
			})
		})
	}
}

// After a shutdown or kill between two parts, no part is sent again, the rest is not sent, and the job is done.
func TestSpeech_Restart(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprint("kill=", kill), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s, model := fake(), &slowStore{MemStore: memory.NewMemStore()}, modeltest.Always(modeltest.Say(threeSentences))
				_, stop := startBot(t, f, model, s, nil, withSpeech())
				f.events <- newMessage("1", "a", "小炉 在吗")
				advance(5 * time.Second)
				s.failing.Store(kill)
				stop()
				s.failing.Store(false)
				_, stop = startBot(t, f, model, s, nil, withSpeech())
				advance(time.Minute)
				stop()
				assert.Equal(t, threeParts[:1], f.sent)
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

// If the process dies at any write, no part is sent twice or after a missing one, and the job is done.
func TestSpeech_Crashes(t *testing.T) {
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				f, cancel := fake(), func() {}
				s := &crashingStore{MemStore: memory.NewMemStore(), onCrash: func() { died = true; cancel() }}
				live := func(store social.Store) (stop func()) {
					o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.Always(modeltest.Say(threeSentences)), Link: f, Storage: social.Storage{Store: store}}
					o.When.Attention.Seed = 1
					withSpeech()(&o)
					bot, err := social.New(o)
					require.NoError(t, err)
					ctx, end := context.WithCancel(context.Background())
					cancel = end
					ended := make(chan error, 1)
					go func() { ended <- bot.Run(ctx) }()
					synctest.Wait()
					return func() { end(); <-ended }
				}
				end := live(s)
				s.crashAt(doom, how)
				f.events <- newMessage("1", "a", "小炉 在吗")
				advance(time.Minute)
				end()
				end = live(s.MemStore)
				advance(time.Minute)
				end()
				said := f.sent
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
			require.Greater(t, doom, 6, "too few writes")
			break
		}
	}
}

// A part with an unclear result ends the reply and is looked up like any other message.
func TestSpeech_UnclearPart(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say(threeSentences)), withSpeech(), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(5 * time.Second)
		f.qq.WithholdResponse("send_group_msg", 1) // it arrives without a response
		f.advance(3 * time.Minute)
		assert.Equal(t, threeParts[:2], f.sent(f.group.Chat()))
		e := f.job("batch/")
		assert.Equal(t, "settled", e.Outcome)
		require.Len(t, e.Outbox, 2)
		assert.Equal(t, jobs.Sent, e.Outbox[1].Status, "found in the history")
	})
}

// In focus, a reply in parts is one text_reply of the cycle.
func TestSpeech_InFocus(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人找我"}`, words: threeSentences}
	withFixture(t, p.model(), withHFC(threeCalls, withSpeech()), func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		friend.Say(say("在吗"))
		f.advance(7 * time.Second)
		p.decide(`{"action": "no_reply"}`)
		f.advance(time.Minute)
		assert.Equal(t, threeParts, f.sent(friend.Chat()))
		assert.Contains(t, p.read("想"), `<deed did="text_reply">有人找我</deed>`)
	})
}

// A reply has at most eight parts, because parts count as one message and a model must not use them to exceed the
// limits.
func TestSpeech_MaxParts(t *testing.T) {
	var items strings.Builder
	for i := range 12 {
		fmt.Fprintf(&items, "<item>第 %d 条</item>", i)
	}
	withFixture(t, modeltest.Always(modeltest.Say(items.String())), withSpeech(), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		sent := f.sent(f.group.Chat())
		require.Len(t, sent, 8)
		assert.Equal(t, "第 7 条\n第 8 条\n第 9 条\n第 10 条\n第 11 条", sent[7])
	})
}

// job returns the newest job whose id has a prefix.
func (f *fixture) job(prefix string) (newest jobs.Job) {
	f.Helper()
	rows, err := f.store.Load(f.Context(), "errand/"+prefix)
	require.NoError(f, err)
	for _, row := range rows {
		var e jobs.Job
		require.NoError(f, json.Unmarshal(row, &e))
		if e.At.After(newest.At) {
			newest = e
		}
	}
	return newest
}
