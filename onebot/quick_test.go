package onebot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notebook is a Caller that records calls.
type notebook struct {
	mu    sync.Mutex
	calls []string
	err   error
}

func (r *notebook) Call(_ context.Context, action string, params, _ any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, action+" "+string(b))
	return r.err
}

func (r *notebook) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

var (
	quickGroup   = &GroupMessage{Common: Common{SelfID: 10000, raw: []byte(`{"group_id":1}`)}, GroupID: 1, UserID: 5, MessageID: 7}
	quickPrivate = &PrivateMessage{Common: Common{SelfID: 10000}, UserID: 5, GroupID: 1}
)

func TestPerform_Operations(t *testing.T) {
	for _, k := range []struct {
		e     Event
		op    QuickOperation
		wire  string
		calls []string
	}{
		{quickGroup, QuickReply{}, `{"at_sender":false,"delete":false,"kick":false,"ban":false}`, nil},
		{quickGroup, QuickReply{Reply: Message{Text("好")}, AtSender: true, Delete: true, Kick: true, Ban: time.Hour},
			`{"reply":[{"type":"text","data":{"text":"好"}}],"at_sender":true,"delete":true,"kick":true,"ban":true,"ban_duration":3600}`,
			[]string{
				`send_group_msg {"group_id":1,"message":[{"type":"at","data":{"qq":"5"}},{"type":"text","data":{"text":" "}},{"type":"text","data":{"text":"好"}}]}`,
				`delete_msg {"message_id":7}`, `set_group_ban {"group_id":1,"user_id":5,"duration":3600}`,
				`set_group_kick {"group_id":1,"user_id":5,"reject_add_request":false}`}},
		{quickPrivate, QuickReply{Reply: Message{Text("好")}, AtSender: true, Delete: true},
			`{"reply":[{"type":"text","data":{"text":"好"}}],"at_sender":true,"delete":true,"kick":false,"ban":false}`,
			[]string{`send_private_msg {"user_id":5,"message":[{"type":"text","data":{"text":"好"}}]}`}},
		{quickPrivate, QuickReply{Delete: true}, `{"at_sender":false,"delete":true,"kick":false,"ban":false}`, nil},
		{&FriendRequest{Flag: "f"}, QuickFriendDecision{Approve: false}, `{"approve":false}`, []string{`set_friend_add_request {"flag":"f","approve":false}`}},
		{&FriendRequest{Flag: "f"}, QuickFriendDecision{Approve: true, Remark: "满"}, `{"approve":true,"remark":"满"}`, []string{`set_friend_add_request {"flag":"f","approve":true,"remark":"满"}`}},
		{&GroupRequest{Flag: "f", SubType: "add"}, QuickGroupDecision{Reason: "满员"}, `{"approve":false,"reason":"满员"}`,
			[]string{`set_group_add_request {"flag":"f","sub_type":"add","type":"add","approve":false,"reason":"满员"}`}},
	} {
		assert.Equal(t, k.wire, marshalled(t, k.op))
		var r notebook
		require.NoError(t, NewBot(&r, 10000).Perform(t.Context(), k.e, k.op))
		if len(k.calls) != len(r.calls) {
			assert.Equal(t, k.calls, r.calls)
		}
		for i := range k.calls {
			name, want, _ := strings.Cut(k.calls[i], " ")
			action, got, _ := strings.Cut(r.calls[i], " ")
			assert.Equal(t, name, action)
			assert.JSONEq(t, want, got)
		}
	}
	var r notebook
	b := NewBot(&r, 10000)
	for _, op := range []QuickOperation{nil, QuickFriendDecision{}, QuickGroupDecision{}} {
		assert.ErrorIs(t, b.Perform(t.Context(), quickGroup, op), ErrBadParams)
		assert.ErrorIs(t, b.HandleQuickOperation(t.Context(), quickGroup, op), ErrBadParams)
	}
	assert.ErrorIs(t, b.Perform(t.Context(), &Dropped{}, QuickReply{}), ErrBadParams)
	assert.Empty(t, r.calls)
	require.NoError(t, b.HandleQuickOperation(t.Context(), quickGroup, QuickReply{Delete: true}))
	assert.Equal(t, []string{`.handle_quick_operation {"context":{"group_id":1},"operation":{"at_sender":false,"delete":true,"kick":false,"ban":false}}`}, r.calls)
	r.err = errors.New("oh")
	assert.ErrorIs(t, b.Perform(t.Context(), quickGroup, QuickReply{Delete: true, Kick: true}), r.err)
	assert.Len(t, r.calls, 3, "all is tried")
}

func TestFromQuickHandler(t *testing.T) {
	var r notebook
	var failed []error
	h := FromQuickHandler(func(_ context.Context, _ *Bot, e Event) QuickOperation {
		switch e.(type) {
		case *GroupMessage:
			return QuickReply{Delete: true}
		case *PrivateMessage:
			return QuickFriendDecision{}
		}
		return nil
	}, func(_ *Bot, _ Event, err error) { failed = append(failed, err) })
	for _, e := range []Event{quickGroup, quickPrivate, &Poke{}} {
		h(t.Context(), NewBot(&r, 1), e)
	}
	assert.Equal(t, []string{`delete_msg {"message_id":7}`}, r.calls)
	assert.Len(t, failed, 1)
	FromQuickHandler(func(context.Context, *Bot, Event) QuickOperation { return QuickFriendDecision{} }, nil)(t.Context(), nil, quickGroup)
}

