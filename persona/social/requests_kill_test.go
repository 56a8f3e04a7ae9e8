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

// TestForgottenWhileWaiting: who is forgotten before their request was taken up is not answered, and not written down again.
func TestForgottenWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store := answers(approve), memory.NewMemStore()
		f := &petitionLink{fakeLink: fake()}
		_, stop := liveOn(t, f, a.model(), store, nil, a.options)
		f.in <- petition(persona.FriendRequest, "f1")
		synctest.Wait()
		stop()
		b, stop := liveOn(t, f, a.model(), store, nil, a.options)
		_, err := b.ErasePerson(t.Context(), persona.Account{Platform: "x", ID: "a"}, nil)
		require.NoError(t, err)
		f.in <- persona.Connected{}
		after(time.Minute)
		stop()
		assert.Len(t, a.reads, 1, "before it was forgotten")
		assert.Empty(t, f.answered)
		rows, err := store.Load(t.Context(), "errand/")
		require.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// TestForgottenAsk: who is forgotten while the being thinks is not answered, and no row tells of it.
func TestForgottenAsk(t *testing.T) {
	a := &admitter{judge: func(string) modeltest.Step { return modeltest.Say(approve).After(2 * time.Second) }}
	inBubble(t, a.model(), a.options, func(b *bubble) {
		b.qq.FriendRequest(victim, "王"+secret, secret)
		b.pass(time.Second)
		_, err := b.being.ErasePerson(b.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}, nil)
		require.NoError(b, err)
		b.pass(time.Minute)
		assert.Empty(t, b.qq.Calls("set_friend_add_request"))
		assert.Empty(t, a.told)
		left := everything(b)
		assert.NotContains(t, left, secret)
		assert.NotContains(t, left, fmt.Sprint(victim))
		flag := b.qq.FriendRequest(victim, "王", "又是我")
		b.pass(time.Minute)
		assert.Equal(t, "approve", b.answer(flag), "who is forgotten may be met again")
	})
}

// TestRequestKilled: whenever the process dies, a request is answered at most once, as the model said, and the owner
// knows what is in doubt.
func TestRequestKilled(t *testing.T) {
	for _, says := range []string{approve, reject, `{"decision": "hold"}`} {
		want := map[string]string{approve: "approve", reject: "reject"}[says]
		t.Run("says "+want, func(t *testing.T) {
			for doom := 1; ; doom++ {
				died := false
				for how := range 3 {
					if testing.Short() && how != doom%3 {
						continue
					}
					a := answers(says)
					inBubble(t, a.model(), a.options, func(b *bubble) {
						b.stop()
						died = requestKilled(b, a, want, doom, how) || died
					})
				}
				if !died {
					assert.Greater(t, doom, 2, "hardly anything was written")
					break
				}
			}
		})
	}
}

func requestKilled(b *bubble, a *admitter, want string, doom, how int) (died bool) {
	options := func(o *social.Options) { a.options(o); o.When.Attention.Seed = 1 }
	s := &mortal{MemStore: b.store}
	_, end := b.live(s, options)
	b.pass(time.Minute) // what it counts is written by then
	s.doom(doom, how)
	flag := b.qq.FriendRequest(3001, "小满", "加我")
	b.pass(2 * time.Minute)
	end()
	_, end = b.live(b.store, options)
	b.pass(2 * time.Minute)
	end()
	calls, told := b.qq.Calls("set_friend_add_request"), strings.Join(a.told, "\n")
	require.LessOrEqual(b, len(calls), 1, "write %d, %d", doom, how)
	require.LessOrEqual(b, len(b.sent(onebottest.PrivateChat(3001))), 1, "write %d, %d", doom, how)
	rows, err := b.store.Load(b.Context(), "errand/request/")
	require.NoError(b, err)
	switch got := b.answer(flag); {
	case got != "":
		require.Equal(b, want, got, "write %d, %d", doom, how)
	case len(rows) == 0: // it died before the request was written down: only the platform has it
		require.Zero(b, how, "write %d", doom)
		require.Empty(b, a.reads, "write %d", doom)
	case want != "":
		require.Contains(b, told, "不知道成了没有", "write %d, %d", doom, how)
	default:
		require.Contains(b, told, "没有处理", "write %d, %d", doom, how)
	}
	for _, row := range rows {
		require.Contains(b, string(row), `"status":"done"`, "write %d, %d: none is forgotten", doom, how)
	}
	return s.died()
}
