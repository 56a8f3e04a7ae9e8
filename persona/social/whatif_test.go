package social_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chatter lets two people talk for a while. Some messages call the bot by a mention or by its name.
func (f *fixture) chatter(n int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	lines := []string{"今天好冷啊", "谁去图书馆", "周末去爬山吧，我知道一条好路", "看完了，哭了", "ok", "晚上打游戏吗，三缺一", "第四集什么时候出", "火锅不错"}
	for range n {
		who := []int64{alice, bob}[rng.IntN(2)]
		text := lines[rng.IntN(len(lines))]
		switch rng.IntN(12) {
		case 0:
			f.group.Say(who, at(botID, text))
		case 1:
			f.group.Say(who, say("小炉，"+text))
		default:
			f.group.Say(who, say(text))
		}
		pause := time.Duration(rng.IntN(15_000)) * time.Millisecond
		if rng.IntN(8) == 0 {
			pause += time.Minute
		}
		f.advance(pause + time.Duration(rng.IntN(1_000_000)))
	}
	f.advance(2 * time.Minute)
}

// slowly answers after two seconds, and is silent every third time.
func slowly() *modeltest.Model {
	var n atomic.Int64
	return modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		i := n.Add(1)
		if i%3 == 0 {
			return modeltest.Say(prompt.Skip).After(2 * time.Second)
		}
		return modeltest.Say(fmt.Sprintf("第 %d 句火锅", i)).After(2 * time.Second)
	})
}

func learnedPolicy(t *testing.T) heartflow.Policy {
	p, err := learned.New(learned.Options{})
	require.NoError(t, err)
	return p
}

// qqGroup is the chat of the fixture's group.
var qqGroup = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

// The replay under the settings in effect decides like the bot did.
func TestWhatIf_AgreesWithTheBot(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*social.Options)
		least  float64 // share of agreement
	}{
		"mention": {mentionOnly, 1},
		"speech": {func(o *social.Options) {
			mentionOnly(o)
			o.Reply.Speech = &social.Speech{}
		}, 1},
		"interject": {func(o *social.Options) { o.When.Attention.Policy = heartflow.Interject{} }, .98},
		"learned":   {func(o *social.Options) { o.When.Attention.Policy = learnedPolicy(t) }, .98},
		"hfc":       {withHFC(), .8},
	} {
		t.Run(name, func(t *testing.T) {
			seeds := uint64(4)
			if testing.Short() {
				seeds = 1
			}
			for seed := range seeds {
				withFixture(t, slowly(), c.change, func(f *fixture) {
					var log eventLog
					defer f.bot.Watch(log.add)()
					f.chatter(150, seed)
					events := log.events(func(e trace.Event) bool { return e.Call == nil })
					for _, q := range []social.Question{{Chat: qqGroup, Events: events}, {Chat: qqGroup}, {Chat: qqGroup, Events: events, Messages: 60}} {
						r, err := f.bot.WhatIf(f.Context(), q)
						require.NoError(t, err)
						t.Logf("seed %d, %d events, %d messages: %d of %d agree", seed, len(q.Events), len(r.Messages), r.Agreed, r.Compared)
						assert.Zero(t, r.Differences(), "the same settings")
						share := float64(r.Agreed) / float64(r.Compared)
						switch {
						case q.Events == nil: // the journal has seconds, and attention the last decisions
							assert.Positive(t, r.Compared)
							if name != "hfc" { // most of its last decisions are about turns of its own
								assert.GreaterOrEqual(t, share, .8)
							}
						case q.Messages == 0:
							assert.Greater(t, r.Compared, 140)
							assert.GreaterOrEqual(t, share, c.least)
						default:
							assert.Len(t, r.Messages, 60)
							assert.GreaterOrEqual(t, share, c.least)
						}
					}
				})
			}
		})
	}
}

// eager asks about every batch.
type eager struct{}

func (eager) Judge(*heartflow.PolicyInput) heartflow.Verdict {
	return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: []heartflow.Code{"eager"}}
}

// outcomes returns a line for each message of a replay: its text, and the decisions of both columns where they differ.
func outcomes(r social.Replay) (lines []string) {
	of := func(d social.ReplayedDecision) string {
		switch {
		case d.Dropped != "":
			return string(d.Dropped)
		case !d.Known:
			return "unknown"
		}
		return fmt.Sprint(d.Trace.Do, " ", d.Trace.Why[0])
	}
	for _, m := range r.Messages {
		line := m.Text + ": " + of(m.Current)
		if changed := of(m.Changed); changed != of(m.Current) {
			line += " -> " + changed
		}
		lines = append(lines, line)
	}
	return lines
}

