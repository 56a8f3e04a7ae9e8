package onebot

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilter(t *testing.T) {
	imp := implement(t, func(p *peer, _ *http.Request) {
		p.lifecycle(10000)
		for {
			r, err := p.read()
			if err != nil || p.answer(r, string(r.Params)) != nil { // responds with the parameters it received
				return
			}
		}
	})
	tabu := errors.New("tabu")
	var seen []SendRequest
	c := must(NewClient(imp.url, Options{Filter: func(_ context.Context, s *SendRequest) error {
		seen = append(seen, *s)
		switch {
		case strings.Contains(s.Message.Text(), "verboten"):
			return tabu
		case strings.Contains(s.Message.Text(), "laut"):
			s.Message = Message{Text("leise")}
		case s.Action == "group_poke":
			s.Params = []byte(`{"group_id":2}`)
		}
		return nil
	}}))
	start(t, c.Run, nil)
	eventually(t, func() bool { return c.Bot().SelfID() != 0 })
	for _, k := range []struct {
		action, params, want string
		send                 SendRequest
	}{
		{"send_group_msg", `{"group_id":1,"message":[{"type":"text","data":{"text":"x"}}]}`, "", SendRequest{GroupID: 1, Message: Message{Text("x")}}},
		{"send_group_msg", `{"group_id":1,"message":"laut [CQ:face,id=1]","auto_escape":false}`, `{"group_id":1,"message":[{"type":"text","data":{"text":"leise"}}]}`,
			SendRequest{GroupID: 1, Message: ParseCQ("laut [CQ:face,id=1]")}},
		{"send_private_msg", `{"message":[{"type":"text","data":{"text":"laut"}}],"user_id":"5"}`, `{"message":[{"type":"text","data":{"text":"leise"}}],"user_id":"5"}`,
			SendRequest{UserID: 5, Message: Message{Text("laut")}}},
		{"send_group_forward_msg", `{"group_id":1,"messages":[]}`, "", SendRequest{GroupID: 1}},
		{"group_poke", `{"group_id":1,"user_id":5}`, `{"group_id":2}`, SendRequest{GroupID: 1, UserID: 5}},
		{".handle_quick_operation", `{"context":{"group_id":1,"user_id":5,"message":"hi"},"operation":{"at_sender":false,"reply":"laut"}}`,
			`{"context":{"group_id":1,"user_id":5,"message":"hi"},"operation":{"at_sender":false,"reply":[{"type":"text","data":{"text":"leise"}}]}}`,
			SendRequest{GroupID: 1, UserID: 5, Message: Message{Text("laut")}}},
	} {
		seen = nil
		var got any
		require.NoError(t, c.Bot().Call(t.Context(), k.action, jsonText(k.params), &got), k.action)
		if k.want == "" {
			k.want = k.params
		}
		assert.JSONEq(t, k.want, marshalled(t, got), k.action)
		k.send.SelfID, k.send.Action, k.send.Params = 10000, k.action, []byte(k.params)
		assert.Equal(t, []SendRequest{k.send}, seen)
	}
	_, err := c.Bot().SendGroupMsg(t.Context(), 1, Message{Text("verboten")})
	assert.ErrorIs(t, err, tabu)
	assert.NotErrorIs(t, err, ErrUnclear)
	assert.EqualError(t, err, "onebot: call send_group_msg: refused by the filter; tabu")
	seen = nil
	require.NoError(t, c.Bot().Call(t.Context(), "get_msg", map[string]any{"message": "verboten"}, nil))
	assert.Empty(t, seen, "no send")
	assert.ErrorIs(t, c.Bot().Call(t.Context(), "send_msg", 5, nil), ErrBadParams)
}

func TestWithFilter(t *testing.T) {
	calls := 0
	bot := NewBot(WithFilter(callerFunc(func(context.Context, string, any, any) error { calls++; return nil }), func(_ context.Context, s *SendRequest) error {
		return errors.New("no")
	}), 10000)
	assert.Error(t, bot.GroupPoke(t.Context(), 1, 5))
	assert.NoError(t, bot.DeleteMsg(t.Context(), 1))
	assert.Equal(t, 1, calls)
	_, err := collect(bot, t.Context(), "send_x_stream", nil)
	assert.ErrorContains(t, err, "no")
	_, err = collect(bot, t.Context(), "download_file_stream", nil)
	assert.NoError(t, err)
	assert.Equal(t, 2, calls)
}

type callerFunc func(ctx context.Context, action string, params, result any) error

func (f callerFunc) Call(ctx context.Context, action string, params, result any) error {
	return f(ctx, action, params, result)
}

// A filter sees the whole message, or the call fails.
func TestFilter_TooManySegments(t *testing.T) {
	seen := 0
	f := Filter(func(_ context.Context, s *SendRequest) error { seen = len(s.Message); return nil })
	codes := strings.Repeat("[CQ:shake]", maxSegments)
	for name, params := range map[string]any{
		"array":  map[string]any{"message": slices.Repeat(Message{Text("x")}, maxSegments+1)},
		"string": map[string]any{"message": codes + "[CQ:image,file=x]"},
		"reply":  map[string]any{"operation": map[string]any{"reply": codes + "[CQ:image,file=x]"}},
	} {
		_, err := f.apply(t.Context(), 1, "send_msg", params)
		assert.ErrorIs(t, err, ErrBadParams, name)
	}
	assert.Zero(t, seen)
	_, err := f.apply(t.Context(), 1, "send_msg", map[string]any{"message": codes[:len(codes)/2]})
	assert.NoError(t, err)
	assert.Equal(t, maxSegments/2, seen)
}
