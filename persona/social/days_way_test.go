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

// untilReviewed waits until the model has been asked so many times to look back.
func (l *lively) untilReviewed(t *testing.T, times int) {
	for range 1000 {
		if l.pass(time.Second); len(l.prompts(review)) >= times {
			return
		}
	}
	require.Fail(t, "it does not look back")
}

// TestTheOwnerDoesNotWait while the being thinks in the background: that is done anew.
func TestTheOwnerDoesNotWait(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", slices.Repeat([]modeltest.Step{modeltest.Say("嗯嗯")}, 20)...)
		l.answer(review, modeltest.Hang(""), modeltest.Say("主人很忙"))
		for range 6 {
			_, err := l.being.OwnerMessage(l.Context(), "忙")
			require.NoError(t, err)
			l.pass(70 * time.Second)
		}
		l.untilReviewed(t, 1)
		began := time.Now()
		reply, err := l.being.OwnerMessage(l.Context(), "在吗")
		require.NoError(t, err)
		assert.Equal(t, "嗯嗯", reply)
		assert.Zero(t, time.Since(began))
		l.pass(time.Second)
		assert.Len(t, l.prompts(review), 2)
		done := l.did(schedule.WakeReview)
		require.Len(t, done, 1)
		assert.NoError(t, done[0].Err)
		assert.Equal(t, "主人很忙", done[0].Text)
		assert.Zero(t, l.being.Stats().ModelFailed)
	})
}

// TestWhoCallsDoesNotWait either, but thinking that was begun in vain often enough is finished.
func TestWhoCallsDoesNotWait(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", slices.Repeat([]modeltest.Step{modeltest.Say("嗯嗯")}, 30)...)
		l.answer(review, slices.Repeat([]modeltest.Step{modeltest.Say("张三很忙").After(100 * time.Second)}, 10)...)
		for i := range 6 {
			l.group.Say(alice, at(bot, strings.Repeat("忙", i+1)))
			l.pass(70 * time.Second)
		}
		for i := range 4 {
			l.untilReviewed(t, i+1)
			before := len(l.qq.Sent())
			l.group.Say(alice, at(bot, strings.Repeat("在", i+1)))
			l.pass(20 * time.Second)
			if i < 3 {
				assert.Greater(t, len(l.qq.Sent()), before, "call %d", i)
			} else {
				assert.Len(t, l.qq.Sent(), before, "it waits now")
			}
		}
		l.pass(2 * time.Minute)
		assert.Len(t, l.prompts(review), 4)
		done := l.did(schedule.WakeReview)
		require.Len(t, done, 1)
		assert.Equal(t, "张三很忙", done[0].Text)
	})
}

// TestWhoCallsDoesNotWaitBehindOthers who said something before, and whose words wait for the same talk of the background.
func TestWhoCallsDoesNotWaitBehindOthers(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", slices.Repeat([]modeltest.Step{modeltest.Say("嗯嗯")}, 30)...)
		l.answer(review, slices.Repeat([]modeltest.Step{modeltest.Say("张三很忙").After(100 * time.Second)}, 10)...)
		for i := range 6 {
			l.group.Say(alice, at(bot, strings.Repeat("忙", i+1)))
			l.pass(70 * time.Second)
		}
		l.untilReviewed(t, 1)
		l.group.Say(bob, say("今天好冷"))
		l.pass(20 * time.Second)
		before := len(l.qq.Sent())
		l.group.Say(alice, at(bot, "在吗"))
		l.pass(20 * time.Second)
		assert.Greater(t, len(l.qq.Sent()), before)
	})
}