// A prompt operation goes into the response. A late one is performed by calls.
func TestWebhook_Quick(t *testing.T) { synctest.Test(t, testWebhookQuick) }

func testWebhookQuick(t *testing.T) {
	release := make(chan struct{})
	var api notebook
	w := NewWebhook(Options{Token: "geheim", MaxEventAge: -1, Filter: func(_ context.Context, s *SendRequest) error {
		if s.Message.Text() == "verboten" {
			return errors.New("no")
		}
		if s.Message != nil {
			s.Message = append(s.Message, Text("!"))
		}
		return nil
	}})
	w.SetCaller(0, &api)
	p, run := hookedInBubble(t, w, func(ctx context.Context) error {
		return w.RunQuick(ctx, func(_ context.Context, bot *Bot, e Event) QuickOperation {
			m, ok := e.(*GroupMessage)
			if !ok {
				return QuickFriendDecision{Approve: true}
			}
			switch text := m.Message.Text(); text {
			case "nothing":
				return nil
			case "late":
				<-release
				return QuickReply{Reply: Message{Text("spät")}}
			case "wrong":
				return QuickGroupDecision{}
			default:
				return QuickReply{Reply: Message{Text(text)}}
			}
		})
	})
	status, body := p.post(groupText(10000, 1, 1, "hi"))
	assert.Equal(t, 200, status)
	assert.JSONEq(t, `{"reply":[{"type":"text","data":{"text":"hi"}},{"type":"text","data":{"text":"!"}}],"at_sender":false,"delete":false,"kick":false,"ban":false}`, body)
	status, body = p.post(`{"post_type":"request","request_type":"friend","self_id":10000,"user_id":5,"flag":"f"}`)
	assert.Equal(t, 200, status)
	assert.JSONEq(t, `{"approve":true}`, body)
	for i, text := range []string{"nothing", "verboten", "wrong"} {
		status, body = p.post(groupText(10000, 1, int64(2+i), text))
		assert.Equal(t, 204, status, text)
		assert.Empty(t, body)
	}
	status, _ = p.post(groupText(10000, 1, 1, "hi"))
	assert.Equal(t, 204, status, "again")
	assert.Empty(t, api.all())

	began := time.Now()
	status, _ = p.post(groupText(10000, 1, 9, "late"))
	assert.Equal(t, 204, status)
	assert.Equal(t, 3*time.Second, time.Since(began))
	close(release)
	synctest.Wait()
	require.Len(t, api.all(), 1)
	assert.Equal(t, `send_group_msg {"group_id":1,"message":[{"type":"text","data":{"text":"spät"}},{"type":"text","data":{"text":"!"}}]}`, api.all()[0])
	require.NoError(t, run.stop())
	assert.Empty(t, w.waiting)
	whole(t, w.Stats())
}

// If the peer disconnects early, the operation is performed by calls. A reply that the limiter delays waits.
func TestWebhook_QuickByCalls(t *testing.T) { synctest.Test(t, testWebhookQuickByCalls) }

func testWebhookQuickByCalls(t *testing.T) {
	var api notebook
	w := NewWebhook(Options{Limiter: NewLimiter(LimiterOptions{ChatInterval: time.Second, AccountInterval: -1})})
	w.SetCaller(0, &api)
	entered, release := make(chan struct{}), make(chan struct{})
	p, _ := hookedInBubble(t, w, func(ctx context.Context) error {
		return w.RunQuick(ctx, func(_ context.Context, bot *Bot, e Event) QuickOperation {
			if e.(*GroupMessage).MessageID == 3 {
				close(entered)
				<-release
			}
			return QuickReply{Reply: Message{Text("x")}}
		})
	})
	status, _ := p.post(groupText(10000, 1, 1, "x"))
	assert.Equal(t, 200, status)
	status, _ = p.post(groupText(10000, 1, 2, "x"))
	assert.Equal(t, 204, status)
	assert.Empty(t, api.all())
	time.Sleep(time.Second)
	synctest.Wait()
	assert.Len(t, api.all(), 1)

	ctx, hangUp := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "POST", p.url, strings.NewReader(groupText(10000, 2, 3, "x")))
	r.Header.Set("Content-Type", "application/json")
	done := make(chan error)
	go func() { _, err := p.client.Do(r); done <- err }()
	<-entered
	hangUp()
	assert.Error(t, <-done)
	synctest.Wait()
	close(release)
	synctest.Wait()
	require.Len(t, api.all(), 2)
	assert.Contains(t, api.all()[1], `"group_id":2`)
}

// Many concurrent requests: each gets the operation on its own event.
func TestWebhook_QuickInParallel(t *testing.T) {
	w := NewWebhook(Options{QuickTimeout: patience})
	p, _ := hooked(t, w, func(ctx context.Context) error {
		return w.RunQuick(ctx, func(_ context.Context, bot *Bot, e Event) QuickOperation {
			return QuickReply{Reply: Message{Text(fmt.Sprint(e.(*GroupMessage).MessageID))}}
		})
	})
	var wg sync.WaitGroup
	for i := range int64(64) {
		wg.Go(func() {
			_, body := p.post(groupText(10000+i%2, i%8, i+1, "x"))
			assert.Contains(t, body, fmt.Sprintf(`{"text":"%d"}`, i+1))
		})
	}
	wg.Wait()
}
