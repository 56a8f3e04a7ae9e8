package social_test

import (
	"context"
	"strings"
	"sync/atomic"
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

// beginnings tests what a bot does by itself in a group in which people talk every twelve minutes. It starts the talks, has
// the bot speak once, and then runs test. model says what the bot says where it may begin.
func beginnings(t *testing.T, begin string, change func(*social.Options), test func(f *fixture, asked func() int)) {
	var asked atomic.Int32
	model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if !strings.Contains(p.Human(), "<beginning>") {
			return modeltest.Say("好的")
		}
		asked.Add(1)
		return modeltest.Say(begin)
	})
	withFixture(t, model, func(o *social.Options) {
		mentionOnly(o)
		o.When.Attention.Begin = &heartflow.Begin{Silence: 6 * time.Minute}
		if change != nil {
			change(o)
		}
	}, func(f *fixture) {
		for range 12 {
			f.group.Say(alice, say("今天好冷"))
			f.group.Say(bob, say("是啊"))
			f.advance(12 * time.Minute)
		}
		require.Zero(f, asked.Load(), "the bot has not spoken here")
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		require.Equal(f, []string{"好的"}, f.sent(f.group.Chat()))
		test(f, func() int { return int(asked.Load()) })
	})
}

// A bot begins a talk in a group that has gone cold, once, and says why in the trace. It does so by every attention.
func TestBegin(t *testing.T) {
	for name, change := range map[string]func(*social.Options){
		"plain": nil,
		"hfc":   func(o *social.Options) { o.When.HFC = &hfc.Options{} },
		"three": func(o *social.Options) { o.Reply.Strategy = social.ThinkPlanReply },
	} {
		t.Run(name, func(t *testing.T) {
			says := "周末去爬山吗"
			if name == "three" {
				says = `{"action": "text_reply", "reasoning": "想聊"}`
			}
			beginnings(t, says, change, func(f *fixture, asked func() int) {
				f.advance(10 * time.Minute)
				require.Zero(f, asked(), "the pause is not longer than usual")
				f.advance(10 * time.Minute)
				require.Equal(f, map[bool]int{false: 1, true: 3}[name == "three"], asked())
				assert.Len(f, f.sent(f.group.Chat()), 2)
				begun := f.tracesOf(heartflow.KindJudge)
				assert.Equal(f, []heartflow.Code{heartflow.WhyCold}, begun[len(begun)-1].Why)

				n := asked()
				f.advance(90 * time.Minute)
				assert.Equal(f, n, asked(), "not again before somebody has written")
				for range 3 {
					f.group.Say(bob, say("早"))
					f.advance(12 * time.Minute)
				}
				f.advance(time.Hour)
				assert.Equal(f, 2*n, asked(), "again after the interval, once")
			})
		})
	}
}

// The bot begins nothing if the model is silent, if the option is zero, or if the chat turns it off, nor after a restart or a lost
// connection in the silence.
func TestBegin_Not(t *testing.T) {
	for name, test := range map[string]struct {
		says   string
		change func(*social.Options)
		during func(f *fixture)
		asks   bool
	}{
		"silent model": {says: silence, asks: true},
		"zero":         {says: "早", change: func(o *social.Options) { o.When.Attention.Begin = nil }},
		"off here": {says: "早", change: func(o *social.Options) {
			o.When.Chats = func(persona.Chat) social.ChatOptions {
				return social.ChatOptions{Attention: heartflow.Settings{Begin: &heartflow.Begin{Off: true}}}
			}
		}},
		"off by settings": {says: "早", change: func(o *social.Options) {
			no := false
			o.When.Settings = map[persona.Chat]social.ChatSettings{techGroup: {Begins: &no}}
		}},
		"restart": {says: "早", during: func(f *fixture) {
			f.stop()
			f.start(func(o *social.Options) { o.When.Attention.Begin = &heartflow.Begin{Silence: 6 * time.Minute} })
		}},
		"connection": {says: "早", during: func(f *fixture) { f.qq.SetOnline(false); f.advance(time.Minute); f.qq.SetOnline(true) }},
	} {
		t.Run(name, func(t *testing.T) {
			beginnings(t, test.says, test.change, func(f *fixture, asked func() int) {
				if test.during != nil {
					test.during(f)
				}
				f.advance(30 * time.Minute)
				assert.Equal(f, test.asks, asked() == 1)
				assert.Len(f, f.sent(f.group.Chat()), 1)
			})
		})
	}
}
