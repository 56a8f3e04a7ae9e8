package qqbot_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A recorder is a handler that keeps the events.
type recorder struct {
	mu     sync.Mutex
	events []qqbot.Event
}

func (r *recorder) handle(_ context.Context, e qqbot.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) all() []qqbot.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]qqbot.Event(nil), r.events...)
}

// ids returns the ids of the platform's events, without those of the link.
func (r *recorder) ids() (ids []string) {
	for _, e := range r.all() {
		switch e.(type) {
		case *qqbot.Ready, *qqbot.Resumed, *qqbot.Gap:
		default:
			ids = append(ids, e.Base().EventID)
		}
	}
	return ids
}

func count[E qqbot.Event](r *recorder) (n int) {
	for _, e := range r.all() {
		if _, ok := e.(E); ok {
			n++
		}
	}
	return n
}

// A run is a client that runs against a platform in a synctest bubble.
type run struct {
	*recorder
	s    *qqbottest.Server
	c    *qqbot.Client
	stop func() error
}

// bubble runs f with a client that is connected, unless the platform prevents it.
func bubble(t *testing.T, so qqbottest.Options, o qqbot.Options, prepare func(*qqbottest.Server), f func(t *testing.T, r *run)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := qqbottest.New(so)
		defer s.Close()
		if prepare != nil {
			prepare(s)
		}
		r := &run{recorder: &recorder{}, s: s, c: s.Client(o)}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.c.Run(ctx, r.handle) }()
		var once sync.Once
		var err error
		r.stop = func() error {
			once.Do(func() {
				cancel()
				err = <-ended
			})
			return err
		}
		defer r.stop()
		synctest.Wait()
		f(t, r)
	})
}

// settle lets a minute pass, which is longer than any backoff.
func settle() {
	time.Sleep(61 * time.Second)
	synctest.Wait()
}

func TestRun(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		said := r.s.User("U").Say("在吗")
		synctest.Wait()
		assert.Equal(t, []string{said.EventID}, r.ids())
		require.IsType(t, &qqbot.Ready{}, r.all()[0])
		assert.Equal(t, "炉边", r.all()[0].(*qqbot.Ready).User.Username)
		require.Error(t, r.c.Run(t.Context(), nil), "a second Run")
		time.Sleep(10 * time.Minute)
		assert.InDelta(t, 14, r.s.GatewayStats().Heartbeats, 1)
		assert.Equal(t, 1, r.s.GatewayStats().Identifies)
		require.NoError(t, r.stop())
		st := r.c.Stats()
		assert.EqualValues(t, 1, st.Links)
		assert.EqualValues(t, 1, st.Received)
	})
}

// Every close code is resumed, answered by a new session, or ends Run.
func TestCloseCodes(t *testing.T) {
	const (
		resume = iota
		identify
		fatal
		refresh // resume with a new token
	)
	for code, want := range map[int]int{
		1000: resume, 1001: resume, 1011: resume, 4000: identify, 4001: identify, 4002: identify, 4003: identify, 4004: resume, 4005: identify,
		4006: identify, 4007: identify, 4008: resume, 4009: resume, 4010: fatal, 4011: fatal, 4012: fatal, 4013: fatal, 4014: fatal,
		4900: identify, 4913: identify, 4914: fatal, 4915: fatal, 4999: resume,
	} {
		bubble(t, qqbottest.Options{}, qqbot.Options{Intents: qqbot.IntentMessages}, nil, func(t *testing.T, r *run) {
			began := time.Now()
			r.s.CloseLinks(code)
			said := r.s.User("U").Say("在吗") // while the link is down
			settle()
			st := r.s.GatewayStats()
			switch want {
			case resume:
				assert.Equal(t, []int{1, 1, 1}, []int{st.Links, st.Identifies, st.Resumes}, code)
				assert.Equal(t, []string{said.EventID}, r.ids(), code)
				assert.Zero(t, count[*qqbot.Gap](r.recorder), code)
				assert.Equal(t, 1, count[*qqbot.Resumed](r.recorder), code)
			case identify:
				assert.Equal(t, []int{1, 2, 0}, []int{st.Links, st.Identifies, st.Resumes}, code)
				assert.Equal(t, 1, count[*qqbot.Gap](r.recorder), code)
			case fatal:
				assert.Zero(t, st.Links, code)
				err := r.stop()
				var closed *qqbot.GatewayError
				require.ErrorAs(t, err, &closed, code)
				assert.Equal(t, code, closed.Code)
				assert.NotEmpty(t, closed.Advice())
			}
			if code == 4008 {
				assert.GreaterOrEqual(t, time.Since(began), time.Minute)
			}
		})
	}
}

