package onebot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// website serves f over a real socket.
func website(tb testing.TB, f http.HandlerFunc) string {
	s := httptest.NewServer(f)
	tb.Cleanup(s.Close)
	return s.URL
}

func httpClient(tb testing.TB, url string, o Options) *HTTPClient {
	c := must(NewHTTPClient(url, o))
	tb.Cleanup(c.CloseIdleConnections)
	return c
}

func TestHTTPClient(t *testing.T) {
	url := website(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST", r.Method)
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.Equal(t, "Bearer geheim", r.Header.Get("Authorization"))
		assert.Equal(t, "x=1", r.URL.RawQuery)
		b, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/onebot/get_login_info":
			assert.Equal(t, `{}`, string(b))
			io.WriteString(w, `{"status":"ok","retcode":0,"data":{"user_id":10000,"nickname":"炉"}}`+"\n")
		case "/onebot/send_group_msg":
			assert.JSONEq(t, `{"group_id":1,"message":[{"type":"text","data":{"text":"<在> & [x]"}}]}`, string(b))
			io.WriteString(w, `{"status":"ok","retcode":0,"data":{"message_id":"-7"},"message":""}`)
		case "/onebot/.ocr_image":
			io.WriteString(w, `{"status":"async","retcode":1,"data":null}`)
		case "/onebot/a/b?c":
			io.WriteString(w, `{"status":"ok","retcode":0,"data":{"x":1}}`)
		case "/onebot/get_msg": // NapCat's refusals have HTTP status 200
			io.WriteString(w, `{"status":"failed","retcode":200,"data":{"x":2},"message":"消息不存在"}`)
		case "/onebot/delete_msg":
			io.WriteString(w, `{"status":"ok","retcode":100,"data":{"x":2}}`)
		default:
			t.Error(r.URL.Path)
		}
	})
	c := httpClient(t, url+"/onebot/?x=1", Options{Token: "geheim"})
	b := c.Bot()
	assert.Zero(t, b.SelfID())
	info, err := b.GetLoginInfo(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "炉", info.Nickname)
	assert.EqualValues(t, 10000, b.SelfID(), "learnt")
	id, err := NewBot(c, 10000).SendGroupMsg(t.Context(), 1, Message{Text("<在> & [x]")})
	require.NoError(t, err)
	assert.EqualValues(t, -7, id)
	assert.NoError(t, b.Call(t.Context(), ".ocr_image", nil, nil))
	var got struct{ X int }
	assert.NoError(t, b.Call(t.Context(), "a/b?c", nil, &got))
	assert.Equal(t, 1, got.X)
	var refused *APIError
	require.ErrorAs(t, b.Call(t.Context(), "get_msg", nil, &got), &refused)
	assert.Equal(t, &APIError{Action: "get_msg", Code: 200, Wording: "消息不存在"}, refused)
	is(t, b.Call(t.Context(), "delete_msg", nil, &got), ErrFailed)
	assert.Equal(t, 1, got.X, "data of a refusal is no result")
	for _, action := range []string{"", ".", ".."} {
		assert.ErrorIs(t, b.Call(t.Context(), action, nil, nil), ErrBadParams)
	}
	assert.ErrorIs(t, b.Call(t.Context(), "a", 5, nil), ErrBadParams)
	assert.ErrorContains(t, b.Call(t.Context(), "get_login_info", nil, new(int)), "result: json")
	for _, u := range []string{"", "ws://127.0.0.1", "http://", "127.0.0.1:3000", "http://a b"} {
		_, err := NewHTTPClient(u, Options{})
		assert.ErrorContains(t, err, "want one", u)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.SendGroupMsg(ended, 1, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, ErrUnclear)
}

