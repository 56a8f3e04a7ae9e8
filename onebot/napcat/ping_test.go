package napcat

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
)

const wellAnswer = `{"status":"ok","retcode":0,"data":{"user_id":10001,"nickname":"小炉"},"echo":"ping"}`

func port(t *testing.T, s *httptest.Server) int {
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	n, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return n
}

func pingOnce(t *testing.T, conf Config) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return must(defaultPing(nil, conf))(ctx)
}

func TestPing_HTTP(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		conf       Config
		want       string // in the error; "": none
	}{
		{"well", wellAnswer, 200, Config{}, ""},
		{"the account", wellAnswer, 200, Config{Account: 10001}, ""},
		{"another account", wellAnswer, 200, Config{Account: 2}, "account 10001 is logged in, want 2"},
		{"id as a string", `{"status":"ok","retcode":0,"data":{"user_id":"10001"}}`, 200, Config{Account: 10001}, ""},
		{"not logged in", `{"status":"ok","retcode":0,"data":{"user_id":0}}`, 200, Config{}, "without an account"},
		{"no data", `{"status":"ok","retcode":0}`, 200, Config{}, "without an account"},
		{"null", `{"status":"ok","retcode":0,"data":null}`, 200, Config{}, "without an account"},
		{"failed", `{"status":"failed","retcode":200,"message":"not yet"}`, 200, Config{}, "retcode 200: not yet"},
		{"no JSON", `<html>`, 200, Config{}, "not a OneBot response"},
		{"token", `{"message":"token verify failed!"}`, 403, Config{}, "token verify failed!"},
		{"no token", ``, 401, Config{}, "retcode 401"},
		{"elsewhere", ``, 302, Config{}, "retcode 302"},
		{"broken", ``, 500, Config{}, "retcode 500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/get_login_info", r.URL.Path)
				assert.Equal(t, "POST", r.Method)
				assert.Equal(t, "Bearer t0ken", r.Header.Get("Authorization"))
				w.WriteHeader(c.status)
				w.Write([]byte(c.body))
			}))
			defer s.Close()
			c.conf.HTTPPort, c.conf.Token = port(t, s), "t0ken"
			err := pingOnce(t, c.conf)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "t0ken")
			require.Equal(t, c.status == 401 || c.status == 403, isAuth(err))
		})
	}
}

func TestPing_WebSocket(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []string
		status int
		want   string
	}{
		{"well", []string{wellAnswer}, 0, ""},
		{"behind events", []string{`{"post_type":"meta_event","meta_event_type":"lifecycle","self_id":10001}`, wellAnswer}, 0, ""},
		{"token told in a frame", []string{`{"status":"failed","retcode":1403,"data":null,"message":"token验证失败","echo":null}`}, 0, "1403"},
		{"token told by HTTP", nil, 403, "token rejected"},
		{"closed", nil, 0, "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.status != 0 {
					w.WriteHeader(c.status)
					return
				}
				assert.Equal(t, "/api", r.URL.Path)
				assert.Equal(t, "Bearer t0ken", r.Header.Get("Authorization"))
				ws, err := websocket.Accept(w, r, nil)
				if !assert.NoError(t, err) {
					return
				}
				defer ws.CloseNow()
				_, request, err := ws.Read(r.Context())
				assert.NoError(t, err)
				assert.JSONEq(t, `{"action":"get_login_info","params":{},"echo":"ping"}`, string(request))
				for _, f := range c.frames {
					assert.NoError(t, ws.Write(r.Context(), websocket.MessageText, []byte(f)))
				}
			}))
			defer s.Close()
			err := pingOnce(t, Config{WSPort: port(t, s), Token: "t0ken"})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.name[:5] == "token", isAuth(err))
		})
	}
}

func isAuth(err error) bool { return errors.Is(err, onebot.ErrAuth) }

func TestPing_NoServer(t *testing.T) {
	require.Error(t, pingOnce(t, Config{HTTPPort: 1}))
	require.Error(t, pingOnce(t, Config{WSPort: 1}))
}

func TestPing_NoResponse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections but reads nothing
	require.NoError(t, err)
	defer l.Close()
	n := l.Addr().(*net.TCPAddr).Port
	for _, conf := range []Config{{HTTPPort: n}, {WSPort: n}} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, must(defaultPing(nil, conf))(ctx), context.DeadlineExceeded)
		cancel()
	}
}

type callerFunc func(action string, result any) error

func (f callerFunc) Call(_ context.Context, action string, _, result any) error {
	return f(action, result)
}

func TestPing_Caller(t *testing.T) {
	ping := must(defaultPing(callerFunc(func(action string, result any) error {
		assert.Equal(t, "get_login_info", action)
		result.(*onebot.LoginInfo).UserID = 10001
		return nil
	}), Config{}))
	require.NoError(t, ping(t.Context()))
	ping = must(defaultPing(callerFunc(func(string, any) error { return onebot.ErrDisconnected }), Config{}))
	require.ErrorIs(t, ping(t.Context()), onebot.ErrDisconnected)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
