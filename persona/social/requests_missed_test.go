package social_test

import (
	"context"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRequestsWhileAway: an invitation that came while nobody listened is judged at the next connection, and who wants
// into a group is told to the host then; each once, however often the link drops, and what is a day old not at all.
func TestRequestsWhileAway(t *testing.T) {
	a := answers(approve)
	var joins []persona.Request
	change := func(o *social.Options) {
		a.options(o)
		o.Access.OnJoinRequest = func(_ context.Context, r persona.Request) { joins = append(joins, r) }
	}
	inBubble(t, a.model(), change, func(b *bubble) {
		b.stop()
		old := b.qq.GroupInvite(76, "旧群", alice)
		b.pass(20 * time.Hour)
		asked := time.Now()
		flag := b.qq.GroupInvite(77, "摸鱼群", alice)
		b.group.JoinRequest(3001, "放我进来")
		b.qq.FriendRequest(3002, "小满", "在吗")
		b.pass(4 * time.Hour)
		b.start(change)
		b.pass(time.Minute)
		assert.Equal(t, "approve", b.answer(flag))
		assert.Empty(t, b.answer(old), "too old: nobody is told of everything that ever was")
		require.Len(t, a.reads, 1)
		assert.Contains(t, a.reads[0], `<request kind="group_invite" sender="张三" sender_id="1001" group_id="77" `)
		require.Len(t, joins, 1)
		assert.Equal(t, [4]string{persona.GroupJoin, "3001", "1", "放我进来"}, [4]string{joins[0].Kind, joins[0].From.ID, joins[0].Group, joins[0].Comment})
		assert.WithinDuration(t, asked, joins[0].At, time.Second)

		for range 3 {
			b.qq.DropLinks()
			b.pass(time.Minute)
		}
		b.stop()
		b.start(change)
		b.pass(time.Minute)
		assert.Len(t, a.reads, 1)
		assert.Len(t, joins, 1)
		assert.Len(t, b.qq.Calls("set_group_add_request"), 1)

		b.stop()
		b.store = memory.NewMemStore() // one that knows nothing hears what still waits, and not what was answered
		b.start(change)
		b.pass(time.Minute)
		assert.Len(t, a.reads, 1)
		assert.Len(t, joins, 2)
	})
}

// TestHeldRequestsAreHeldOnce: one that was left to the owner waits in the platform's list, and is not judged again.
func TestHeldRequestsAreHeldOnce(t *testing.T) {
	a := answers(`{"decision": "hold", "reason": "拿不准"}`)
	inBubble(t, a.model(), a.options, func(b *bubble) {
		b.qq.GroupInvite(77, "摸鱼群", alice)
		for range 30 {
			b.pass(time.Hour)
			b.qq.DropLinks()
			b.pass(time.Minute)
		}
		assert.Len(t, a.reads, 1)
		assert.Len(t, a.told, 1)
	})
}

// TestListsOfOthersAreLeft: where the list bears other flags than the events, or there is none, it is not asked.
func TestListsOfOthersAreLeft(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		a := answers(reject)
		inBubble(t, a.model(), a.options, func(b *bubble) {
			b.stop()
			b.qq.Close()
			b.qq = onebottest.New(onebottest.Options{SelfID: bot, Nickname: "小炉", Quirks: habits})
			flag := b.qq.GroupInvite(77, "摸鱼群", alice)
			b.pass(time.Minute)
			b.start(a.options)
			b.pass(time.Minute)
			fetched := habits.Events == onebottest.LikeNapCat || habits.Events == onebottest.LikeGoCQHTTP
			assert.Equal(t, fetched, len(b.qq.Calls("get_group_system_msg")) > 0, name)
			if fetched {
				assert.Equal(t, "reject", b.answer(flag), name)
			} else {
				assert.Empty(t, b.answer(flag), name)
			}
			assert.Empty(t, a.told, name)
		})
	}
}

// TestAWeekIsTooLate: a request that was heard and not answered before a stop is judged after the start; a week later it is
// left to the owner.
func TestAWeekIsTooLate(t *testing.T) {
	for days, want := range map[int]string{6: "approve", 8: ""} {
		a := answers(approve)
		inBubble(t, a.model(), a.options, func(b *bubble) {
			flag := b.qq.FriendRequest(3001, "小满", "加我")
			b.pass(time.Second)
			require.Len(t, a.reads, 1)
			b.stop()
			b.pass(time.Duration(days) * 24 * time.Hour)
			b.start(a.options)
			b.pass(time.Minute)
			assert.Equal(t, want, b.answer(flag), days)
			if want == "" {
				require.Len(t, a.told, 1)
				assert.Contains(t, a.told[0], "已经过了一周")
				assert.Len(t, a.reads, 1)
			}
		})
	}
}
