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

// TestUnclearAnswerIsTold: an answer whose outcome nobody knows is not repeated, and one that was refused is told.
func TestUnclearAnswerIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		fault func(*bubble)
		told  string
	}{
		"no answer":     {func(b *bubble) { b.qq.WithholdResponse("set_friend_add_request", 1) }, "想同意，不知道成了没有"},
		"refused":       {func(b *bubble) { b.qq.Fail("set_friend_add_request", 1200, 1) }, "想同意，没有成功"},
		"link is down":  {func(b *bubble) { b.qq.RefuseConnections(true); b.qq.DropLinks() }, "想同意，不知道成了没有"},
		"stop midway":   {func(b *bubble) { b.qq.WithholdResponse("set_friend_add_request", 1) }, "想同意，不知道成了没有"},
		"stop, resumed": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := answers(approve)
			inBubble(t, a.model(), a.options, func(b *bubble) {
				b.qq.FriendRequest(3001, "小满", "")
				b.pass(time.Millisecond)
				if tt.fault != nil {
					tt.fault(b)
				}
				if strings.HasPrefix(name, "stop") {
					for len(b.qq.Calls("set_friend_add_request")) == 0 && len(a.reads) == 0 {
						b.pass(time.Second)
					}
					if tt.fault != nil {
						b.pass(16 * time.Second)
					}
					b.stop()
					b.start(a.options)
				}
				b.pass(5 * time.Minute)
				assert.LessOrEqual(t, len(b.qq.Calls("set_friend_add_request")), 1)
				if tt.told == "" {
					assert.Len(t, a.reads, 2, "judged anew")
					assert.Empty(t, a.told)
					assert.Len(t, b.qq.Calls("set_friend_add_request"), 1)
					return
				}
				require.NotEmpty(t, a.told)
				assert.Contains(t, strings.Join(a.told, "\n"), tt.told)
				assert.Empty(t, b.qq.Sent())
			})
		})
	}
}

// A petitionLink answers requests, as it is told.
type petitionLink struct {
	*fakeLink
	answered []string
	err      error
}

func (f *petitionLink) Features() social.LinkFeatures {
	return social.LinkFeatures{AnswerRequest: f.answer}
}

func (f *petitionLink) answer(_ context.Context, r persona.Request, approve bool, reason string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered = append(f.answered, fmt.Sprint(r.Kind, " ", r.ID, " ", approve, " ", reason))
	return f.err
}

func petition(kind, flag string) persona.Request {
	return persona.Request{Kind: kind, ID: flag, From: persona.Account{Platform: "x", ID: "a"}, Name: "甲", Group: "1", At: time.Now()}
}

// TestSameFlagOnce: a request that comes again is the same one, over restarts too. An old one is left to the owner.
func TestSameFlagOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a, store := &petitionLink{fakeLink: fake()}, answers(approve), memory.NewMemStore()
		_, stop := liveOn(t, f, a.model(), store, nil, a.options)
		f.in <- petition(persona.FriendRequest, "f1")
		f.in <- petition(persona.FriendRequest, "f1")
		f.in <- petition("dance", "f2")
		f.in <- petition(persona.GroupJoin, "f3")
		f.in <- petition(persona.FriendRequest, "")
		after(time.Minute)
		f.in <- petition(persona.FriendRequest, "f1")
		stop()
		_, stop = liveOn(t, f, a.model(), store, nil, a.options)
		f.in <- petition(persona.FriendRequest, "f1")
		f.in <- petition(persona.GroupInvite, "f1") // another one
		after(time.Minute)
		stop()
		assert.Equal(t, []string{"friend f1 true ", "group_invite f1 true "}, f.answered)
		assert.Len(t, a.reads, 2)

		old := petition(persona.FriendRequest, "f4")
		old.At = time.Now().Add(-8 * 24 * time.Hour)
		late := petition(persona.FriendRequest, "f5")
		late.At = time.Now().Add(-6 * 24 * time.Hour)
		_, stop = liveOn(t, f, a.model(), store, nil, a.options)
		f.in <- old
		f.in <- late
		after(time.Minute)
		stop()
		assert.Equal(t, []string{"friend f5 true "}, f.answered[2:])
		require.Len(t, a.told, 1)
		assert.Contains(t, a.told[0], "已经过了一周")
	})
}

