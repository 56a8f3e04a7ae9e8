package qq_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// straight is a mouth without any rule: it sends to the target, or to the session of the turn.
type straight struct{ bot *onebot.Bot }

func (s straight) Say(ctx context.Context, target string, m onebot.Message) (string, error) {
	if target == "" {
		p, _ := nit.PrincipalFrom(ctx)
		target = p.Session
	}
	send := s.bot.SendPrivateMsg
	digits, group := strings.CutPrefix(target, "group_")
	if group {
		send = s.bot.SendGroupMsg
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(digits, "user_"), 10, 64)
	if err != nil {
		return "", err
	}
	message, err := send(ctx, id, m)
	return strconv.FormatInt(message, 10), err
}

// TestOverAWebSocket runs the tools against a OneBot implementation over loopback and reads its record.
func TestOverAWebSocket(t *testing.T) {
	server := onebottest.New(onebottest.Options{})
	defer server.Close()
	group := server.Group(123, "炉边")
	group.Member(987, "小明")
	server.Group(456, "别处")
	server.Friend(987, "小明")

	client := onebot.NewClient(server.Start(), nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	linked, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- client.Run(ctx, func(context.Context, *onebot.Bot, onebot.Event) {
			select {
			case linked <- struct{}{}: // the lifecycle event
			default:
			}
		})
	}()
	defer func() { cancel(); assert.NoError(t, <-ended) }()
	<-linked

	tools, err := qq.Tools(client.Bot(), straight{client.Bot()}, nil)
	require.NoError(t, err)
	var r nit.Registry
	require.NoError(t, r.Add(tools...))
	persona := r.View(nit.Principal{Sees: nit.L1, Platform: "qq", Session: "group_123", Person: "987"})
	const trap = "[CQ:at,qq=all] 晚上好"
	for _, c := range [][3]string{
		{"qq_send_text", `{"content":"` + trap + `"}`, ""},
		{"qq_send_text", `{"content":"x","target_id":"group_456"}`, "nit: unknown tool"},
		{"qq_send_text", `{"content":"x","target_id":"user_987"}`, "nit: unknown tool"},
		{"qq_poke", ``, ""},
		{"qq_get_stranger_info", `{"user_id":987}`, ""},
	} {
		res, err := persona.Do(ctx, c[0], c[1])
		if c[2] != "" {
			assert.EqualError(t, err, c[2])
		} else if assert.NoError(t, err, c[0]) && c[0] == "qq_get_stranger_info" {
			assert.Contains(t, res.Text, "小明")
		}
	}
	sent := server.Sent()
	require.Len(t, sent, 1)
	assert.Equal(t, onebottest.GroupChat(123), sent[0].Chat)
	require.Len(t, sent[0].Message, 1)
	assert.Equal(t, "text", sent[0].Message[0].Type)
	assert.Equal(t, trap, sent[0].Message.Text())
	assert.Len(t, server.Calls("group_poke"), 1)
	assert.Empty(t, server.Calls("friend_poke", "send_private_msg"))
}
