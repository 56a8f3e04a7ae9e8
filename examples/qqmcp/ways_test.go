package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Events come over the WebSocket, and calls go to the HTTP server, as in the specification.
func TestProgram_CallsOverHTTP(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				qq, g, _ := newQQ(t, onebottest.Options{Token: "secret", Quirks: habits})
				g.Say(zhang, says("以前的"))
				s := start(t, qq, "--onebot-http", "http://test", "--token", "secret")
				g.Say(zhang, says("现在的"))
				synctest.Wait()
				assert.Equal(t, []string{"以前的", "现在的"}, contents(s.context(20).Messages))
				call[sendOut](s, "send_message", to("在"))
				assert.Equal(t, "Glitch", call[statusOut](s, "check_status", nil).QQNickname)
				time.Sleep(10 * time.Second)
				qq.Fail("send_group_msg", 1200, 1)
				assert.Equal(t, "refused", s.refused(to("不行")).Error)
				time.Sleep(10 * time.Second)
				qq.WithholdResponse("send_group_msg", 1)
				began := time.Now()
				assert.Equal(t, "unclear", s.refused(to("没有回音")).Error)
				assert.LessOrEqual(t, time.Since(began), 10*time.Second, "the seed's time limit")
			})
		})
	}
}

// Events beyond the queue are dropped, and the history restores them.
func TestHistory_Burst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--buffer-size", "1000", "--compress-every", "10000")
		qq.DelayResponse("get_msg", 2*time.Second) // the first message quotes one that has to be fetched; the others queue up
		g.Say(zhang, says("第0"))
		synctest.Wait()
		qq.Emit(map[string]any{"post_type": "message", "message_type": "group", "sub_type": "normal", "group_id": 123456, "user_id": zhang,
			"message_id": 77, "time": time.Now().Unix(), "sender": map[string]any{"user_id": zhang, "nickname": "张三"},
			"message": []any{map[string]any{"type": "reply", "data": map[string]any{"id": "4711"}}, map[string]any{"type": "text", "data": map[string]any{"text": "引用"}}}})
		synctest.Wait()
		want := []string{"第0", "[回复]引用"}
		for i := range 400 {
			text := fmt.Sprint("第", i+1, strings.Repeat("x", 10_000))
			want = append(want, clip.Ellipsis(text, maxText))
			g.Say(zhang, says(text))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Positive(t, s.p.account.client.Stats().Overflowed)
		var got []string
		for _, m := range s.p.chats.find(chat{id: 123456}).view().all {
			got = append(got, m.text)
		}
		require.Len(t, got, len(want))
		assert.ElementsMatch(t, want, got)
	})
}
