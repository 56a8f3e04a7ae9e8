package social_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the requester is erased before the request is claimed, it is neither answered nor stored again.
func TestRequests_ErasedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store := newRequestModel(approve), memory.NewMemStore()
		f := &requestLink{fakeLink: fake()}
		_, stop := startBot(t, f, a.model(), store, nil, a.options)
		f.events <- newRequest(persona.FriendRequest, "f1")
		synctest.Wait()
		stop()
		b, stop := startBot(t, f, a.model(), store, nil, a.options)
		_, err := b.ErasePerson(t.Context(), persona.Account{Platform: "x", ID: "a"}, nil)
		require.NoError(t, err)
		f.events <- persona.Connected{}
		advance(time.Minute)
		stop()
		assert.Len(t, a.reads, 1, "before it was forgotten")
		assert.Empty(t, f.answered)
		rows, err := store.Load(t.Context(), "errand/")
		require.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// If the requester is erased while the model runs, the request is not answered and its row is deleted.
func TestRequests_ErasedWhileJudged(t *testing.T) {
	a := &requestModel{judge: func(string) modeltest.Step { return modeltest.Say(approve).After(2 * time.Second) }}
	withFixture(t, a.model(), a.options, func(f *fixture) {
		f.qq.FriendRequest(victim, "王"+secret, secret)
		f.advance(time.Second)
		_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}, nil)
		require.NoError(f, err)
		f.advance(time.Minute)
		assert.Empty(t, f.qq.Calls("set_friend_add_request"))
		assert.Empty(t, a.notices)
		left := everything(f)
		assert.NotContains(t, left, secret)
		assert.NotContains(t, left, fmt.Sprint(victim))
		flag := f.qq.FriendRequest(victim, "王", "又是我")
		f.advance(time.Minute)
		assert.Equal(t, "approve", f.answer(flag), "a new request is handled")
	})
}

// If the process dies at any write, a request is answered at most once, with the model's decision, and the owner is
// notified of unclear answers.
func TestRequests_Crashes(t *testing.T) {
	for _, says := range []string{approve, reject, `{"decision": "hold"}`} {
		want := map[string]string{approve: "approve", reject: "reject"}[says]
		t.Run("says "+want, func(t *testing.T) {
			for doom := 1; ; doom++ {
				died := false
				for how := range 3 {
					if testing.Short() && how != doom%3 {
						continue
					}
					a := newRequestModel(says)
					withFixture(t, a.model(), a.options, func(f *fixture) {
						f.stop()
						died = requestAndCrash(f, a, want, doom, how) || died
					})
				}
				if !died {
					assert.Greater(t, doom, 2, "too few writes")
					break
				}
			}
		})
	}
}

func requestAndCrash(f *fixture, a *requestModel, want string, doom, how int) (died bool) {
	options := func(o *social.Options) { a.options(o); o.When.Attention.Seed = 1 }
	s := &crashingStore{MemStore: f.store}
	_, end := f.startOn(s, options)
	f.advance(time.Minute) // counters are written by then
	s.crashAt(doom, how)
	flag := f.qq.FriendRequest(3001, "小满", "加我")
	f.advance(2 * time.Minute)
	end()
	_, end = f.startOn(f.store, options)
	f.advance(2 * time.Minute)
	end()
	calls, notices := f.qq.Calls("set_friend_add_request"), strings.Join(a.notices, "\n")
	require.LessOrEqual(f, len(calls), 1, "write %d, %d", doom, how)
	require.LessOrEqual(f, len(f.sent(onebottest.PrivateChat(3001))), 1, "write %d, %d", doom, how)
	rows, err := f.store.Load(f.Context(), "errand/request/")
	require.NoError(f, err)
	switch got := f.answer(flag); {
	case got != "":
		require.Equal(f, want, got, "write %d, %d", doom, how)
	case len(rows) == 0: // crashed before the request was stored: only the platform has it
		require.Zero(f, how, "write %d", doom)
		require.Empty(f, a.reads, "write %d", doom)
	case want != "":
		require.Contains(f, notices, "不知道成了没有", "write %d, %d", doom, how)
	default:
		require.Contains(f, notices, "没有处理", "write %d, %d", doom, how)
	}
	for _, row := range rows {
		require.Contains(f, string(row), `"status":"done"`, "write %d, %d: every job is done", doom, how)
	}
	return s.hasCrashed()
}
