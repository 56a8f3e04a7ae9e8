package onebottest

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// fuzzed returns a server of each implementation with a small state.
func fuzzed() (all []*Server) {
	for _, h := range Presets() {
		h.PushOwnMessages = true
		all = append(all, New(Options{Quirks: h}))
	}
	return all
}

// settle undoes the effects of the last input.
func settle(s *Server) {
	g := s.Group(7, "")
	g.Member(s.SelfID(), "").WithRole("owner")
	g.Member(1, "")
	s.Friend(1, "")
}

// FuzzFrame checks that every frame of a bot gets one JSON response. Only Lagrange ignores invalid frames.
func FuzzFrame(f *testing.F) {
	for name := range actions {
		f.Add([]byte(`{"action":"` + name + `","params":{"group_id":7,"user_id":1,"message":"[CQ:at,qq=1]","flag":"x","message_id":1,"file":"x","stream_id":"1"},"echo":1}`))
	}
	for _, frame := range []string{
		"", "[]", "null", `{"action":null}`, `{"action":"send_msg","params":[]}`, `{"action":"send_msg","params":{"group_id":7,"message":{"type":"text","data":{"text":"x"}}}}`,
		`{"action":"send_msg","params":{"group_id":7,"message":[{"type":"\ud800","data":{"text":"\ud800"}}, {"data":[]}, 5]}}`,
		"{\"action\":\"send_msg\",\"params\":{\"group_id\":7,\"message\":[{\"type\":\"x\xff\",\"data\":{\"\xfe\":\"\xfd\"}}]},\"echo\":\"\xff\"}",
		`{"action":"get_group_msg_history","params":{"group_id":7,"count":-1}}`, `{"action":"get_group_msg_history","params":{"group_id":7,"count":1e9}}`,
		`{"action":"get_group_msg_history","params":{"group_id":7,"message_seq":-9223372036854775808}}`,
		`{"action":"set_group_ban","params":{"group_id":7,"user_id":1,"duration":9223372036854775807}}`,
		`{"Action":"get_status","ACTION":"x","params":{"message":""},"echo":{"a":1,"a":2}}`,
		`{"action":"upload_file_stream","params":{"stream_id":"1","total_chunks":9223372036854775807,"chunk_index":0,"chunk_data":"YQ=="}}`,
		`{"action":"send_group_forward_msg","params":{"group_id":7,"messages":[{"type":"node","data":{"content":[{}]}},{"type":"node","data":{"id":1}}]}}`,
		`{"action":".handle_quick_operation","params":{"context":{"post_type":"message","message_type":"group","group_id":7},"operation":{"reply":[{}],"kick":true}}}`,
	} {
		f.Add([]byte(frame))
	}
	all := fuzzed()
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, s := range all {
			settle(s)
			l := &link{role: role{api: true}, outbox: s.outbox()}
			l.handle(context.Background(), frame)
			lost := s.opts.Quirks.Actions == LikeLagrange && json.Unmarshal(frame, &request{}) != nil
			if n := len(l.queue); n != 1 && !(n == 0 && lost) {
				t.Fatalf("%d answers to %q", n, frame)
			}
			if !lost {
				isAnswer(t, frame, l.queue[0].frame)
			}
		}
	})
}

// FuzzHTTP checks that every request to the HTTP API gets a status, and a response if the status is 200.
func FuzzHTTP(f *testing.F) {
	const form = "application/x-www-form-urlencoded"
	f.Add("POST", "send_group_msg", "", "application/json", `{"group_id":7,"message":"x","echo":{}}`)
	f.Add("POST", "send_group_msg", "group_id=7&message=%5B%5D", form, `group_id=7&message=[{"type":"text","data":{}}]`)
	f.Add("GET", "get_group_info", "group_id=7;group_id=%zz", "", "")
	f.Add("PUT", "", "access_token=x", "text/plain; charset=\xff", "{}")
	f.Add("POST", "", "", "application/json", `{"action":"get_status","params":null}`)
	f.Add("POST", "get_status/x", "echo=1", "application/json", "null")
	f.Add("POST", "get_status", "", "application/json", "{")
	all := fuzzed()
	gone, cancel := context.WithCancel(context.Background())
	cancel() // requests without a response are cancelled at once
	f.Fuzz(func(t *testing.T, method, action, query, kind, body string) {
		if method != "GET" && method != "PUT" {
			method = "POST"
		}
		for _, s := range all {
			settle(s)
			r := httptest.NewRequestWithContext(gone, method, "/", strings.NewReader(body))
			r.URL.Path, r.URL.RawQuery = "/"+action, query
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if b := w.Body.Bytes(); w.Code == 200 && len(b) > 0 && !strings.HasPrefix(action, "upload_file_stream") {
				isAnswer(t, []byte(body), b)
			}
		}
	})
}

func isAnswer(t *testing.T, asked, got []byte) {
	t.Helper()
	var answer struct {
		Status  string
		Retcode *int
	}
	if err := json.Unmarshal(got, &answer); err != nil || answer.Status == "" || answer.Retcode == nil {
		t.Fatalf("%q answered by %s: %v", asked, got, err)
	}
}
