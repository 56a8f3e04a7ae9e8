package onebottest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A call is a request to the HTTP API.
type httpCall struct{ method, path, kind, body, auth string }

// ask makes the call; status 0 means no response within a minute.
func (c httpCall) ask(t *testing.T, s *onebottest.Server) (status int, body string) {
	t.Helper()
	ctx, cancel := timeout(t, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, c.method, "http://onebottest"+c.path, strings.NewReader(c.body))
	require.NoError(t, err)
	if c.kind != "" {
		req.Header.Set("Content-Type", c.kind)
	}
	if c.auth != "" {
		req.Header.Set("Authorization", c.auth)
	}
	resp, err := s.HTTPClient().Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

const (
	jsonKind = "application/json"
	formKind = "application/x-www-form-urlencoded"
)

func TestHTTPAPI_Statuses(t *testing.T) {
	good := "Bearer k"
	for _, tt := range []struct {
		name    string
		call    httpCall
		status  [5]int // NapCat, LLBot, SnowLuma, Lagrange, GoCQHTTP; 0: no response
		retcode [5]int // -1: none
	}{
		{"json", httpCall{"POST", "/get_group_info", jsonKind, `{"group_id":7}`, good}, [5]int{200, 200, 200, 200, 200}, [5]int{}},
		{"form", httpCall{"POST", "/get_group_info", formKind, `group_id=7`, good}, [5]int{200, 200, 200, 200, 200}, [5]int{}},
		{"query", httpCall{"GET", "/get_group_info?group_id=7", "", "", good}, [5]int{200, 200, 200, 200, 200}, [5]int{}},
		{"token in the query", httpCall{"GET", "/get_status?access_token=k", "", "", ""}, [5]int{200, 200, 200, 200, 200}, [5]int{}},
		{"no token", httpCall{"POST", "/get_status", jsonKind, `{}`, ""}, [5]int{403, 403, 401, 401, 401}, [5]int{-1, -1, 1401, -1, -1}},
		{"wrong token", httpCall{"POST", "/get_status", jsonKind, `{}`, "Bearer x"}, [5]int{403, 403, 401, 403, 403}, [5]int{-1, -1, 1401, -1, -1}},
		{"unknown", httpCall{"POST", "/no_such", jsonKind, `{}`, good}, [5]int{200, 404, 200, 200, 200}, [5]int{200, 404, 1404, 404, 404}},
		{"bad parameters", httpCall{"POST", "/get_group_info", jsonKind, `{}`, good}, [5]int{200, 200, 200, 200, 200}, [5]int{400, 400, 1400, 200, 100}},
		{"failure", httpCall{"POST", "/get_group_info", jsonKind, `{"group_id":9}`, good}, [5]int{200, 200, 200, 200, 200}, [5]int{200, 200, 100, 200, 100}},
		{"bad body", httpCall{"POST", "/get_status", jsonKind, `{`, good}, [5]int{400, 200, 400, 0, 400}, [5]int{-1, 400, 1400, -1, -1}},
		{"other type", httpCall{"POST", "/get_status", "text/plain", `{}`, good}, [5]int{200, 200, 400, 406, 200}, [5]int{0, 0, 1400, -1, 0}},
		{"other method", httpCall{"PUT", "/get_status", jsonKind, `{}`, good}, [5]int{200, 200, 405, 405, 404}, [5]int{0, 0, 1400, -1, -1}},
		{"root", httpCall{"GET", "/", "", "", good}, [5]int{200, 404, 200, 200, 200}, [5]int{0, -1, 0, 404, 404}},
		{"action in the body", httpCall{"POST", "/", jsonKind, `{"action":"get_status"}`, good}, [5]int{200, 404, 200, 200, 200}, [5]int{0, -1, 0, 404, 0}},
	} {
		for i, impl := range names {
			t.Run(tt.name+" "+impl, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := of(t, impl, onebottest.Options{Token: "k"})
					s.Group(7, "七")
					status, body := tt.call.ask(t, s)
					assert.Equal(t, tt.status[i], status)
					var got struct {
						Retcode *int
						Message string
					}
					_ = json.Unmarshal([]byte(body), &got)
					if tt.retcode[i] < 0 {
						assert.Nil(t, got.Retcode, body)
					} else if assert.NotNil(t, got.Retcode, body) {
						assert.Equal(t, tt.retcode[i], *got.Retcode)
					}
					if status == 403 && i < 2 {
						assert.Contains(t, got.Message, "token verify failed")
					}
					s.Close()
				})
			})
		}
	}
}