// No response within the limit, which defaults to 10 s, and no response at all.
func TestHTTPClient_NoResponse(t *testing.T) {
	assert.Equal(t, 10*time.Second, must(NewHTTPClient("http://a", Options{})).opts.CallTimeout)
	synctest.Test(t, func(t *testing.T) {
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			switch r.URL.Path {
			case "/send_silent", "/get_silent":
				<-r.Context().Done()
			case "/send_half":
				io.WriteString(w, `{"status":"ok","retcode":0,"da`)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			default:
				w.Header().Set("Content-Length", "100")
				io.WriteString(w, `{"status":"ok"`)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
		}))
		c := must(NewHTTPClient("http://pipe", Options{HTTPClient: n.client, CallTimeout: 5 * time.Second}))
		short, cancel := context.WithTimeout(t.Context(), 16*time.Second)
		defer cancel()
		for _, k := range []struct {
			ctx    context.Context
			action string
			after  time.Duration
			want   []error
		}{
			{t.Context(), "send_silent", 5 * time.Second, []error{ErrTimeout, ErrUnclear}},
			{t.Context(), "get_silent", 5 * time.Second, []error{ErrTimeout}},
			{t.Context(), "send_half", 5 * time.Second, []error{ErrTimeout, ErrUnclear}},
			{short, "send_silent", time.Second, []error{ErrTimeout, ErrUnclear, context.DeadlineExceeded}},
			{t.Context(), "send_cut", 0, []error{ErrDisconnected, ErrUnclear}},
			{t.Context(), "get_cut", 0, []error{ErrDisconnected}},
		} {
			began := time.Now()
			is(t, c.Call(k.ctx, k.action, nil, nil), k.want...)
			assert.Equal(t, k.after, time.Since(began), k.action)
		}
		own := must(NewHTTPClient("http://pipe", Options{HTTPClient: &http.Client{Timeout: time.Second, Transport: n.client.Transport}}))
		is(t, own.Call(t.Context(), "send_silent", nil, nil), ErrTimeout, ErrUnclear, context.DeadlineExceeded)
	})

	err := httpClient(t, "http://127.0.0.1:1/?access_token=geheim", Options{}).Call(t.Context(), "send_msg", nil, nil) // nothing listens there
	is(t, err, ErrDisconnected)
	assert.NotContains(t, err.Error(), "geheim")
	mute := must(NewHTTPClient("http://a", Options{HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("oh") })}}))
	is(t, mute.Call(t.Context(), "send_msg", nil, nil), ErrDisconnected, ErrUnclear) // a transport that does not report its progress
}

// is checks that an error has exactly these classes.
func is(t *testing.T, err error, want ...error) {
	t.Helper()
	for _, class := range []error{ErrBadParams, ErrUnknownAction, ErrAuth, ErrFailed, ErrTimeout, ErrDisconnected, ErrUnclear, context.DeadlineExceeded} {
		expected := false
		for _, w := range want {
			expected = expected || w == class
		}
		assert.Equal(t, expected, errors.Is(err, class), "%v: %v", class, err)
	}
}

// The peer dies during a call: the closed socket ends the call, and nothing is sent again.
func TestHTTPClient_PeerKilled(t *testing.T) {
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			io.WriteString(w, `{"status":"ok","retcode":0,"data":null}`)
			return
		}
		c, _, _ := http.NewResponseController(w).Hijack()
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}))
	defer s.Close()
	c := httpClient(t, s.URL, Options{CallTimeout: -1})
	require.NoError(t, c.Call(t.Context(), "send_msg", nil, nil))
	is(t, c.Call(t.Context(), "send_msg", nil, nil), ErrDisconnected, ErrUnclear) // over the connection of the first call
	assert.EqualValues(t, 2, requests.Load())
}

