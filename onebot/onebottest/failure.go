package onebottest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hearth-bot/hearth/onebot"
)

// A failure is the error of an action.
type failure struct {
	code  int    // NapCat's retcode over WebSocket: 1200, 1400, 1404
	text  string // NapCat's wording
	word  string // go-cqhttp's msg; "" means API_ERROR
	cq    string // go-cqhttp's wording; "" means text
	snow  string // SnowLuma's wording; "" means text
	exact bool   // the code was set by a user of this package and is the same for all implementations
}

func refused(code int, format string, args ...any) *failure {
	return &failure{code: code, text: fmt.Sprintf(format, args...)}
}

// as sets go-cqhttp's msg and, optionally, its wording.
func (f *failure) as(word string, wording ...string) *failure {
	f.word, f.cq = word, strings.Join(wording, "")
	return f
}

// inSnowLuma sets SnowLuma's wording.
func (f *failure) inSnowLuma(format string, args ...any) *failure {
	f.snow = fmt.Sprintf(format, args...)
	return f
}

func (f *failure) Error() string { return f.text }

func noAction(name string) error {
	return refused(1404, "不支持的API %s", name).as("API_NOT_FOUND", "API不存在").inSnowLuma("unknown action")
}

func noGroup(id int64) error {
	return refused(1200, "群%d不存在", id).as("GROUP_NOT_FOUND", "群聊不存在")
}

func noUser() error { return refused(1200, "无法获取用户信息").as("FRIEND_NOT_FOUND") }

func noMessage() error { return refused(1200, "消息不存在").as("MSG_NOT_FOUND") }

func notAdmin() error {
	return refused(1200, "权限不足, 机器人不是群主或管理员").as("PERMISSION_DENIED")
}

// asFailure converts an error to a failure. Any other error is a refusal by QQ.
func asFailure(err error) *failure {
	if f, ok := err.(*failure); ok {
		return f
	}
	if e := (*onebot.APIError)(nil); errors.As(err, &e) {
		return &failure{code: e.Code, text: e.Wording, exact: true}
	}
	return refused(1200, "%v", err)
}

// retcode returns the implementation's retcode for err; 0 for nil.
func (s *Server) retcode(err error, http bool) int {
	if err == nil {
		return 0
	}
	f := asFailure(err)
	if f.exact || f.code == 1403 {
		return f.code
	}
	switch like := s.opts.Quirks.Actions; {
	case like == LikeLagrange && f.code == 1404, like == LikeGoCQHTTP && f.code == 1404:
		return 404
	case like == LikeLagrange:
		return 200
	case like == LikeSnowLuma && f.code != 1200:
		return f.code
	case like == LikeGoCQHTTP, like == LikeSnowLuma:
		return 100
	case !http:
		return f.code
	case like == LikeNapCat && f.code == 1404:
		return 200
	}
	return f.code - 1000 // 1400 to 400, 1200 to 200, 1404 to 404
}

// answer returns the response to a request.
func (s *Server) answer(req request, data any, err error) object {
	o := object{"status": "ok", "retcode": s.retcode(err, req.http), "data": data}
	text := ""
	var f *failure
	if err != nil {
		f = asFailure(err)
		o["status"], o["data"], text = "failed", nil, s.wording(f, req)
	}
	switch s.opts.Quirks.Actions {
	case LikeNapCat:
		o["message"], o["wording"], o["stream"] = text, text, "normal-action"
		if isStream(req.Action) {
			o["stream"] = "stream-action"
			if f != nil {
				o["data"] = object{"type": "error", "data_type": "error"}
			}
		}
	case LikeLLBot:
		o["message"], o["wording"] = text, text
	case LikeSnowLuma:
		if f != nil {
			o["wording"] = text
		}
		if isStream(req.Action) {
			o["message"], o["wording"], o["stream"] = text, text, "stream-action"
		}
	case LikeGoCQHTTP:
		o["message"] = text
		if f != nil {
			o["msg"], o["wording"] = cmp.Or(f.word, "API_ERROR"), text
		}
	}
	s.echo(o, req, f)
	return o
}

// wording returns the implementation's error text. LLBot's is NapCat's here, except for unknown actions. Lagrange has no
// text.
func (s *Server) wording(f *failure, req request) string {
	like := s.opts.Quirks.Actions
	switch like {
	case LikeGoCQHTTP:
		return cmp.Or(f.cq, f.text)
	case LikeSnowLuma:
		return cmp.Or(f.snow, f.text)
	}
	if f.code != 1404 || f.exact {
		return f.text
	}
	switch {
	case like == LikeLLBot:
		return req.Action + " API 不存在"
	case like == LikeNapCat && req.http:
		return "不支持的Api " + req.Action
	}
	return f.text
}

// echo adds the request's echo to a response, or the implementation's value for a missing one.
func (s *Server) echo(o object, req request, f *failure) {
	if req.Echo != nil && string(req.Echo) != "null" {
		o["echo"] = req.Echo
		return
	}
	switch like := s.opts.Quirks.Actions; {
	case like == LikeLagrange, like == LikeNapCat && f != nil && (f.code == 1404 || f.code == 1403 || req.Action == ""):
		o["echo"] = nil
	case like == LikeNapCat:
		o["echo"] = ""
	}
}

// answerInvalid returns the response to an invalid request; nil: none. The echo of invalid JSON is lost.
func (s *Server) answerInvalid(frame []byte) object {
	var req request
	like := s.opts.Quirks.Actions
	switch {
	case like == LikeLagrange:
		return nil
	case like != LikeGoCQHTTP && !json.Valid(frame):
		return s.answer(req, nil, refused(1400, "json解析失败,请检查数据格式"))
	}
	if like == LikeSnowLuma {
		return s.answer(req, nil, refused(1400, "bad request"))
	}
	var echo struct{ Echo json.RawMessage } // its action is not a string
	_ = json.Unmarshal(frame, &echo)
	req.Echo = echo.Echo
	return s.answer(req, nil, noAction(""))
}

// stream is the data of a response in several frames with one echo.
type stream []object

func isStream(action string) bool {
	return action == "download_file_stream" || action == "upload_file_stream"
}
