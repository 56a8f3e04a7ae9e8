package social_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An answer with an unclear result is not repeated, and the owner is notified of a refused one.
func TestRequests_UnclearAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		fault  func(*fixture)
		notice string
	}{
		"no answer":     {func(f *fixture) { f.qq.WithholdResponse("set_friend_add_request", 1) }, "想同意，不知道成了没有"},
		"refused":       {func(f *fixture) { f.qq.Fail("set_friend_add_request", 1200, 1) }, "想同意，没有成功"},
		"link is down":  {func(f *fixture) { f.qq.RefuseConnections(true); f.qq.DropLinks() }, "想同意，不知道成了没有"},
		"stop midway":   {func(f *fixture) { f.qq.WithholdResponse("set_friend_add_request", 1) }, "想同意，不知道成了没有"},
		"stop, resumed": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := newRequestModel(approve)
			withFixture(t, a.model(), a.options, func(f *fixture) {
				f.qq.FriendRequest(3001, "小满", "")
				f.advance(time.Millisecond)
				if tt.fault != nil {
					tt.fault(f)
				}
				if strings.HasPrefix(name, "stop") {
					for len(f.qq.Calls("set_friend_add_request")) == 0 && len(a.reads) == 0 {
						f.advance(time.Second)
					}
					if tt.fault != nil {
						f.advance(16 * time.Second)
					}
					f.stop()
					f.start(a.options)
				}
				f.advance(5 * time.Minute)
				assert.LessOrEqual(t, len(f.qq.Calls("set_friend_add_request")), 1)
				if tt.notice == "" {
					assert.Len(t, a.reads, 2, "judged again")
					assert.Empty(t, a.notices)
					assert.Len(t, f.qq.Calls("set_friend_add_request"), 1)
					return
				}
				require.NotEmpty(t, a.notices)
				assert.Contains(t, strings.Join(a.notices, "\n"), tt.notice)
				assert.Empty(t, f.qq.Sent())
			})
		})
	}
}

// A requestLink answers requests with a configurable error.
type requestLink struct {
	*fakeLink
	answered []string
	err      error
}

func (f *requestLink) Features() social.LinkFeatures {
	return social.LinkFeatures{AnswerRequest: f.answer}
}

func (f *requestLink) answer(_ context.Context, r persona.Request, approve bool, reason string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered = append(f.answered, fmt.Sprint(r.Kind, " ", r.ID, " ", approve, " ", reason))
	return f.err
}

func newRequest(kind, flag string) persona.Request {
	return persona.Request{Kind: kind, ID: flag, From: persona.Account{Platform: "x", ID: "a"}, Name: "甲", Group: "1", At: time.Now()}
}

// A repeated request is the same one, also over restarts. An old one is escalated.
func TestRequests_SameFlagOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a, store := &requestLink{fakeLink: fake()}, newRequestModel(approve), memory.NewMemStore()
		_, stop := startBot(t, f, a.model(), store, nil, a.options)
		f.events <- newRequest(persona.FriendRequest, "f1")
		f.events <- newRequest(persona.FriendRequest, "f1")
		f.events <- newRequest("dance", "f2")
		f.events <- newRequest(persona.GroupJoin, "f3")
		f.events <- newRequest(persona.FriendRequest, "")
		advance(time.Minute)
		f.events <- newRequest(persona.FriendRequest, "f1")
		stop()
		_, stop = startBot(t, f, a.model(), store, nil, a.options)
		f.events <- newRequest(persona.FriendRequest, "f1")
		f.events <- newRequest(persona.GroupInvite, "f1") // another requester
		advance(time.Minute)
		stop()
		assert.Equal(t, []string{"friend f1 true ", "group_invite f1 true "}, f.answered)
		assert.Len(t, a.reads, 2)

		old := newRequest(persona.FriendRequest, "f4")
		old.At = time.Now().Add(-8 * 24 * time.Hour)
		late := newRequest(persona.FriendRequest, "f5")
		late.At = time.Now().Add(-6 * 24 * time.Hour)
		_, stop = startBot(t, f, a.model(), store, nil, a.options)
		f.events <- old
		f.events <- late
		advance(time.Minute)
		stop()
		assert.Equal(t, []string{"friend f5 true "}, f.answered[2:])
		require.Len(t, a.notices, 1)
		assert.Contains(t, a.notices[0], "已经过了一周")
	})
}