// The documents permit nothing after 4001 and 4002, so several in a row end Run.
func TestCloseCodes_Strikes(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		for range 3 {
			r.s.CloseLinks(4002)
			settle()
		}
		assert.Equal(t, 3, r.s.GatewayStats().Identifies)
		assert.ErrorAs(t, r.stop(), new(*qqbot.GatewayError))
	})
}

// A resume delivers what was missed. What was delivered before comes again from the platform, but not to the handler.
func TestResume_Replays(t *testing.T) {
	for name, cut := range map[string]func(*qqbottest.Server){
		"drop":      (*qqbottest.Server).DropLinks,
		"reconnect": (*qqbottest.Server).Reconnect,
		"invalid":   func(s *qqbottest.Server) { s.InvalidateSessions(true) },
		"cut":       func(s *qqbottest.Server) { s.CloseLinks(4009) },
	} {
		bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
			r.s.ReplayDelivered(3)
			u := r.s.User("U")
			var want []string
			for i := range 5 {
				want = append(want, u.Say(fmt.Sprint("前", i)).EventID)
			}
			synctest.Wait()
			for round := range 3 {
				cut(r.s)
				for i := range 4 {
					want = append(want, u.Say(fmt.Sprint(round, i)).EventID)
				}
				settle()
			}
			assert.Equal(t, want, r.ids(), name)
			st := r.s.GatewayStats()
			assert.Equal(t, []int{1, 1, 3}, []int{st.Links, st.Identifies, st.Resumes}, name)
			assert.EqualValues(t, 9, r.c.Stats().Repeated, name)
		})
	}
}

// A dead session is replaced, and the handler learns that events are lost.
func TestSession_Dead(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		u := r.s.User("U")
		first := u.Say("一")
		synctest.Wait()
		before := time.Now()
		r.s.InvalidateSessions(false)
		u.Say("丢了")
		settle()
		last := u.Say("三")
		synctest.Wait()
		assert.Equal(t, []string{first.EventID, last.EventID}, r.ids())
		require.Equal(t, 1, count[*qqbot.Gap](r.recorder))
		for _, e := range r.all() {
			if gap, ok := e.(*qqbot.Gap); ok {
				assert.Equal(t, qqbot.GapSession, gap.Reason)
				assert.False(t, gap.Since.After(before))
			}
		}
		r.s.KillSessions() // silently: the next resume is told so
		r.s.DropLinks()
		settle()
		assert.Equal(t, 1, r.s.GatewayStats().Ready)
		assert.Equal(t, 2, count[*qqbot.Gap](r.recorder))
	})
}

// A session that is resumed and closed at once is given up after three attempts.
func TestSession_Stale(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		r.s.StaleSessions(true)
		r.s.DropLinks()
		time.Sleep(5 * time.Minute)
		st := r.s.GatewayStats()
		assert.Equal(t, []int{1, 2, 3}, []int{st.Ready, st.Identifies, st.Resumes})
		r.s.StaleSessions(false)
		for range 6 { // resumes that work never count
			r.s.DropLinks()
			settle()
		}
		st = r.s.GatewayStats()
		assert.Equal(t, []int{1, 2, 9}, []int{st.Ready, st.Identifies, st.Resumes})
	})
}

