package onebottest_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestLink_LifecycleIsFirst(t *testing.T) {
	s := onebottest.New(onebottest.Options{SelfID: 42})
	defer s.Close()
	before := time.Now()
	conn, _, err := websocket.Dial(t.Context(), s.Start(), nil)
	require.NoError(t, err)
	got := attach(t, conn).event()
	assert.WithinRange(t, time.Unix(int64(got["time"].(float64)), 0), before.Truncate(time.Second), time.Now())
	delete(got, "time")
	assert.Equal(t, object{
		"post_type": "meta_event", "meta_event_type": "lifecycle", "sub_type": "connect", "self_id": 42.0,
	}, got)
	assert.Equal(t, s.Start(), s.Start())
}

func TestLink_Paths(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	for _, path := range []string{"/", "", "/event", "/event/", "/any"} {
		b := dial(t, s, path, nil)
		assert.Equal(t, "lifecycle", b.event()["meta_event_type"], path)
		b.do("get_status", nil)
	}
	assert.Equal(t, 5, s.Links())
	g := s.Group(1, "")
	for _, path := range []string{"/api", "/api/"} {
		b := dial(t, s, path, nil)
		g.Say(2, text("nobody hears this here"))
		b.do("get_status", nil)
		assert.Empty(t, b.held, path)
	}
}

func TestLink_Token(t *testing.T) {
	for _, tt := range []struct {
		name, path, header string
		status             int // 0: accepted
	}{
		{"bearer", "/", "Bearer 密 s", 0},
		{"another scheme", "/", "Token 密 s", http.StatusForbidden},
		{"no scheme", "/", "密 s", 0},
		{"query", "/?access_token=%E5%AF%86+s", "", 0},
		{"query goes first", "/?access_token=wrong", "Bearer 密 s", http.StatusForbidden},
		{"wrong", "/", "Bearer wrong", http.StatusForbidden},
		{"empty", "/", "Bearer ", http.StatusForbidden},
		{"none", "/", "", http.StatusUnauthorized},
	} {
		for _, status := range []bool{false, true} {
			s := onebottest.New(onebottest.Options{Token: "密 s", Quirks: onebottest.Quirks{RejectBeforeUpgrade: status}})
			header := http.Header{}
			if tt.header != "" {
				header.Set("Authorization", tt.header)
			}
			conn, resp, err := websocket.Dial(t.Context(), "ws://x"+tt.path, &websocket.DialOptions{
				HTTPClient: s.HTTPClient(), HTTPHeader: header,
			})
			switch {
			case tt.status == 0:
				require.NoError(t, err, tt.name)
				assert.Equal(t, "connect", attach(t, conn).event()["sub_type"])
			case status:
				require.Error(t, err, tt.name)
				assert.Equal(t, tt.status, resp.StatusCode, tt.name)
			default: // accepted and then disconnected
				require.NoError(t, err, tt.name)
				b := attach(t, conn)
				got := b.read()
				assert.Equal(t, 1403.0, got["retcode"], tt.name)
				assert.Equal(t, "failed", got["status"], tt.name)
				assert.Equal(t, "token验证失败", got["message"], tt.name)
				assert.NotContains(t, got, "post_type")
				b.gone()
			}
			s.Close()
		}
	}
}

func TestLink_Heartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{Heartbeat: 5 * time.Second})
		defer s.Close()
		b := connected(t, s)
		start := time.Now()
		for i := range 3 {
			beat := b.event()
			assert.Equal(t, time.Duration(i+1)*5*time.Second, time.Since(start))
			assert.Equal(t, "heartbeat", beat["meta_event_type"])
			assert.Equal(t, 5000.0, beat["interval"])
			assert.Equal(t, object{"online": true, "good": true, "stat": object{}}, beat["status"])
		}
		s.SetOnline(false)
		assert.Equal(t, "bot_offline", b.event()["notice_type"])
		assert.Equal(t, false, b.event()["status"].(object)["online"])
	})
}

func TestClose_LeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // synctest panics about remaining goroutines
		s := onebottest.New(onebottest.Options{Heartbeat: time.Second})
		a, b := connected(t, s), connected(t, s)
		s.DelayResponse("get_status", time.Hour)
		a.write(`{"action":"get_status"}`)
		waiting := make(chan error)
		go func() { _, err := s.WaitSent(context.Background(), 1); waiting <- err }()
		synctest.Wait()
		s.Close()
		assert.Error(t, <-waiting)
		a.gone()
		b.gone()
		assert.Zero(t, s.Links())
		s.Close()
		_, _, err := websocket.Dial(t.Context(), "ws://x/", &websocket.DialOptions{HTTPClient: s.HTTPClient()})
		assert.Error(t, err)
		assert.Panics(t, func() { s.Start() })
	})
}

func TestWaitLink_ReturnsWithEventLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		dial(t, s, "/api", nil)
		require.ErrorIs(t, s.WaitLink(ctx), context.DeadlineExceeded, "nobody listens")
		heard := make(chan object)
		go func() {
			time.Sleep(time.Second)
			heard <- connected(t, s).event()
		}()
		require.NoError(t, s.WaitLink(t.Context()))
		s.Group(1, "").Say(2, text("在吗"))
		assert.Equal(t, "在吗", (<-heard)["raw_message"])
	})
}
