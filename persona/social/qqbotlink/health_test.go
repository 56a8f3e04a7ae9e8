package qqbotlink_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot knows the state of the gateway over a session that is resumed, and how many messages the platform permits in a chat.
func TestHealth(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		health := func() trace.LinkHealth {
			all := f.bot.LinkHealth()
			require.Len(f, all, 1)
			return all[0]
		}
		f.pass(2 * time.Minute)
		h := health()
		assert.Equal(f, "qqbot", h.Self.Platform)
		assert.NotEmpty(f, h.Self.ID)
		assert.True(f, h.Online)
		assert.NotZero(f, h.Heartbeat)
		assert.Zero(f, h.Reconnects)

		f.s.Delay(qqbottest.Messages, time.Second)
		a, ok := f.bot.Allowance(groupChat("G1"))
		require.True(f, ok)
		assert.Zero(f, a.Replies)
		assert.NotEmpty(f, a.Refused, "nobody has said anything, and the bot may not speak first in groups")
		f.ann.At("在吗")
		f.pass(time.Minute)
		require.Equal(f, []string{"在"}, f.texts())
		a, _ = f.bot.Allowance(groupChat("G1"))
		assert.Equal(f, 4, a.Replies, "one of five is used up")
		assert.InDelta(f, 4*60-5, time.Until(a.RepliesUntil).Seconds(), 1)
		assert.Empty(f, a.Refused)
		assert.Equal(f, time.Second, health().P95)
		private, _ := f.bot.Allowance(userChat("U00000001"))
		assert.Equal(f, trace.Allowance{Minute: 20, Day: 1000}, private)
		_, ok = f.bot.Allowance(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"})
		assert.False(f, ok, "another platform")

		lost := time.Now()
		f.s.DropLinks()
		f.pass(time.Minute)
		h = health()
		assert.True(f, h.Online)
		assert.Equal(f, 1, h.Reconnects)
		assert.Equal(f, lost, h.Lost)
		assert.NotEmpty(f, h.LostReason)
		assert.Equal(f, 1, f.s.GatewayStats().Resumes)
	})
}
