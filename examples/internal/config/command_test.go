package config

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A liveRecorder is a LiveBot that records its calls.
type liveRecorder struct {
	recorder
	calls    []string
	sessions []social.Session
}

func (r *liveRecorder) Configure(_ context.Context, chat persona.Chat, s social.ChatSettings) error {
	r.overrides = map[persona.Chat]social.ChatSettings{chat: s}
	return r.called("configure %v %s", chat, inline(s))
}
func (r *liveRecorder) Mute(_ context.Context, chat persona.Chat, until time.Time) error {
	return r.called("mute %v %v", chat, time.Until(until).Round(time.Minute))
}
func (r *liveRecorder) Unmute(_ context.Context, chat persona.Chat) error {
	return r.called("unmute %v", chat)
}
func (r *liveRecorder) Sleep(_ context.Context, until time.Time) error {
	return r.called("sleep %v", until.IsZero())
}
func (r *liveRecorder) Wake(context.Context) error { return r.called("wake") }
func (r *liveRecorder) Say(_ context.Context, chat persona.Chat, text string) (string, error) {
	return "1", r.called("say %v %s", chat, text)
}

func (r *liveRecorder) Sessions(context.Context) ([]social.Session, error) {
	return r.sessions, r.fails
}

func (r *liveRecorder) called(format string, args ...any) error {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
	return r.fails
}

func TestCommand(t *testing.T) {
	_, file, err := parse(t)
	require.NoError(t, err)
	bot := &liveRecorder{}
	for _, test := range []struct{ line, call, answer string }{
		{"/set qq:group:1 policy: learned", `configure qq:group:1 policy: "learned"`, `好：policy: "learned"`},
		{"/set qq:group:1 {names: [灯], off: yes}", `configure qq:group:1 off: true, names: ["灯"], policy: "learned"`, `好：off: true, names: ["灯"], policy: "learned"`},
		{"/settings", "", `qq:group:1 off: true, names: ["灯"], policy: "learned"`},
		{"/reset qq:group:1", "configure qq:group:1 ", "好"},
		{"/mute qq:group:1 30m", "mute qq:group:1 30m0s", "好"},
		{"/unmute qq:group:1", "unmute qq:group:1", "好"},
		{"/sleep", "sleep true", "晚安"},
		{"/sleep 8h", "sleep false", "晚安"},
		{" /wake ", "wake", "醒了"},
		{"/say qq:group:1 大家好 呀", "say qq:group:1 大家好 呀", "说了"},

		{"/set qq:group:1 polcy: mention", "", `没做成：qq:group:1：没有 "polcy" 这一项：是不是 "policy"？`},
		{"/set qq:group:1", "", "没做成：写「键: 值」，例如 /set qq:group:1 policy: interject"},
		{"/set qq:group:1 policy", "", "没做成：qq:group:1 应该是「键: 值」这样的行"},
		{"/set qq:grup:1 policy: mention", "", `没做成：没有 "qq:grup:1" 这样的聊天：是不是 "qq:group:1"？`},
		{"/mute qq:group:1 long", "", `没做成："long" 不是 30m 这样的时长`},
	} {
		bot.calls = nil
		answer, ok := file.Command(t.Context(), bot, test.line)
		require.True(t, ok, test.line)
		assert.Equal(t, test.answer, answer)
		if test.call != "" {
			assert.Equal(t, []string{test.call}, bot.calls)
		} else {
			assert.Empty(t, bot.calls)
		}
	}
	for _, other := range []string{"", "你好", "/plugins", "/setting"} {
		_, ok := file.Command(t.Context(), bot, other)
		assert.False(t, ok, other)
	}
	bot.fails = assert.AnError
	answer, _ := file.Command(t.Context(), bot, "/wake")
	assert.Equal(t, "没做成："+assert.AnError.Error(), answer)
}

func TestCommand_Sessions(t *testing.T) {
	_, file, err := parse(t)
	require.NoError(t, err)
	bot := &liveRecorder{}
	answer, _ := file.Command(t.Context(), bot, "/sessions")
	assert.Equal(t, "还没有", answer)

	at := time.Date(2026, 11, 23, 9, 30, 0, 0, time.Local)
	group := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	bot.sessions = []social.Session{
		{Origin: schedule.Origin{Mode: persona.Agent}, To: at, Messages: 12, Text: "聊了周末的安排"},
		{Origin: schedule.Origin{Chat: group}, To: at.Add(time.Minute), Messages: 3},
		{Background: true, To: at.Add(2 * time.Minute), Text: "提醒了喝水"},
	}
	answer, _ = file.Command(t.Context(), bot, "/sessions")
	assert.Equal(t, "11-23 09:30 主人，12 条：聊了周末的安排\n"+
		"11-23 09:31 qq:group:1，3 条\n"+
		"11-23 09:32 自己，后台：提醒了喝水", answer)

	bot.sessions = make([]social.Session, maxListed+1)
	answer, _ = file.Command(t.Context(), bot, "/sessions")
	assert.Len(t, strings.Split(answer, "\n"), maxListed)
}
