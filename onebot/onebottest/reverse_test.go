package onebottest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A home is an onebot.Server in a bubble that records its events.
type home struct {
	*onebot.Server
	t      *testing.T
	events chan onebot.Event
}

func host(t *testing.T, o onebot.Options) *home {
	h := &home{onebot.NewServer(o), t, make(chan onebot.Event, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- h.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) { h.events <- e })
	}()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	synctest.Wait()
	return h
}

// join connects an account to it.
func (h *home) join(s *onebottest.Server, role string, again time.Duration) <-chan error {
	h.t.Helper()
	ended := make(chan error, 1)
	h.t.Cleanup(s.Close)
	go func() {
		ended <- s.Connect(context.Background(), "ws://bot/", onebottest.ConnectOptions{Role: role, Handler: h, Reconnect: again})
	}()
	synctest.Wait()
	return ended
}

// text returns the next message with its account.
func (h *home) text() string {
	h.t.Helper()
	for {
		select {
		case e := <-h.events:
			if m, ok := e.(*onebot.GroupMessage); ok {
				return fmt.Sprint(m.SelfID, " ", m.Message.Text())
			}
		case <-time.After(time.Hour):
			h.t.Fatal("no message comes")
		}
	}
}

func TestReverse_TwoAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host(t, onebot.Options{Token: "密"})
		a := onebottest.New(onebottest.Options{SelfID: 1, Token: "密"})
		b := onebottest.New(onebottest.Options{SelfID: 2, Token: "密"})
		h.join(a, "", 0)
		h.join(b, "", 0)
		for i := range 10 {
			for _, s := range []*onebottest.Server{a, b} {
				s.Group(7, "").Say(9, text(fmt.Sprint(i)))
				assert.Equal(t, fmt.Sprint(s.SelfID(), " ", i), h.text())
				bot, ok := h.Bot(s.SelfID())
				require.True(t, ok)
				_, err := bot.SendGroupMsg(t.Context(), 7, text("听到"))
				require.NoError(t, err)
				assert.Len(t, s.Sent(), i+1, "each from its own account")
			}
		}
		a.DropLinks()
		synctest.Wait()
		_, ok := h.Bot(1)
		assert.False(t, ok)
		_, ok = h.Bot(2)
		assert.True(t, ok)
	})
}

func TestReverse_WrongToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host(t, onebot.Options{Token: "密"})
		for token, want := range map[string]string{"": "401", "wrong": "403"} {
			err := <-h.join(onebottest.New(onebottest.Options{Token: token}), "", 0)
			assert.ErrorContains(t, err, want)
		}
		_, ok := h.Bot(self)
		assert.False(t, ok)
	})
}

// Of two links of one account the newer one wins, and nothing is lost when the old one ends.
func TestReverse_SameAccountTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host(t, onebot.Options{})
		older, newer := onebottest.New(onebottest.Options{}), onebottest.New(onebottest.Options{})
		older.HalfOpen(true)
		gone := h.join(older, "", 0)
		h.join(newer, "", 0)
		assert.Error(t, <-gone)
		older.Close()
		bot, ok := h.Bot(self)
		require.True(t, ok)
		newer.Group(7, "").Say(1, text("还在"))
		assert.Equal(t, "10000 还在", h.text())
		_, err := bot.SendGroupMsg(t.Context(), 7, text("在"))
		require.NoError(t, err)
		assert.Len(t, newer.Sent(), 1)
	})
}

func TestReverse_JoinsRoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host(t, onebot.Options{})
		s := onebottest.New(onebottest.Options{})
		h.join(s, "API", 0)
		h.join(s, "event", 0)
		s.Group(7, "").Say(1, text("在吗"))
		assert.Equal(t, "10000 在吗", h.text())
		bot, ok := h.Bot(self)
		require.True(t, ok)
		_, err := bot.SendGroupMsg(t.Context(), 7, text("在"))
		require.NoError(t, err)
	})
}

func TestReverse_Reconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host(t, onebot.Options{})
		s := onebottest.New(onebottest.Options{Heartbeat: 5 * time.Second})
		g := s.Group(7, "")
		h.join(s, "", 5*time.Second)
		for i := range 3 {
			g.Say(1, text(fmt.Sprint(i)))
			assert.Equal(t, fmt.Sprint("10000 ", i), h.text())
			bot, _ := h.Bot(self)
			s.WithholdResponse("send_group_msg", 1)
			failed := make(chan error)
			go func() { _, err := bot.SendGroupMsg(t.Context(), 7, text("喂")); failed <- err }()
			synctest.Wait()
			s.DropLinks()
			err := <-failed
			assert.ErrorIs(t, err, onebot.ErrDisconnected)
			assert.ErrorIs(t, err, onebot.ErrUnclear)
			time.Sleep(6 * time.Second)
		}
		time.Sleep(20 * time.Second) // after it has seen heartbeats
		s.HalfOpen(true)
		time.Sleep(40 * time.Second)
		_, ok := h.Bot(self)
		assert.True(t, ok, "dialed again, and silent again")
		s.HalfOpen(false)
		time.Sleep(2 * time.Minute)
		g.Say(1, text("好了"))
		assert.Equal(t, "10000 好了", h.text())
	})
}

// The handshake completes although every handler is busy until the response to its call.
func TestReverse_HandshakeWhileHandlersAreBusy(t *testing.T) {
	bot := onebot.NewServer(onebot.Options{Workers: 1})
	web := httptest.NewServer(bot)
	defer web.Close()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	busy := make(chan struct{}, 1)
	ended := make(chan error)
	go func() {
		ended <- bot.Run(ctx, func(context.Context, *onebot.Bot, onebot.Event) {
			select {
			case busy <- struct{}{}:
			default:
			}
			<-release
		})
	}()
	url := strings.Replace(web.URL, "http", "ws", 1)
	for id := range int64(3) {
		s := onebottest.New(onebottest.Options{SelfID: id + 1})
		defer s.Close()
		go s.Connect(ctx, url, onebottest.ConnectOptions{Reconnect: time.Millisecond})
		require.NoError(t, s.WaitLink(ctx))
		if id == 0 {
			<-busy
		}
	}
	close(release)
	cancel()
	assert.NoError(t, <-ended)
}