// A link that goes silent is replaced after at most two heartbeats.
func TestHalfOpen(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		time.Sleep(time.Minute)
		r.s.HalfOpen(true)
		said := r.s.User("U").Say("在吗")
		time.Sleep(2*41250*time.Millisecond + time.Second)
		r.s.HalfOpen(false)
		settle()
		assert.Equal(t, []string{said.EventID}, r.ids())
		assert.Equal(t, 1, r.s.GatewayStats().Ready)
		assert.NotZero(t, r.s.GatewayStats().Resumes)
	})
}

// Outages of any kind end by themselves, and the number of attempts stays small.
func TestOutages(t *testing.T) {
	for name, k := range map[string]struct{ begin, end func(*qqbottest.Server) }{
		"gateway":  {func(s *qqbottest.Server) { s.Fail(qqbottest.Gateway, 500, 0, -1) }, func(s *qqbottest.Server) { s.Fail(qqbottest.Gateway, 0, 0, 0) }},
		"too fast": {func(s *qqbottest.Server) { s.Fail(qqbottest.Gateway, 400, 100017, -1) }, func(s *qqbottest.Server) { s.Fail(qqbottest.Gateway, 0, 0, 0) }},
		"link":     {func(s *qqbottest.Server) { s.RefuseLinks(true) }, func(s *qqbottest.Server) { s.RefuseLinks(false) }},
		"token":    {func(s *qqbottest.Server) { s.Fail(qqbottest.Token, 500, 0, -1) }, func(s *qqbottest.Server) { s.Fail(qqbottest.Token, 0, 0, 0) }},
		"hello":    {func(s *qqbottest.Server) { s.HalfOpen(true) }, func(s *qqbottest.Server) { s.HalfOpen(false) }},
	} {
		bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
			k.begin(r.s)
			r.s.ExpireTokens()
			r.s.DropLinks()
			said := r.s.User("U").Say("在吗")
			time.Sleep(10 * time.Minute)
			k.end(r.s)
			settle()
			settle()
			assert.Equal(t, 1, r.s.GatewayStats().Ready, name)
			if r.s.GatewayStats().Identifies == 1 {
				assert.Equal(t, []string{said.EventID}, r.ids(), name)
			} else {
				assert.Equal(t, 1, count[*qqbot.Gap](r.recorder), name)
			}
			assert.Less(t, r.s.GatewayStats().Resumes+r.s.GatewayStats().Identifies, 40, name)
		})
	}
}

func TestRun_BadSecret(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	c, err := qqbot.New(s.AppID(), "wrong", qqbot.Options{BaseURL: s.Start(), TokenURL: s.Start() + "/app/getAppAccessToken"})
	require.NoError(t, err)
	err = c.Run(t.Context(), nil)
	kind, _ := qqbot.KindOf(err)
	assert.Equal(t, qqbot.KindCredentials, kind, "%v", err)
}

// Without Options.Intents the client asks for fewer until the gateway agrees.
func TestIntents(t *testing.T) {
	bubble(t, qqbottest.Options{Intents: qqbot.IntentMessages}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		settle()
		assert.Equal(t, 1, r.s.GatewayStats().Ready)
		assert.Zero(t, count[*qqbot.Gap](r.recorder))
	})
	bubble(t, qqbottest.Options{Intents: qqbot.IntentMessages}, qqbot.Options{Intents: qqbot.IntentMembers}, nil, func(t *testing.T, r *run) {
		settle()
		assert.ErrorContains(t, r.stop(), "4014")
	})
}

// When no session may be started, the client waits as long as the platform says.
func TestSessionLimit(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, func(s *qqbottest.Server) { s.LimitSessions(0, time.Hour) }, func(t *testing.T, r *run) {
		time.Sleep(59 * time.Minute)
		assert.Zero(t, r.s.GatewayStats().Identifies)
		r.s.LimitSessions(5, time.Hour)
		time.Sleep(2 * time.Minute)
		assert.Equal(t, 1, r.s.GatewayStats().Ready)
		for range 20 {
			r.s.InvalidateSessions(false)
			settle()
		}
		assert.Equal(t, 5, r.s.GatewayStats().Identifies)
	})
}

