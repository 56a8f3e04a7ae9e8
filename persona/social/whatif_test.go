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

var group1WhatIf = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

// The replay under the settings in effect decides like the bot did.
func TestWhatIf_AgreesWithTheBot(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*social.Options)
		least  float64 // share of agreement
	}{
		"mention":   {mentionOnly, 1},
		"interject": {func(o *social.Options) { o.When.Attention.Policy = heartflow.Interject{} }, 1},
		"learned":   {func(o *social.Options) { o.When.Attention.Policy = learnedPolicy(t) }, .9},
		"hfc":       {withHFC(), .5},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, slowly(), c.change, func(f *fixture) {
				var log eventLog
				defer f.bot.Watch(log.add)()
				f.chatter(150, 5)
				events := log.events(func(e trace.Event) bool { return e.Call == nil })
				for _, q := range []social.Question{{Chat: group1WhatIf, Events: events}, {Chat: group1WhatIf}, {Chat: group1WhatIf, Events: events, Messages: 60}} {
					r, err := f.bot.WhatIf(f.Context(), q)
					require.NoError(t, err)
					t.Logf("%s: %d events, %d messages: %d of %d agree, %d differ", name, len(q.Events), len(r.Messages), r.Agreed, r.Compared, r.Differences())
					for i, m := range r.Messages {
						if m.Fact.Known && m.Current.Known && m.Fact.Asks() != m.Current.Asks() {
							t.Logf("  %d %s %s\n   fact %v\n   now  %v", i, m.ReceivedAt.Format("15:04:05.000"), m.Text, m.Fact.Trace, m.Current.Trace)
						}
					}
					assert.Zero(t, r.Differences(), "the same settings")
					if q.Events != nil && q.Messages == 0 {
						assert.Greater(t, r.Compared, 100)
						assert.GreaterOrEqual(t, float64(r.Agreed)/float64(r.Compared), c.least)
					}
				}
			})
		})
	}
}