// Each setting changes the decisions that it should change, and no others.
func TestWhatIf_OtherSettings(t *testing.T) {
	yes := true
	const (
		named   = "小炉，在吗: ask named"
		plain   = "火锅不错: silent not_called"
		mention = "@小炉 再说一句: ask mentioned"
		reply1  = "第 1 句: own"
		reply2  = "第 2 句: own"
		command = "小炉 状态: command"
		banned  = "广告广告: banned"
		poke    = "[戳了戳 李四]: act"
	)
	var allDay heartflow.Span
	require.NoError(t, allDay.UnmarshalText([]byte("00:00-23:59")))
	ads, err := heartflow.NewFilter([]string{"广告"}, nil)
	require.NoError(t, err)
	withFixture(t, numbered(), func(o *social.Options) {
		mentionOnly(o)
		o.When.Policies = map[string]heartflow.Policy{"eager": eager{}}
		o.When.Banned = ads
		o.Access.Commands, o.Access.Owners = true, []persona.Account{{Platform: "qq", ID: fmt.Sprint(alice)}}
	}, func(f *fixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		f.group.Say(bob, say("小炉，在吗"))
		f.advance(30 * time.Second)
		f.group.Say(alice, say("小炉 状态"))
		f.advance(30 * time.Second)
		f.group.Say(bob, say("火锅不错"))
		f.advance(30 * time.Second)
		f.group.Say(bob, say("广告广告"))
		f.group.Poke(alice, bob)
		f.advance(30 * time.Second)
		f.group.Say(bob, at(botID, "再说一句"))
		f.advance(30 * time.Second)
		events := log.events(func(e trace.Event) bool { return true })
		for name, c := range map[string]struct {
			change social.ChatSettings
			want   map[string]string // by the line under the settings in effect
		}{
			"none":      {},
			"no names":  {social.ChatSettings{Names: []string{}}, map[string]string{named: " -> silent not_called"}},
			"wake word": {social.ChatSettings{WakeWords: []string{"火锅"}}, map[string]string{plain: " -> ask wake_word"}},
			"keyword":   {social.ChatSettings{Keywords: []string{"火锅"}}, map[string]string{plain: " -> ask keyword"}},
			"policy":    {social.ChatSettings{Policy: "eager"}, map[string]string{named: " -> ask eager", plain: " -> ask eager", mention: " -> ask eager"}},
			"cap":       {social.ChatSettings{MaxReplies: 1}, map[string]string{plain: " -> silent capped_window", mention: " -> silent capped_window"}},
			"banned":    {social.ChatSettings{BannedWords: []string{"火锅"}}, map[string]string{plain: " -> banned", banned: " -> silent not_called"}},
			"off":       {social.ChatSettings{Off: &yes}, map[string]string{named: " -> off", plain: " -> off", mention: " -> off"}},
			"quiet": {social.ChatSettings{Policy: "eager", QuietHours: []heartflow.Span{allDay}}, map[string]string{
				named: " -> ask eager", plain: " -> silent quiet", mention: " -> ask eager"}},
		} {
			want := []string{named, reply1, command, plain, banned, poke, mention, reply2}
			for i, line := range want {
				want[i] += c.want[line]
			}
			r, err := f.bot.WhatIf(f.Context(), social.Question{Chat: qqGroup, Settings: c.change, Events: events})
			require.NoError(t, err, name)
			lines := outcomes(r)
			assert.Len(t, lines, len(want)+1, "the answer to the command is one more")
			for _, line := range want {
				assert.Contains(t, lines, line, name)
			}
		}
	})
}

// A replay changes nothing of the bot, sends nothing, asks no model and tells no watcher.
func TestWhatIf_ChangesNothing(t *testing.T) {
	for name, change := range map[string]func(*social.Options){"plain": mentionOnly, "hfc": withHFC()} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, slowly(), change, func(f *fixture) {
				var log eventLog
				defer f.bot.Watch(log.add)()
				f.chatter(40, 1)
				all := log.events(func(trace.Event) bool { return true })
				state := func() map[string]string {
					attention, budget, err := f.bot.AttentionSnapshot()
					require.NoError(t, err)
					rows, err := f.store.Load(f.Context(), "")
					require.NoError(t, err)
					f.mu.Lock()
					defer f.mu.Unlock()
					return map[string]string{
						"attention": string(attention), "budget": string(budget), "rows": fmt.Sprint(rows), "journal": fmt.Sprint(f.journal("qq:group:1")),
						"stats": fmt.Sprint(f.bot.Stats()), "traces": fmt.Sprint(f.bot.Traces(qqGroup)), "hook": fmt.Sprint(f.traces), "chats": fmt.Sprint(f.bot.LoadedChats()),
						"watched": fmt.Sprint(len(log.events(func(trace.Event) bool { return true }))), "sent": fmt.Sprint(len(f.qq.Sent())), "prompts": fmt.Sprint(len(f.model.Prompts())),
					}
				}
				before := state()
				for _, q := range []social.Question{
					{Chat: qqGroup}, {Chat: qqGroup, Events: all, Settings: social.ChatSettings{Policy: "interject", Keywords: []string{"火锅"}}, State: "chat"},
					{Chat: persona.Chat{Platform: "qq", Kind: persona.Private, ID: "77"}},
				} {
					_, err := f.bot.WhatIf(f.Context(), q)
					require.NoError(t, err)
				}
				f.advance(0)
				assert.Equal(t, before, state())

				for range 2 { // one of the answers may be silence
					f.group.Say(bob, say("小炉，还在吗"))
					f.advance(time.Minute)
				}
				after := state()
				for what := range before { // a message changes all of it
					if what != "chats" {
						assert.NotEqual(t, before[what], after[what], what)
					}
				}
				f.qq.Friend(alice, "张三").Say(say("在吗"))
				f.advance(time.Minute)
				assert.NotEqual(t, after["chats"], state()["chats"])
			})
		})
	}
}