// TestWaitsForTheLink: after a restart nothing is judged before the link has brought something.
func TestWaitsForTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store := answers(approve), memory.NewMemStore()
		f := &petitionLink{fakeLink: fake()}
		_, stop := liveOn(t, f, a.model(), store, nil, a.options)
		f.in <- petition(persona.FriendRequest, "f1")
		synctest.Wait()
		stop()
		require.Empty(t, f.answered)
		_, stop = liveOn(t, f, a.model(), store, nil, a.options)
		after(3 * time.Hour)
		assert.Len(t, a.reads, 1)
		f.in <- persona.Connected{}
		after(time.Second)
		stop()
		assert.Len(t, a.reads, 2)
		assert.Len(t, f.answered, 1, "its time has come long ago")
	})
}

// TestJoinsAreTheHosts: who wants into a group is the host's matter, and it answers once.
func TestJoinsAreTheHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a := &petitionLink{fakeLink: fake()}, answers(approve)
		var joins []persona.Request
		b, stop := liveOn(t, f, a.model(), memory.NewMemStore(), nil, a.options, func(o *social.Options) {
			o.Access.OnJoinRequest = func(_ context.Context, r persona.Request) { joins = append(joins, r) }
		})
		defer stop()
		f.in <- petition(persona.GroupJoin, "f1")
		after(time.Minute)
		require.Len(t, joins, 1)
		assert.Empty(t, a.reads, "no model is asked")
		assert.Empty(t, f.answered)
		f.err = errors.New("refused")
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), joins[0], true, ""), f.err)
		f.err = nil
		require.NoError(t, b.AnswerRequest(t.Context(), joins[0], false, "满了"), "what certainly failed may be tried again")
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), joins[0], true, ""), social.ErrAnswered)
		assert.Equal(t, []string{"group_join f1 true ", "group_join f1 false 满了"}, f.answered)

		f.in <- petition(persona.FriendRequest, "f2") // the owner is faster
		after(time.Second)
		require.NoError(t, b.AnswerRequest(t.Context(), petition(persona.FriendRequest, "f2"), false, ""))
		after(time.Minute)
		f.err = social.ErrUnclear
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), petition(persona.FriendRequest, "f3"), false, ""), social.ErrUnclear)
		f.err = nil
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), petition(persona.FriendRequest, "f3"), false, ""), social.ErrAnswered)
		f.in <- petition(persona.FriendRequest, "f4")
		after(time.Minute)
		assert.ErrorIs(t, b.AnswerRequest(t.Context(), petition(persona.FriendRequest, "f4"), false, ""), social.ErrAnswered, "it was judged")
		assert.Equal(t, []string{"friend f2 false ", "friend f3 false ", "friend f4 true "}, f.answered[2:])
		assert.Error(t, b.AnswerRequest(t.Context(), persona.Request{}, true, ""))
	})
}

// TestJudgeKnowsItself: who judges is told how much energy is left, of the chat where it is least, and how well it likes who asks,
// where that was learned.
func TestJudgeKnowsItself(t *testing.T) {
	a := answers(reject)
	inBubble(t, a.model(), func(o *social.Options) { a.options(o); o.Background.Digest = &social.Digest{} }, func(b *bubble) {
		b.group.Say(alice, say("早"))
		b.pass(time.Minute)
		people := memorytest.New(b, b.store, memory.Options{}).People("qq:group:1")
		for range 100 {
			_, err := people.RecordInteraction(b.Context(), time.Now(), "1001", memory.Interaction{Feeling: memory.Shy})
			require.NoError(t, err)
		}
		affinity, err := people.Affinity(b.Context())
		require.NoError(t, err)
		asks := func(who int64) (energy, interest float64) {
			b.qq.FriendRequest(who, "某人", "")
			b.pass(20 * time.Second)
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
			b.group.Say(bob, at(bot, "在吗"))
			b.pass(20 * time.Second)
		}
		require.NotEmpty(t, b.sent(onebottest.GroupChat(1)))
		energy, interest = asks(3001)
		assert.Less(t, energy, 1.)
		assert.NotEqual(t, -1., energy)
		assert.EqualValues(t, -1, interest, "nobody knows them")
	})
}
