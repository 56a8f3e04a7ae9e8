package social_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func withFeedback(o *social.Options) {
	withCommandOptions(o)
	o.When.Feedback = &feedback.Options{}
}

// ratings returns the traces about how people took what the bot said.
func (f *fixture) ratings() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.traces {
		if t.Kind == heartflow.KindFeedback {
			all = append(all, fmt.Sprintf("%.3g %v", t.Score, t.Why))
		}
	}
	return all
}

// What people do after the bot has spoken is rated, kept over a restart, shown by the status, and forgotten by a command.
func TestFeedback_InGroups(t *testing.T) {
	withCommands(t, numbered(), withFeedback, func(f *fixture) {
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(30 * time.Second)
		sent := f.qq.Sent()
		require.Len(t, sent, 1)
		assert.Zero(t, f.bot.ChatStatus(chat).Welcome)
		f.group.Say(bob, onebot.Message{onebot.Reply(sent[0].MessageID), onebot.Text("哈哈哈")})
		f.advance(11 * time.Minute)
		assert.Equal(t, []string{"1 [got_answer got_quote got_laugh]"}, f.ratings())
		assert.InDelta(t, .1, f.bot.ChatStatus(chat).Welcome, .001)

		f.group.Say(alice, at(botID, "再说一句"))
		f.advance(30 * time.Second)
		f.group.Say(bob, at(botID, "好吵，闭嘴"))
		f.advance(5 * time.Second)
		f.stop()
		f.start(withFeedback)
		f.advance(11 * time.Minute)
		assert.Contains(t, f.ratings()[1:], "-1 [got_complaint]", "it was open when the bot stopped")
		after := f.bot.ChatStatus(chat).Welcome
		assert.Less(t, after, .05)

		for range 3 { // the answer to the complaint is rated too
			f.group.Say(alice, at(botID, "你好"))
			f.advance(30 * time.Second)
			f.group.Say(alice, at(botID, "吵死了"))
			f.advance(12 * time.Minute)
		}
		seen := len(f.sent(f.group.Chat()))
		f.group.Say(boss, at(botID, "状态"))
		f.advance(30 * time.Second)
		said := f.sent(f.group.Chat())[seen:]
		require.Len(t, said, 1)
		assert.Contains(t, said[0], "我主动插话的机会 -")

		f.group.Say(boss, at(botID, "重置反馈"))
		f.advance(30 * time.Second)
		assert.Zero(t, f.bot.ChatStatus(chat).Welcome)
		f.stop()
		f.start(withFeedback)
		assert.Zero(t, f.bot.ChatStatus(chat).Welcome, "for good")
	})
}

// A mute, a deletion by an admin and a reaction count. A person who is erased leaves nothing.
func TestFeedback_EventsAndErasure(t *testing.T) {
	withCommands(t, numbered(), withFeedback, func(f *fixture) {
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
		speaks := func() {
			f.group.Say(alice, at(botID, "说说"))
			f.advance(30 * time.Second)
		}
		speaks()
		sent := f.qq.Sent()
		require.True(t, f.group.React(sent[len(sent)-1].MessageID, bob, "76", true))
		f.advance(11 * time.Minute)
		speaks()
		sent = f.qq.Sent()
		f.qq.RecallBy(sent[len(sent)-1].MessageID, admin)
		f.advance(11 * time.Minute)
		speaks()
		f.group.Ban(botID, time.Minute)
		f.advance(11 * time.Minute)
		assert.Equal(t, []string{"0.5 [got_praise]", "-0.8 [got_deleted]", "-1 [got_muted]"}, f.ratings())

		stored := func() bool {
			rows, err := f.store.Load(context.Background(), "feedback/")
			require.NoError(t, err)
			for _, row := range rows {
				if bytes.Contains(row, []byte(fmt.Sprint(bob))) {
					return true
				}
			}
			return false
		}
		require.True(t, stored())
		_, err := f.bot.ErasePerson(context.Background(), qqAccount(bob), nil)
		require.NoError(t, err)
		assert.False(t, stored())
		_, err = f.bot.EraseChat(context.Background(), chat, nil)
		require.NoError(t, err)
		rows, err := f.store.Load(context.Background(), "feedback/")
		require.NoError(t, err)
		assert.Empty(t, rows)
		assert.Zero(t, f.bot.ChatStatus(chat).Welcome)
	})
}

func TestFeedback_Options(t *testing.T) {
	o := social.Options{When: social.When{Feedback: &feedback.Options{Rate: 2}}}
	o.Profile.Name, o.Model, o.Link = "小炉", modeltest.Always(modeltest.Say("a")), &fakeLink{}
	_, err := social.New(o)
	assert.ErrorContains(t, err, "Rate is at most 1")
	o.When.Feedback.Rate = 0
	o.When.Attention.Welcome = func(time.Time, string, string) float64 { return 0 }
	_, err = social.New(o)
	assert.ErrorContains(t, err, "set one of them")
	o.When.Feedback, o.When.Attention.Welcome = nil, nil
	bot, err := social.New(o)
	require.NoError(t, err)
	assert.ErrorIs(t, bot.ResetFeedback(t.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}), social.ErrNoFeedback)
}