// Later messages are left out, and the moment is the last judged message.
func TestWhatIf_Until(t *testing.T) {
	withFixture(t, numbered(), mentionOnly, func(f *fixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		f.group.Say(bob, say("火锅不错"))
		f.advance(30 * time.Second)
		f.group.Say(bob, say("小炉，在吗"))
		f.advance(30 * time.Second)
		f.group.Say(bob, say("走了"))
		f.advance(time.Minute)
		for _, e := range log.events(func(e trace.Event) bool { return e.Decision != nil && e.Decision.Kind == heartflow.KindJudge }) {
			r, err := f.bot.WhatIf(f.Context(), social.Question{
				Chat: qqGroup, Until: e.Decision.At, Settings: social.ChatSettings{Keywords: []string{"火锅", "走了"}}, Events: log.events(func(trace.Event) bool { return true }),
			})
			require.NoError(t, err)
			m := r.Messages[r.Moment]
			assert.Equal(t, e.Decision.String(), m.Fact.Trace.String())
			assert.Equal(t, m.Fact.Trace.Do, m.Current.Trace.Do)
			assert.Equal(t, heartflow.Ask, m.Changed.Trace.Do)
			assert.Equal(t, m.Text != "小炉，在吗", m.Differs(), m.Text)
			assert.False(t, m.ReceivedAt.After(e.Decision.At))
			for _, later := range r.Messages[r.Moment+1:] {
				assert.True(t, later.Own)
			}
		}
	})
}

func TestWhatIf_Errors(t *testing.T) {
	withFixture(t, numbered(), func(o *social.Options) { o.When.Policies = map[string]heartflow.Policy{"eager": eager{}} }, func(f *fixture) {
		assert.Equal(t, []string{"eager", "interject", "mention"}, f.bot.Policies())
		for want, q := range map[string]social.Question{
			`"loud" is no policy: eager, interject, mention`: {Chat: qqGroup, Settings: social.ChatSettings{Policy: "loud"}},
			"must not be negative":                           {Chat: qqGroup, Settings: social.ChatSettings{MaxReplies: -1}},
			"Question.State":                                 {Chat: qqGroup, State: "asleep"},
			"Messages is 2001":                               {Chat: qqGroup, Messages: 2001},
			"Messages is -1":                                 {Chat: qqGroup, Messages: -1},
			"no policy judges":                               {Chat: persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}},
		} {
			_, err := f.bot.WhatIf(f.Context(), q)
			assert.ErrorContains(t, err, want)
		}
		r, err := f.bot.WhatIf(f.Context(), social.Question{Chat: qqGroup})
		require.NoError(t, err)
		assert.Equal(t, social.Replay{Moment: -1}, r, "a chat without messages")
		require.NoError(t, f.bot.Configure(f.Context(), qqGroup, social.ChatSettings{Policy: "eager"}))
		assert.Equal(t, "eager", f.bot.Settings(qqGroup).Policy)
	})
}

// BenchmarkWhatIf replays 300 messages, and 200 before them, under two settings.
func BenchmarkWhatIf(b *testing.B) {
	p, err := learned.New(learned.Options{})
	require.NoError(b, err)
	for name, policy := range map[string]heartflow.Policy{"mention": heartflow.MentionOnly{}, "learned": p} {
		b.Run(name, func(b *testing.B) {
			store := memory.NewMemStore()
			chat := persona.Chat{Platform: "x", Kind: persona.Group, ID: "1"}
			began := time.Now().Add(-3 * time.Hour)
			for i := range 500 {
				text := topics[i%len(topics)]
				if i%9 == 0 {
					text = "小炉，" + text
				}
				at := began.Add(time.Duration(i) * 15 * time.Second)
				require.NoError(b, store.Put(b.Context(), memory.Record{
					ID: fmt.Sprintf("m%d@%d", i, at.Unix()), Space: memory.Space(chat.String()), Kind: memory.KindMessage, Person: fmt.Sprint("u", i%7), Name: "群友", Text: text, At: at, Own: i%9 == 1,
				}))
			}
			o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: instantModel{}, Link: fake(), Storage: social.Storage{Store: store}}
			o.When.Attention.Policy = policy
			bot, err := social.New(o)
			require.NoError(b, err)
			ctx, stop := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- bot.Run(ctx) }()
			for b.Loop() {
				r, err := bot.WhatIf(ctx, social.Question{Chat: chat, Settings: social.ChatSettings{Policy: "interject"}})
				require.NoError(b, err)
				require.Len(b, r.Messages, 300)
			}
			stop()
			require.NoError(b, <-ended)
		})
	}
}
