package qqbot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSend_Bodies(t *testing.T) {
	group, user := GroupChat("G1"), UserChat("U1")
	for _, k := range []struct {
		to   Chat
		out  Out
		want string // method, path and body, or the error
	}{
		{group, Out{Text: "在"}, `POST /v2/groups/G1/messages {"content":"在","msg_type":0}`},
		{user, Out{Text: "a<b & <@U2>", MsgID: "m"}, `POST /v2/users/U1/messages {"content":"a<b & ＜@U2>","msg_id":"m","msg_seq":1,"msg_type":0}`},
		{group, Out{Text: "x", EventID: "e", Seq: 3}, `POST /v2/groups/G1/messages {"content":"x","event_id":"e","msg_seq":3,"msg_type":0}`},
		{group, Out{Text: "x", At: []string{"M1", "M2"}}, `POST /v2/groups/G1/messages {"content":"<qqbot-at-user id=\"M1\" /> <qqbot-at-user id=\"M2\" /> x","msg_type":0}`},
		{group, Out{Text: "x", Quote: "REFIDX_1"}, `POST /v2/groups/G1/messages {"content":"x","message_reference":{"message_id":"REFIDX_1"},"msg_type":0}`},
		{group, Out{Markdown: "# x"}, `POST /v2/groups/G1/messages {"markdown":{"content":"# x"},"msg_type":2}`},
		{group, Out{Media: "f"}, `POST /v2/groups/G1/messages {"content":" ","media":{"file_info":"f"},"msg_type":7}`},
		{user, Out{Text: "x", WakeUp: true}, `POST /v2/users/U1/messages {"content":"x","is_wakeup":true,"msg_type":0}`},
		{UserChat("a/../b"), Out{Text: "x"}, `POST /v2/users/a%2F..%2Fb/messages {"content":"x","msg_type":0}`},
		{UserChat(".."), Out{Text: "x"}, `qqbot: send to user: invalid id ".."`},
		{group, Out{}, "qqbot: send to group: the message is empty"},
		{group, Out{Text: " \n"}, "qqbot: send to group: the message is empty"},
		{group, Out{Text: "x", MsgID: "m", EventID: "e"}, "qqbot: send to group: want MsgID or EventID, not both"},
		{group, Out{Text: "x", WakeUp: true}, "qqbot: send to group: a wake-up needs a user, and neither MsgID nor EventID"},
		{group, Out{Text: "x", Markdown: "y"}, "qqbot: send to group: want Markdown or Text, At and Media, not both"},
		{group, Out{Text: "x", Seq: -1}, "qqbot: send to group: the Seq is negative"},
		{user, Out{Text: "x", At: []string{"M"}}, "qqbot: send to user: mentions need a group and openids"},
		{group, Out{Text: "x", At: []string{`M" />`}}, "qqbot: send to group: mentions need a group and openids"},
	} {
		p := &platform{}
		sent, err := p.client(t).Send(t.Context(), k.to, k.out)
		if err != nil {
			assert.EqualError(t, err, k.want)
			assert.Empty(t, p.calls)
			continue
		}
		assert.Equal(t, []string{k.want}, p.calls)
		assert.Equal(t, Sent{ID: "m", Index: "REFIDX_1"}, sent)
	}
}

