package social_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// untilReviewed waits for a number of review prompts.
func (f *autonomyFixture) untilReviewed(t *testing.T, times int) {
	for range 1000 {
		if f.advance(time.Second); len(f.prompts(headReview)) >= times {
			return
		}
	}
	require.Fail(t, "no review")
}

// The owner does not wait for a background turn: it is cancelled and repeated.
func TestBackgroundTurn_YieldsToOwner(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", slices.Repeat([]modeltest.Step{modeltest.Say("嗯嗯")}, 20)...)
		f.answer(headReview, modeltest.Hang(""), modeltest.Say("主人很忙"))
		for range 6 {
			_, err := f.bot.OwnerMessage(f.Context(), "忙")
			require.NoError(t, err)
			f.advance(70 * time.Second)
		}
		f.untilReviewed(t, 1)
		began := time.Now()
		reply, err := f.bot.OwnerMessage(f.Context(), "在吗")
		require.NoError(t, err)
		assert.Equal(t, "嗯嗯", reply)
		assert.Zero(t, time.Since(began))
		f.advance(time.Second)
		assert.Len(t, f.prompts(headReview), 2)
		done := f.resultsOf(schedule.WakeReview)
		require.Len(t, done, 1)
		assert.NoError(t, done[0].Err)
		assert.Equal(t, "主人很忙", done[0].Text)
		assert.Zero(t, f.bot.Stats().ModelFailed)
	})
}

// A message to the bot cancels a background turn, too. After enough cancelled attempts the turn runs to its end.
func TestBackgroundTurn_YieldsToMessages(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", slices.Repeat([]modeltest.Step{modeltest.Say("嗯嗯")}, 30)...)
		f.answer(headReview, slices.Repeat([]modeltest.Step{modeltest.Say("张三很忙").After(100 * time.Second)}, 10)...)
		for i := range 6 {
			f.group.Say(alice, at(botID, strings.Repeat("忙", i+1)))
			f.advance(70 * time.Second)
		}
		for i := range 4 {
			f.untilReviewed(t, i+1)
			before := len(f.qq.Sent())
			f.group.Say(alice, at(botID, strings.Repeat("在", i+1)))
			f.advance(20 * time.Second)
			if i < 3 {
				assert.Greater(t, len(f.qq.Sent()), before, "call %d", i)
			} else {
				assert.Len(t, f.qq.Sent(), before, "the message waits now")
			}
		}
		f.advance(2 * time.Minute)
		assert.Len(t, f.prompts(headReview), 4)
		done := f.resultsOf(schedule.WakeReview)
		require.Len(t, done, 1)
		assert.Equal(t, "张三很忙", done[0].Text)
	})
}

// A message does not wait behind others that wait for the same background turn.
func TestBackgroundTurn_YieldsPastWaitingMessages(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", slices.Repeat([]modeltest.Step{modeltest.Say("嗯嗯")}, 30)...)
		f.answer(headReview, slices.Repeat([]modeltest.Step{modeltest.Say("张三很忙").After(100 * time.Second)}, 10)...)
		for i := range 6 {
			f.group.Say(alice, at(botID, strings.Repeat("忙", i+1)))
			f.advance(70 * time.Second)
		}
		f.untilReviewed(t, 1)
		f.group.Say(bob, say("今天好冷"))
		f.advance(20 * time.Second)
		before := len(f.qq.Sent())
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(20 * time.Second)
		assert.Greater(t, len(f.qq.Sent()), before)
	})
}