// Meaning of an HTTP status if the body says nothing more.
func TestHTTPClient_Status(t *testing.T) {
	url := website(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			t.Error("redirect followed")
		}
		status := 0
		fmt.Sscan(r.Header.Get("X-Status"), &status)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		io.WriteString(w, r.Header.Get("X-Body"))
	})
	for _, k := range []struct {
		action string
		status int
		body   string
		text   string
		want   []error
	}{
		{"send_msg", 401, ``, "retcode 401", []error{ErrAuth}},
		{"send_msg", 403, `{"message":"token verify failed!"}`, "retcode 403: token verify failed!", []error{ErrAuth}},
		{"send_msg", 404, `<html>`, "retcode 404", []error{ErrUnknownAction}},
		{"send_msg", 404, `{"status":"failed","retcode":1404,"message":"x API 不存在"}`, "retcode 1404: x API 不存在", []error{ErrUnknownAction}},
		{"send_msg", 400, `Invalid JSON`, "retcode 400", []error{ErrBadParams}},
		{"send_msg", 406, ``, "retcode 406", []error{ErrBadParams}},
		{"send_msg", 302, ``, "retcode 302", []error{ErrFailed}},
		{"send_msg", 307, ``, "retcode 307", []error{ErrFailed}},
		{"send_msg", 429, ``, "retcode 429", []error{ErrFailed}},
		{"send_msg", 500, `oh`, "retcode 500", []error{ErrFailed, ErrUnclear}},
		{"get_msg", 502, ``, "retcode 502", []error{ErrFailed}},
		{"send_msg", 200, `{"status":"failed","retcode":200,"message":"不支持的Api send_msg"}`, "", []error{ErrUnknownAction}},
		{"send_msg", 200, `{"status":"failed","retcode":200,"message":"Timeout: NTEvent sendMsg"}`, "", []error{ErrFailed, ErrUnclear}},
		{"send_msg", 200, `{"status":"failed","retcode":400,"message":"x"}`, "", []error{ErrBadParams}},
		{"send_msg", 200, `<html>`, "not a OneBot response; may have been sent", []error{ErrUnclear}},
		{"send_msg", 200, `{"message":"hello"}`, "not a OneBot response; may have been sent", []error{ErrUnclear}},
		{"send_msg", 200, ``, "not a OneBot response; may have been sent", []error{ErrUnclear}},
		{"get_msg", 200, `[]`, "not a OneBot response", nil},
		{"get_msg", 204, ``, "not a OneBot response", nil},
		{"get_msg", 200, `{"status":"ok","retcode":0,"data":"` + strings.Repeat("x", 1000) + `"}`, "response exceeds ReadLimit", nil},
	} {
		c := httpClient(t, url, Options{ReadLimit: 500, HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X-Status", fmt.Sprint(k.status))
			r.Header.Set("X-Body", k.body)
			return http.DefaultTransport.RoundTrip(r)
		})}})
		err := c.Call(t.Context(), k.action, nil, nil)
		is(t, err, k.want...)
		if k.text != "" {
			assert.EqualError(t, err, "onebot: call "+k.action+": "+k.text)
		}
	}
}

func TestHTTPClient_FilterAndLimit(t *testing.T) {
	url := website(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"status":"ok","retcode":0,"data":%s}`, b)
	})
	c := httpClient(t, url, Options{Filter: func(_ context.Context, s *SendRequest) error {
		s.Message = append(s.Message, Text("!"))
		return nil
	}, ReadLimit: -1})
	var got struct{ Message Message }
	require.NoError(t, c.Call(t.Context(), "send_msg", map[string]any{"message": "x"}, &got))
	assert.Equal(t, "x!", got.Message.Text())
}

// NapCat's HTTP server responds to stream actions with one JSON document after the other.
func TestHTTPClient_Stream(t *testing.T) { synctest.Test(t, testHTTPStream) }

func testHTTPStream(t *testing.T) {
	n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadAll(r.Body)
		part := func(i int, typ string) {
			fmt.Fprintf(w, `{"status":"ok","retcode":0,"data":{"type":%q,"index":%d},"stream":"stream-action"}`+"\r\n\r\n", typ, i)
			w.(http.Flusher).Flush()
		}
		for i := range 5 {
			part(i, "stream")
		}
		switch r.URL.Path {
		case "/upload_file_stream":
			return
		case "/fail":
			io.WriteString(w, `{"status":"failed","retcode":200,"message":"file not found","data":{"type":"error"},"stream":"stream-action"}`)
		case "/stall":
			<-r.Context().Done()
		default:
			part(5, "response")
		}
	}))
	c := must(NewHTTPClient("http://pipe", Options{HTTPClient: n.client, CallTimeout: time.Second}))
	parts, err := collect(c.Bot(), t.Context(), "download_file_stream", nil)
	require.NoError(t, err)
	assert.Len(t, parts, 6)
	assert.Equal(t, `{"type":"response","index":5}`, parts[5])
	parts, err = collect(c.Bot(), t.Context(), "fail", nil)
	assert.Len(t, parts, 5)
	is(t, err, ErrFailed)
	parts, err = collect(c.Bot(), t.Context(), "stall", nil)
	assert.Len(t, parts, 5)
	is(t, err, ErrTimeout)
	for range c.Stream(t.Context(), "stall", nil) {
		break
	}
	got := 0
	for _, err := range c.Stream(t.Context(), "download_file_stream", nil) {
		require.NoError(t, err, "a slow loop is not the server's fault")
		if got++; got == 1 {
			time.Sleep(2 * time.Second)
		}
	}
	assert.Equal(t, 6, got)
	var one struct{ Index int }
	require.NoError(t, c.Call(t.Context(), "upload_file_stream", nil, &one))
	assert.Zero(t, one.Index)
}