func TestOtherCalls(t *testing.T) {
	p := &platform{serve: func(r *http.Request, _ string) (int, string) {
		switch {
		case strings.HasSuffix(r.URL.Path, "bot_state"):
			return 200, `{"member_openid":"B","joined_at":"2026-07-21T10:00:00+08:00","allow_proactive_msg":true,"recv_msg_setting":"all","member_role":"admin"}`
		case strings.HasSuffix(r.URL.Path, "members"):
			return 200, `{"members":[{"member_openid":"M","username":"n","member_role":"owner","bot":true}],"next_cursor":"2"}`
		case strings.HasSuffix(r.URL.Path, "files"):
			return 200, `{"file_uuid":"u","file_info":"i","ttl":3600}`
		}
		return 200, `{}`
	}}
	c := p.client(t)
	ctx := t.Context()
	state, err := c.BotState(ctx, "G")
	require.NoError(t, err)
	assert.Equal(t, "B", state.MemberID)
	assert.True(t, state.Proactive)
	assert.Equal(t, RoleAdmin, state.Role)
	assert.Equal(t, 2026, state.JoinedAt.Year())
	page, next, err := c.Members(ctx, "G", "1")
	require.NoError(t, err)
	assert.Equal(t, []Member{{ID: "M", Username: "n", Role: RoleOwner, Bot: true}}, page)
	assert.Equal(t, "2", next)
	media, err := c.Upload(ctx, UserChat("U"), File{Type: VoiceFile, Data: []byte("abc"), Name: "a.silk"})
	require.NoError(t, err)
	assert.Equal(t, Media{Info: "i", UUID: "u", Life: time.Hour}, media)
	_, err = c.Upload(ctx, UserChat("U"), File{Type: ImageFile})
	assert.Error(t, err)
	require.NoError(t, c.Typing(ctx, "U", "m", 2, 90*time.Second))
	require.NoError(t, c.Recall(ctx, GroupChat("G"), "ROBOT1.0_a/b!"))
	require.NoError(t, c.Answer(ctx, "i1", 0))
	assert.Equal(t, []string{
		"GET /v2/groups/G/bot_state ", "GET /v2/groups/G/members ",
		`POST /v2/users/U/files {"file_data":"YWJj","file_name":"a.silk","file_type":3,"srv_send_msg":false}`,
		`POST /v2/users/U/messages {"input_notify":{"input_second":60,"input_type":1},"msg_id":"m","msg_seq":2,"msg_type":6}`,
		"DELETE /v2/groups/G/messages/ROBOT1.0_a%2Fb%21 ", `PUT /interactions/i1 {"code":0}`,
	}, p.calls)
}

// A refused token is replaced once, whether the status or the code says so.
func TestCall_TokenRefused(t *testing.T) {
	for _, answer := range []string{`{"code":11244,"message":"token expired"}`, `unauthorized`} {
		p := &platform{}
		p.token = func() string { return fmt.Sprintf(`{"access_token":"t%d","expires_in":7200}`, p.tokens) }
		p.serve = func(r *http.Request, _ string) (int, string) {
			if r.Header.Get("Authorization") != "QQBot t2" {
				return 401, answer
			}
			return 200, `{"id":"m"}`
		}
		c := p.client(t)
		sent, err := c.Send(t.Context(), UserChat("u"), Out{Text: "x"})
		require.NoError(t, err)
		assert.Equal(t, "m", sent.ID)
		assert.Len(t, p.calls, 2)
		p.serve = func(*http.Request, string) (int, string) { return 401, answer }
		_, err = c.Send(t.Context(), UserChat("u"), Out{Text: "x"})
		kind, _ := KindOf(err)
		assert.Equal(t, KindToken, kind)
		assert.NotErrorIs(t, err, ErrUnclear)
		assert.Len(t, p.calls, 4)
	}
}

