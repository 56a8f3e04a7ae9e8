package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDemo checks the demo by its output and by the record of the simulated QQ.
func TestDemo(t *testing.T) { synctest.Test(t, testDay) }

func testDay(t *testing.T) {
	o, err := parse([]string{"-http", "off", "-seed", "1"}, &bytes.Buffer{})
	require.NoError(t, err)
	w := newSimulation(o)
	defer w.Close()
	o.link.Forward, o.link.HTTPClient = "ws://onebottest", w.HTTPClient()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var out bytes.Buffer
	in, typed := io.Pipe()
	defer typed.Close()
	go io.WriteString(typed, "你好\n") // before the bot is connected
	d := newEventLog(&out, lang.Chinese, newClock(time.Now(), o.speed, true))
	require.NoError(t, runBot(ctx, o, w, in, d, slog.New(slog.NewTextHandler(t.Output(), nil))))
	t.Log(out.String())

	lines := func(k kind) (found []string) {
		for l := range strings.Lines(out.String()) {
			if _, text, ok := strings.Cut(l, " "+string(k)+": "); ok {
				found = append(found, strings.TrimSpace(text))
			}
		}
		return found
	}
	assert.Contains(t, out.String(), "不是语言模型", "the banner is honest")
	assert.Contains(t, out.String(), "时间是加速的", "about time, too")
	assert.Contains(t, lines(kindOwner), "你好", "what is typed is said")
	for _, k := range []kind{kindTimer, kindTask, kindOutdated, kindBackground, kindPatch, kindReflection, kindReport, kindNotice} {
		assert.NotEmpty(t, lines(k), k)
	}
	assert.Contains(t, strings.Join(lines(kindTimer), "\n"), "喝水 → 主人，到时间了：喝水")
	assert.Contains(t, strings.Join(lines(kindTimer), "\n"), "[qq:group:714285] 收衣服 → 到时间了：收衣服", "where it was asked for")
	assert.Contains(t, strings.Join(lines(kindTask), "\n"), "跟进一下发布")
	assert.Contains(t, lines(kindOutdated)[0], "和主人说晚安")
	assert.Contains(t, strings.Join(lines(kindTask), "\n"), "补做：和主人说晚安", "what came too late was planned anew")
	assert.Contains(t, strings.Join(lines(kindPatch), "\n"), "我喜欢喝乌龙茶")
	assert.Contains(t, strings.Join(lines(kindPatch), "\n"), "今天在用", "of what ActivityWatch stands for")
	assert.Contains(t, lines(kindReport)[0], "服务器好像挂了")
	assert.Empty(t, lines(kindFailed))

	// Messages for the owner reach nobody else, and nothing is sent twice.
	texts := map[string]bool{}
	for _, s := range w.Sent() {
		text := s.Message.Text()
		assert.False(t, texts[s.Chat.String()+text], "said twice: %s", text)
		texts[s.Chat.String()+text] = true
		for _, secret := range []string{"乌龙茶", "发布", "晚安，主人", "<item>"} {
			assert.NotContains(t, text, secret)
		}
	}
	// P17: the owner's requests are carried out on QQ.
	assert.True(t, texts[w.friend.Chat().String()+"下午三点开会"])
	bans := w.Calls("set_group_ban")
	require.Len(t, bans, 1)
	assert.JSONEq(t, `{"group_id":714285,"user_id":31003,"duration":600}`, string(bans[0].Params))
	assert.Zero(t, bans[0].Retcode)
	assert.Len(t, w.Sent(), count(w, w.group.Chat())+count(w, w.friend.Chat()))

	// The simulated time goes back at midnight only.
	last, nights := "", 0
	for _, at := range regexp.MustCompile(`(?m)^\d\d:\d\d `).FindAllString(out.String(), -1) {
		if at < last {
			nights++
		}
		last = at
	}
	assert.LessOrEqual(t, nights, 1)
}

func count(w *simulation, chat onebottest.Chat) (n int) {
	for _, s := range w.Sent() {
		if s.Chat == chat {
			n++
		}
	}
	return n
}