func TestHTTPAPI_Sends(t *testing.T) {
	for _, impl := range names {
		s := of(t, impl, onebottest.Options{})
		s.Group(7, "七")
		for _, c := range []httpCall{
			{"POST", "/send_group_msg", jsonKind, `{"group_id":7,"message":[{"type":"text","data":{"text":"一 & 二"}}]}`, ""},
			{"POST", "/send_group_msg", formKind, `group_id=7&message=%E4%B8%80+%26+%E4%BA%8C`, ""},
			{"GET", "/send_group_msg?group_id=7&message=%E4%B8%80+%26+%E4%BA%8C", "", "", ""},
		} {
			status, body := c.ask(t, s)
			assert.Equal(t, 200, status, body)
		}
		require.Len(t, s.Sent(), 3, impl)
		for _, sent := range s.Sent() {
			assert.Equal(t, "一 & 二", sent.Message.Text(), impl)
		}
		assert.Len(t, s.Calls("send_group_msg"), 3)
		segments := httpCall{"GET", "/send_group_msg?group_id=7&message=%5B%7B%22type%22%3A%22at%22%2C%22data%22%3A%7B%22qq%22%3A1%7D%7D%5D", "", "", ""}
		segments.ask(t, s)
		assert.Equal(t, impl == "GoCQHTTP" || impl == "SnowLuma", s.Sent()[3].Message.Mentions(1), "only they read JSON in a query: %s", impl)
	}
}

func TestHTTPAPI_Echoes(t *testing.T) {
	for impl, want := range map[string]any{"NapCat": "onebottest", "LLBot": "absent", "SnowLuma": "absent", "Lagrange": nil, "GoCQHTTP": "absent"} {
		s := of(t, impl, onebottest.Options{})
		_, body := httpCall{"POST", "/get_status", jsonKind, `{}`, ""}.ask(t, s)
		got := object{"echo": "absent"}
		var answer object
		require.NoError(t, json.Unmarshal([]byte(body), &answer))
		for k, v := range answer {
			got[k] = v
		}
		assert.Equal(t, want, got["echo"], impl)
	}
	s := of(t, "NapCat", onebottest.Options{})
	_, body := httpCall{"POST", "/get_status", jsonKind, `{"echo":"mine"}`, ""}.ask(t, s)
	assert.Contains(t, body, `"echo":"mine"`)
}

func TestHTTPAPI_Faults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		s.Group(7, "七")
		call := httpCall{"POST", "/send_group_msg", jsonKind, `{"group_id":7,"message":"在"}`, ""}

		s.DelayResponse("send_group_msg", 20*time.Second)
		start := time.Now()
		status, _ := call.ask(t, s)
		assert.Equal(t, []any{200, 20 * time.Second}, []any{status, time.Since(start)})
		s.DelayResponse("send_group_msg", 0)

		s.WithholdResponse("send_group_msg", 1)
		status, _ = call.ask(t, s)
		assert.Zero(t, status)
		assert.Len(t, s.Sent(), 2, "done all the same")

		s.Fail("send_group_msg", 1200, 1)
		_, body := call.ask(t, s)
		assert.Contains(t, body, `"retcode":1200`, "as the test wants it")

		s.HalfOpen(true)
		status, _ = call.ask(t, s)
		assert.Zero(t, status)
		s.HalfOpen(false)
		s.RefuseConnections(true)
		status, _ = call.ask(t, s)
		assert.Equal(t, 503, status)
		s.RefuseConnections(false)

		s.TruncateResponse("send_group_msg", 1)
		req, err := http.NewRequest("POST", "http://x/send_group_msg", strings.NewReader(call.body))
		require.NoError(t, err)
		resp, err := s.HTTPClient().Do(req)
		require.NoError(t, err)
		half, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.NotEmpty(t, half)
		assert.Len(t, s.Sent(), 3)
	})
}