func TestAPIError(t *testing.T) {
	p := &platform{serve: func(*http.Request, string) (int, string) {
		return 400, `{"message":"消息发送超时","code":40034128,"err_code":40034128,"trace_id":"abc"}`
	}}
	_, err := p.client(t).Send(t.Context(), GroupChat("g"), Out{Text: "secret words", MsgID: "m"})
	var refusal *APIError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, KindWindow, refusal.Kind())
	assert.Equal(t, "abc", refusal.TraceID)
	assert.EqualError(t, err, "qqbot: send to group: code 40034128 (HTTP status 400, trace id abc): 消息发送超时 [wait for the next message, or send without MsgID and EventID where the bot may speak first]")
	for k := KindOther; k <= KindTemporary; k++ {
		assert.NotEmpty(t, k.String())
		assert.Equal(t, k == KindOther, k.Advice() == "", k)
	}
	for status, unclear := range map[int]bool{502: true, 500: true, 429: false, 404: false, 202: false} {
		p.serve = func(*http.Request, string) (int, string) { return status, `<html>` }
		_, err := p.client(t).Send(t.Context(), GroupChat("g"), Out{Text: "x"})
		require.Error(t, err)
		assert.Equal(t, unclear, errors.Is(err, ErrUnclear), status)
	}
	p.serve = func(*http.Request, string) (int, string) { return 500, `{"code":50055001}` }
	_, err = p.client(t).Send(t.Context(), GroupChat("g"), Out{Text: "x"})
	assert.NotErrorIs(t, err, ErrUnclear, "the platform says that it did not send")
	p.serve = func(*http.Request, string) (int, string) { return 200, `{"code":40054005,"message":"x"}` }
	_, err = p.client(t).Send(t.Context(), GroupChat("g"), Out{Text: "x"})
	kind, _ := KindOf(err)
	assert.Equal(t, KindDuplicate, kind)
}

// After a refusal for speed later sends wait, with growing pauses. Other routes do not.
func TestCall_RateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{serve: func(*http.Request, string) (int, string) { return 400, `{"code":1,"err_code":40023001}` }}
		c := p.client(t)
		began := time.Now()
		for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			_, err := c.Send(t.Context(), UserChat("u"), Out{Text: "x"})
			var refusal *APIError
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, KindRateLimited, refusal.Kind())
			assert.Equal(t, want, refusal.RetryAfter, i)
		}
		assert.Equal(t, 3*time.Second, time.Since(began))
		p.serve = func(*http.Request, string) (int, string) { return 200, `{"id":"m"}` }
		require.NoError(t, c.Recall(t.Context(), UserChat("u"), "m"))
		assert.Equal(t, 3*time.Second, time.Since(began))
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Send(short, UserChat("u"), Out{Text: "x"})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotErrorIs(t, err, ErrUnclear)
		assert.Equal(t, 3*time.Second, time.Since(began), "it does not wait in vain")
		_, err = c.Send(t.Context(), UserChat("u"), Out{Text: "x"})
		require.NoError(t, err)
		assert.Equal(t, 7*time.Second, time.Since(began).Round(time.Second))
	})
}

func TestLimiter_Pace(t *testing.T) {
	var l limiter
	t0 := time.Unix(1, 0)
	for range rates[stateRoute].burst {
		assert.Zero(t, l.take(t0, stateRoute))
	}
	assert.Equal(t, 2*time.Second, l.take(t0, stateRoute))
	assert.Equal(t, 4*time.Second, l.take(t0, stateRoute))
	assert.Zero(t, l.take(t0.Add(6*time.Second), stateRoute))
}

func TestNew_Errors(t *testing.T) {
	for _, k := range []struct {
		id, secret string
		o          Options
	}{
		{"", "s", Options{}}, {"x", "s", Options{}}, {"1", "", Options{}}, {"1", "s", Options{BaseURL: "ws://x"}},
		{"1", "s", Options{BaseURL: "https://a:b@x"}}, {"1", "s", Options{TokenURL: "::"}},
	} {
		_, err := New(k.id, k.secret, k.o)
		assert.Error(t, err)
	}
	c, err := New("1", "geheim", Options{})
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprintf("%+v", c), "geheim")
	assert.NotContains(t, fmt.Sprintf("%#v", c), "geheim")
}

func TestCall_Raw(t *testing.T) {
	p := &platform{}
	raw, err := p.client(t).Call(t.Context(), http.MethodPost, "/v2/generate_url_link", map[string]string{"callback_data": "x"})
	require.NoError(t, err)
	assert.True(t, json.Valid(raw))
	_, err = p.client(t).Call(t.Context(), http.MethodGet, "@evil.example/", nil)
	assert.Error(t, err)
}