// After a restart no request is judged before the link is connected.
func TestRequests_WaitForLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store := newRequestModel(approve), memory.NewMemStore()
		f := &requestLink{fakeLink: fake()}
		_, stop := startBot(t, f, a.model(), store, nil, a.options)
		f.events <- newRequest(persona.FriendRequest, "f1")
		synctest.Wait()
		stop()
		require.Empty(t, f.answered)
		_, stop = startBot(t, f, a.model(), store, nil, a.options)
		advance(3 * time.Hour)
		assert.Len(t, a.reads, 1)
		f.events <- persona.Connected{}
		advance(time.Second)
		stop()
		assert.Len(t, a.reads, 2)
		assert.Len(t, f.answered, 1, "the answer time has passed")
	})
}

// Join requests are passed to the host. It can answer each once.
func TestRequests_JoinsForHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a := &requestLink{fakeLink: fake()}, newRequestModel(approve)
		var joins []persona.Request
		b, stop := startBot(t, f, a.model(), memory.NewMemStore(), nil, a.options, func(o *social.Options) {
			o.Access.OnJoinRequest = func(_ context.Context, r persona.Request) { joins = append(joins, r) }
		})
		defer stop()
		f.events <- newRequest(persona.GroupJoin, "f1")
		advance(time.Minute)
		require.Len(t, joins, 1)
		assert.Empty(t, a.reads, "no model is asked")
		assert.Empty(t, f.answered)
		f.err = errors.New("refused")
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), joins[0], true, ""), f.err)
		f.err = nil
		require.NoError(t, b.AnswerRequest(t.Context(), joins[0], false, "满了"), "a failed answer may be retried")
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), joins[0], true, ""), social.ErrAnswered)
		assert.Equal(t, []string{"group_join f1 true ", "group_join f1 false 满了"}, f.answered)

		f.events <- newRequest(persona.FriendRequest, "f2") // the owner answers first
		advance(time.Second)
		require.NoError(t, b.AnswerRequest(t.Context(), newRequest(persona.FriendRequest, "f2"), false, ""))
		advance(time.Minute)
		f.err = social.ErrUnclear
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), newRequest(persona.FriendRequest, "f3"), false, ""), social.ErrUnclear)
		f.err = nil
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), newRequest(persona.FriendRequest, "f3"), false, ""), social.ErrAnswered)
		f.events <- newRequest(persona.FriendRequest, "f4")
		advance(time.Minute)
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), newRequest(persona.FriendRequest, "f4"), false, ""), social.ErrAnswered, "it was judged")
		assert.Equal(t, []string{"friend f2 false ", "friend f3 false ", "friend f4 true "}, f.answered[2:])
		assert.Error(t, b.AnswerRequest(t.Context(), persona.Request{}, true, ""))
	})
}

// The judge's prompt has the bot's lowest energy over all chats, and its affinity to the requester if there is one.
func TestRequests_JudgeSeesEnergyAndAffinity(t *testing.T) {
	a := newRequestModel(reject)
	withFixture(t, a.model(), func(o *social.Options) { a.options(o); o.Background.Digest = &social.Digest{} }, func(f *fixture) {
		f.group.Say(alice, say("早"))
		f.advance(time.Minute)
		people := memorytest.New(f, f.store, memory.Options{}).People("qq:group:1")
		for range 100 {
			_, err := people.RecordInteraction(f.Context(), time.Now(), "1001", memory.Interaction{Feeling: memory.Shy})
			require.NoError(t, err)
		}
		affinity, err := people.Affinity(f.Context())
		require.NoError(t, err)
		asks := func(who int64) (energy, interest float64) {
			f.qq.FriendRequest(who, "某人", "")
			f.advance(20 * time.Second)
			read := a.reads[len(a.reads)-1]
			energy, interest = -1, -1
			_, self, _ := strings.Cut(read, "</request>\n<self ")
			self, _, _ = strings.Cut(self, "/>")
			for _, attr := range strings.Fields(self) {
				name, value, _ := strings.Cut(attr, "=")
				v, err := strconv.ParseFloat(strings.Trim(value, `"`), 64)
				require.NoError(t, err)
				*map[string]*float64{"energy": &energy, "interest": &interest}[name] = v
			}
			return energy, interest
		}
		energy, interest := asks(alice)
		assert.EqualValues(t, 1, energy)
		require.Positive(t, affinity["1001"])
		assert.InDelta(t, affinity["1001"], interest, 0.006)
		for range 4 {
			f.group.Say(bob, at(botID, "在吗"))
			f.advance(20 * time.Second)
		}
		require.NotEmpty(t, f.sent(onebottest.GroupChat(1)))
		energy, interest = asks(3001)
		assert.Less(t, energy, 1.)
		assert.NotEqual(t, -1., energy)
		assert.EqualValues(t, -1, interest, "no affinity")
	})
}
