package social_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A message that may have been sent waits in a list, also over a restart, until somebody settles it. If it was sent, the bot knows
// that it said it; if not, it is in no history. It is never sent again, and it is settled once.
func TestSettleUnclear(t *testing.T) {
	for name, sent := range map[string]bool{"sent": true, "not sent": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, store, notices, ctx := fake(), memory.NewMemStore(), []string{}, t.Context()
				tries := 0
				f.onSend = func(context.Context) error { tries++; return social.ErrUnclear }
				model := modeltest.Always(modeltest.Say("好的"))
				bot, stop := startBot(t, f, model, store, &notices)
				before, err := bot.Unclear(ctx)
				require.NoError(t, err)
				require.Empty(t, before)
				f.events <- newMessage("1", "a", "小炉 在吗")
				advance(time.Minute)
				stop()

				f.onSend = nil
				bot, stop = startBot(t, f, model, store, &notices)
				defer stop()
				all, err := bot.Unclear(ctx)
				require.NoError(t, err)
				require.Len(t, all, 1)
				assert.Equal(t, "好的", all[0].Text)
				assert.Equal(t, group1, all[0].Chat)
				assert.Equal(t, "batch", all[0].Kind)
				assert.False(t, all[0].Searched)
				require.NoError(t, bot.SettleUnclear(ctx, all[0].ID, sent))
				assert.ErrorIs(t, bot.SettleUnclear(ctx, all[0].ID, !sent), social.ErrSettled)
				assert.ErrorIs(t, bot.SettleUnclear(ctx, "0/nothing", sent), social.ErrSettled)
				left, err := bot.Unclear(ctx)
				require.NoError(t, err)
				assert.Empty(t, left)

				want := []string{"小炉 在吗"}
				if sent {
					want = append(want, "好的")
				}
				assert.Equal(t, want, stored(t, store))
				f.events <- newMessage("2", "a", "小炉 还在吗")
				advance(time.Minute)
				assert.Equal(t, sent, contains(model, "好的"), "the next turn is shown what was said")
				assert.Equal(t, 1, tries)
				assert.Len(t, f.sent, 1, "the answer to the second message")
				changed, err := bot.Changes(ctx)
				require.NoError(t, err)
				require.Len(t, changed, 1)
				assert.Equal(t, "unclear_send", changed[0].Field)
			})
		})
	}
}

// contains reports whether the last prompt of a model has a text.
func contains(model *modeltest.Model, text string) bool {
	all := model.Prompts()
	return len(all) > 0 && strings.Contains(all[len(all)-1].Text(), text)
}

// A settled message that the history shows meanwhile is in the journal once, under its own id. While the history cannot be read,
// the bot still looks for it, and nobody settles it.
func TestSettleUnclear_FoundInHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, notices, ctx := fake(), memory.NewMemStore(), []string{}, t.Context()
		f.onSend = func(context.Context) error { return social.ErrUnclear }
		f.pastErr = context.DeadlineExceeded
		bot, stop := startBot(t, pastLink{fakeLink: f}, modeltest.Always(modeltest.Say("好的")), store, &notices)
		defer stop()
		f.events <- persona.Connected{}
		f.events <- newMessage("1", "a", "小炉 在吗")
		advance(10 * time.Second)
		all, err := bot.Unclear(ctx)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.True(t, all[0].Searched)
		assert.ErrorIs(t, bot.SettleUnclear(ctx, all[0].ID, true), social.ErrSearched)
		advance(2 * time.Minute)
		require.Len(t, notices, 1, "the owner was told")

		f.mu.Lock()
		f.pastErr, f.past[group1] = nil, []persona.Message{{ID: "9", Chat: group1, From: "bot", Own: true, Text: "好的", At: all[0].At}}
		f.mu.Unlock()
		require.NoError(t, bot.SettleUnclear(ctx, all[0].ID, true))
		advance(time.Minute)
		assert.Equal(t, []string{"小炉 在吗", "好的"}, stored(t, store))
	})
}

// An answer to a request that was not sent can be given again.
func TestSettleUnclear_Request(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, ctx, tries := fake(), t.Context(), 0
		var fail error
		link := answeringLink{f, func(persona.Request, bool) error { tries++; return fail }}
		bot, stop := startBot(t, link, modeltest.New(), memory.NewMemStore(), &[]string{}, func(o *social.Options) { o.Access.Requests = social.AskOwner })
		defer stop()
		f.events <- persona.Connected{}
		r := persona.Request{ID: "flag", Kind: persona.FriendRequest, From: persona.Account{Platform: "qq", ID: "a"}, Name: "安", At: time.Now()}
		f.events <- r
		advance(time.Minute)
		waiting := func() int {
			all, err := bot.PendingRequests(ctx)
			require.NoError(t, err)
			return len(all)
		}
		require.Equal(t, 1, waiting())
		fail = social.ErrUnclear
		require.ErrorIs(t, bot.AnswerRequest(ctx, r, true, ""), social.ErrUnclear)
		require.Zero(t, waiting())
		all, err := bot.Unclear(ctx)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.NoError(t, bot.SettleUnclear(ctx, all[0].ID, false))
		require.Equal(t, 1, waiting())
		fail = nil
		require.NoError(t, bot.AnswerRequest(ctx, r, true, ""))
		assert.Zero(t, waiting())
		assert.ErrorIs(t, bot.AnswerRequest(ctx, r, true, ""), social.ErrAnswered)
		assert.Equal(t, 2, tries)
	})
}

// A answeringLink answers requests by a function.
type answeringLink struct {
	*fakeLink
	answer func(r persona.Request, approve bool) error
}

func (l answeringLink) Features() social.LinkFeatures {
	return social.LinkFeatures{AnswerRequest: func(_ context.Context, r persona.Request, approve bool, _ string) error { return l.answer(r, approve) }}
}