// Garbage from the gateway is skipped, and a handler that is slow loses events but learns of it.
func TestGarbageAndOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := qqbottest.New(qqbottest.Options{})
		defer s.Close()
		c := s.Client(qqbot.Options{QueueBytes: 16 << 10})
		gate := make(chan struct{})
		var rec recorder
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- c.Run(ctx, func(ctx context.Context, e qqbot.Event) {
				if _, ok := e.(*qqbot.Ready); !ok {
					select {
					case <-gate:
					case <-ctx.Done():
					}
				}
				rec.handle(ctx, e)
			})
		}()
		synctest.Wait()
		for _, text := range []string{"", "{", "[]", "null", `{"op":"x"}`, `{"op":0}`, `{"op":0,"t":"X","s":2,"d":[]}`, `{"op":77}`, `{"op":11,"d":{}}`} {
			s.SendFrame(text)
		}
		u := s.User("U")
		for range 50 {
			u.Say("快")
		}
		time.Sleep(time.Minute) // the link stays up meanwhile
		assert.Equal(t, 1, s.GatewayStats().Ready)
		st := c.Stats()
		assert.NotZero(t, st.Dropped)
		close(gate)
		synctest.Wait()
		last := u.Say("慢")
		synctest.Wait()
		ids := rec.ids()
		assert.Equal(t, last.EventID, ids[len(ids)-1])
		lost := 0
		for _, e := range rec.all() {
			if gap, ok := e.(*qqbot.Gap); ok {
				assert.Equal(t, qqbot.GapOverflow, gap.Reason)
				lost += gap.Count
			}
		}
		assert.EqualValues(t, st.Dropped, lost)
		cancel()
		require.NoError(t, <-ended)
	})
}

// Over real sockets: the connection is killed many times, nothing is lost or doubled, and no goroutine is left.
func TestRun_Sockets(t *testing.T) {
	before := runtime.NumGoroutine()
	func() {
		s := qqbottest.New(qqbottest.Options{Heartbeat: time.Second})
		defer s.Close()
		s.ReplayDelivered(5)
		url, trusting := s.StartTLS()
		defer trusting.CloseIdleConnections()
		c := s.Client(qqbot.Options{BaseURL: url, HTTPClient: trusting, MinBackoff: time.Millisecond, MaxBackoff: 5 * time.Millisecond})
		var rec recorder
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx, rec.handle) }()
		require.NoError(t, s.WaitLink(ctx))
		u := s.User("U")
		var want []string
		for i := range 100 {
			want = append(want, u.Say(fmt.Sprint(i)).EventID)
			if i%10 == 9 {
				// one event at least must arrive: three resumes without any would end the session
				require.Eventually(t, func() bool { return len(rec.ids()) > i-9 }, 20*time.Second, time.Millisecond)
				s.DropLinks()
			}
		}
		require.Eventually(t, func() bool { return len(rec.ids()) >= len(want) }, 20*time.Second, 5*time.Millisecond)
		assert.Equal(t, want, rec.ids())
		cancel()
		require.NoError(t, <-ended)
	}()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond) // connections close in the background
	}
	if !assert.LessOrEqual(t, runtime.NumGoroutine(), before) {
		stacks := make([]byte, 1<<16)
		t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// An address without encryption is refused, because the link carries the token.
func TestGateway_Plain(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	url, trusting := s.StartTLS()
	tr := trusting.Transport
	trusting.Transport = rewrite{tr.RoundTrip}
	defer func() { trusting.Transport = tr; trusting.CloseIdleConnections() }()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c := s.Client(qqbot.Options{BaseURL: url, HTTPClient: trusting})
	require.NoError(t, c.Run(ctx, nil))
	assert.Zero(t, s.GatewayStats().Identifies)
}

func TestGatewayError(t *testing.T) {
	err := error(&qqbot.GatewayError{Code: 4914, Reason: "offline"})
	assert.True(t, strings.Contains(err.Error(), "SandboxURL") && strings.Contains(err.Error(), "offline"))
	assert.False(t, errors.Is(err, context.Canceled))
}
