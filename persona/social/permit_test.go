package social_test

import (
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A permitLink permits a number of messages.
type permitLink struct {
	social.Link
	left    atomic.Int64
	replyTo atomic.Value
}

func (l *permitLink) Features() social.LinkFeatures {
	f := social.FeaturesOf(l.Link)
	f.Permit = func(_ time.Time, _ persona.Chat, replyTo string) (int, error) {
		l.replyTo.Store(replyTo)
		if n := l.left.Load(); n > 0 {
			return int(n), nil
		}
		return 0, errors.New("the window is over")
	}
	return f
}

func (f *fixture) skipped(code heartflow.Code) (n int) {
	for _, t := range f.tracesOf(heartflow.KindSkip) {
		if t.Why[0] == code {
			n++
		}
	}
	return n
}

// A batch that may not be answered any more is not thought out. The same batch within the window is.
func TestPermit_BeforeTheModel(t *testing.T) {
	link := &permitLink{}
	withFixture(t, modeltest.Always(modeltest.Say("在")), func(o *social.Options) { link.Link, o.Link = o.Link, link }, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Empty(t, f.model.Prompts())
		assert.Equal(t, 1, f.skipped(heartflow.WhyNoWindow))
		assert.Empty(t, f.qq.Sent())
		link.left.Store(1)
		id := f.group.Say(alice, at(botID, "还在吗"))
		f.advance(time.Minute)
		assert.Len(t, f.model.Prompts(), 1)
		assert.Len(t, f.qq.Sent(), 1)
		assert.Equal(t, strconv.FormatInt(id, 10), link.replyTo.Load())
	})
}

// The window may end while the model thinks: then nothing is committed or sent.
func TestPermit_BeforeSending(t *testing.T) {
	link := &permitLink{}
	link.left.Store(1)
	withFixture(t, modeltest.Always(modeltest.Say("在").After(30*time.Second)), func(o *social.Options) { link.Link, o.Link = o.Link, link }, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(20 * time.Second)
		require.Len(t, f.model.Prompts(), 1)
		link.left.Store(0)
		f.advance(time.Minute)
		assert.Empty(t, f.qq.Sent())
		assert.Equal(t, 1, f.skipped(heartflow.WhyNoWindow))
		e := f.job("batch/")
		assert.Empty(t, e.Outbox)
		assert.Contains(t, e.Outcome, "the window is over")
		assert.EqualValues(t, 1, f.bot.Stats().ReplyRejected)
		_, err := f.bot.Say(f.Context(), techGroup, "开会了")
		assert.ErrorIs(t, err, social.ErrNotPermitted)
	})
}

// A reply in parts has as many parts as the platform permits: the last holds the rest.
func TestPermit_Parts(t *testing.T) {
	link := &permitLink{}
	link.left.Store(2)
	withFixture(t, modeltest.Always(modeltest.Say(threeSentences)), withSpeech(func(o *social.Options) { link.Link, o.Link = o.Link, link }), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{threeParts[0], threeParts[1] + "\n" + threeParts[2]}, f.sent(f.group.Chat()))
		link.left.Store(0)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 2)
	})
}

// A task in a chat where the bot may not speak first asks no model.
func TestPermit_BeforeTask(t *testing.T) {
	for name, left := range map[string]int64{"closed": 0, "open": 1} {
		t.Run(name, func(t *testing.T) {
			link := &permitLink{}
			link.left.Store(left)
			withAutonomy(t, func(o *social.Options) { link.Link, o.Link = o.Link, link }, func(f *autonomyFixture) {
				f.answer(headTask, modeltest.Say("下雨了，记得带伞"))
				_, err := f.bot.AddTask(f.Context(), schedule.Task{
					Title: "提醒带伞", Motivation: "要下雨了", ScheduledAt: time.Now().Add(time.Minute), Origin: schedule.Origin{Chat: techGroup, Mode: persona.Persona},
				})
				require.NoError(t, err)
				f.advance(10 * time.Minute)
				assert.Len(t, f.prompts(headTask), int(left))
				assert.Len(t, f.qq.Sent(), int(left))
			})
		})
	}
}
