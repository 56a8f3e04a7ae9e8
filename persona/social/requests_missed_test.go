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

// An invite that arrived while the bot was away is judged at the next connection, and a join request is passed to the
// host; each once, however often the link drops. Requests older than a day are ignored.
func TestRequests_WhileAway(t *testing.T) {
	a := newRequestModel(approve)
	var joins []persona.Request
	change := func(o *social.Options) {
		a.options(o)
		o.Access.OnJoinRequest = func(_ context.Context, r persona.Request) { joins = append(joins, r) }
	}
	withFixture(t, a.model(), change, func(f *fixture) {
		f.stop()
		old := f.qq.GroupInvite(76, "旧群", alice)
		f.advance(20 * time.Hour)
		asked := time.Now()
		flag := f.qq.GroupInvite(77, "摸鱼群", alice)
		f.group.JoinRequest(3001, "放我进来")
		f.qq.FriendRequest(3002, "小满", "在吗")
		f.advance(4 * time.Hour)
		f.start(change)
		f.advance(time.Minute)
		assert.Equal(t, "approve", f.answer(flag))
		assert.Empty(t, f.answer(old), "too old")
		require.Len(t, a.reads, 1)
		assert.Contains(t, a.reads[0], `<request kind="group_invite" sender="张三" sender_id="1001" group_id="77" `)
		require.Len(t, joins, 1)
		assert.Equal(t, [4]string{persona.GroupJoin, "3001", "1", "放我进来"}, [4]string{joins[0].Kind, joins[0].From.ID, joins[0].Group, joins[0].Comment})
		assert.WithinDuration(t, asked, joins[0].At, time.Second)

		for range 3 {
			f.qq.DropLinks()
			f.advance(time.Minute)
		}
		f.stop()
		f.start(change)
		f.advance(time.Minute)
		assert.Len(t, a.reads, 1)
		assert.Len(t, joins, 1)
		assert.Len(t, f.qq.Calls("set_group_add_request"), 1)

		f.stop()
		f.store = memory.NewMemStore() // a new store: pending requests are handled, answered ones are not
		f.start(change)
		f.advance(time.Minute)
		assert.Len(t, a.reads, 1)
		assert.Len(t, joins, 2)
	})
}

// An escalated request stays in the platform's list and is not judged again.
func TestRequests_EscalatedOnce(t *testing.T) {
	a := newRequestModel(`{"decision": "hold", "reason": "拿不准"}`)
	withFixture(t, a.model(), a.options, func(f *fixture) {
		f.qq.GroupInvite(77, "摸鱼群", alice)
		for range 30 {
			f.advance(time.Hour)
			f.qq.DropLinks()
			f.advance(time.Minute)
		}
		assert.Len(t, a.reads, 1)
		assert.Len(t, a.notices, 1)
	})
}

// If the list has other flags than the events, or there is no list, it is not used.
func TestRequests_ForeignLists(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		a := newRequestModel(reject)
		withFixture(t, a.model(), a.options, func(f *fixture) {
			f.stop()
			f.qq.Close()
			f.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉", Quirks: habits})
			flag := f.qq.GroupInvite(77, "摸鱼群", alice)
			f.advance(time.Minute)
			f.start(a.options)
			f.advance(time.Minute)
			fetched := habits.Events == onebottest.LikeNapCat || habits.Events == onebottest.LikeGoCQHTTP
			assert.Equal(t, fetched, len(f.qq.Calls("get_group_system_msg")) > 0, name)
			if fetched {
				assert.Equal(t, "reject", f.answer(flag), name)
			} else {
				assert.Empty(t, f.answer(flag), name)
			}
			assert.Empty(t, a.notices, name)
		})
	}
}

// A request received but not answered before a shutdown is judged after the start; after a week it is escalated.
func TestRequests_OlderThanAWeek(t *testing.T) {
	for days, want := range map[int]string{6: "approve", 8: ""} {
		a := newRequestModel(approve)
		withFixture(t, a.model(), a.options, func(f *fixture) {
			flag := f.qq.FriendRequest(3001, "小满", "加我")
			f.advance(time.Second)
			require.Len(t, a.reads, 1)
			f.stop()
			f.advance(time.Duration(days) * 24 * time.Hour)
			f.start(a.options)
			f.advance(time.Minute)
			assert.Equal(t, want, f.answer(flag), days)
			if want == "" {
				require.Len(t, a.notices, 1)
				assert.Contains(t, a.notices[0], "已经过了一周")
				assert.Len(t, a.reads, 1)
			}
		})
	}
}
