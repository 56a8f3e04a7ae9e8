package onebottest

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/internal/loop"
)

// A reply is an HTTP response without an action. Status 0 means no response.
type reply struct {
	status int
	body   string // "" is the text of the status
}

// serveAPI is the HTTP API: POST /action with JSON or a form, GET /action?….
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	like := s.opts.Quirks.HTTP
	req := request{Action: strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")[0], http: true}
	rep := (*reply)(nil)
	switch like { // implementations check in different orders
	case LikeNapCat, LikeGoCQHTTP:
		if rep = s.readRequest(&req, r); rep == nil {
			rep = s.admitRequest(r)
		}
	default:
		if rep = s.admitRequest(r); rep == nil {
			rep = s.readRequest(&req, r)
		}
	}
	if rep == nil && req.Action == "" && like == LikeNapCat {
		rep = &reply{http.StatusOK, `{"status":"ok","retcode":0,"data":{},"message":"NapCat4 Is Running","wording":"","echo":null,"stream":"normal-action"}`}
	}
	if rep == nil && req.Action == "" && like == LikeLLBot {
		rep = &reply{http.StatusNotFound, "404 Not Found"}
	}
	if rep == nil && req.Action == "" && like == LikeSnowLuma {
		rep = s.snowLumaRoot(r)
	}
	if rep != nil {
		s.reply(w, r, rep)
		return
	}
	answers, ft, ok := s.perform(req)
	if !ok || ft.withhold {
		s.noResponse(r)
		return
	}
	if loop.Sleep(r.Context(), ft.delay) != nil {
		return
	}
	s.writeAnswers(w, req, answers, ft)
}

// admitRequest checks the token.
func (s *Server) admitRequest(r *http.Request) *reply {
	like := s.opts.Quirks.HTTP
	status, ok := s.admits(r, like)
	switch {
	case ok:
		return nil
	case like == LikeNapCat:
		return &reply{http.StatusForbidden, `{"message":"token verify failed!"}`}
	case like == LikeLLBot:
		return &reply{http.StatusForbidden, `{"message":"token verify failed"}`}
	case like == LikeSnowLuma:
		return s.snowLumaRefusal(http.StatusUnauthorized, refused(1401, "unauthorized"))
	}
	return &reply{status: status}
}

// readRequest reads the parameters and converts them to JSON.
func (s *Server) readRequest(req *request, r *http.Request) *reply {
	like := s.opts.Quirks.HTTP
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return &reply{status: http.StatusBadRequest}
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form := kind == "application/x-www-form-urlencoded"
	bad := &reply{status: http.StatusBadRequest}
	switch like {
	case LikeNapCat: // accepts any method and any type, and always reads the query
		if bad.body = "Invalid JSON"; form {
			return req.values(like, string(body), r.URL.RawQuery)
		}
		if req.Params = body; len(body) == 0 || r.Method == http.MethodGet {
			req.Params = json.RawMessage("{}")
		}
		return req.merge(r.URL.Query(), bad)
	case LikeLLBot:
		switch {
		case r.Method != http.MethodPost:
			return req.values(like, r.URL.RawQuery)
		case form:
			return req.values(like, string(body))
		case len(body) == 0:
			return nil
		case !json.Valid(body):
			answer := s.answer(request{http: true}, nil, refused(1400, "请求体解析失败"))
			return &reply{http.StatusOK, string(encode(answer))}
		}
		req.Params = body
	case LikeSnowLuma:
		return s.readSnowLuma(req, r, kind, body)
	case LikeLagrange:
		switch {
		case r.Method == http.MethodGet:
			return req.values(like, r.URL.RawQuery)
		case r.Method != http.MethodPost:
			return &reply{status: http.StatusMethodNotAllowed}
		case form:
			return req.values(like, string(body))
		case kind != "application/json":
			return &reply{status: http.StatusNotAcceptable}
		case !json.Valid(body):
			return &reply{} // the request is lost
		}
		req.Params = body
	case LikeGoCQHTTP:
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodPost:
			return &reply{status: http.StatusNotFound}
		case form && r.Method == http.MethodPost:
			return req.values(like, string(body), r.URL.RawQuery)
		case kind == "application/json" && r.Method == http.MethodPost:
			if !json.Valid(body) {
				return bad
			}
			req.Params = body
			return req.unwrap()
		}
		return req.values(like, r.URL.RawQuery)
	}
	return nil
}

// values reads parameters from forms; the first form with a parameter wins. The values are strings, except that
// go-cqhttp also accepts arrays and objects, and SnowLuma any JSON.
func (req *request) values(like Implementation, forms ...string) *reply {
	p := make(params)
	for _, form := range forms {
		v, _ := url.ParseQuery(form)
		for name := range v {
			value := v.Get(name)
			switch {
			case p.has(name):
			case like == LikeGoCQHTTP && value != "" && (value[0] == '[' || value[0] == '{') && json.Valid([]byte(value)),
				like == LikeSnowLuma && json.Valid([]byte(value)):
				p[name] = json.RawMessage(value)
			default:
				p[name] = encode(value)
			}
		}
	}
	req.Params = encode(p)
	return req.takeEcho(p)
}

// merge adds the query to the parameters, which must be an object.
func (req *request) merge(query url.Values, bad *reply) *reply {
	var p params
	if json.Unmarshal(req.Params, &p) != nil || p == nil {
		return bad
	}
	for name := range query {
		p[name] = encode(query.Get(name))
	}
	req.Params = encode(p)
	return req.takeEcho(p)
}

// takeEcho uses the parameter echo as the echo, as NapCat does.
func (req *request) takeEcho(p params) *reply {
	if p.has("echo") {
		req.Echo = p["echo"]
	}
	return nil
}

// unwrap reads the action from the body of a POST to go-cqhttp's /.
func (req *request) unwrap() *reply {
	if req.Action == "" {
		body := req.Params
		req.Params = nil
		_ = json.Unmarshal(body, req)
		req.Echo = nil
	}
	return nil
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, rep *reply) {
	if rep.status == 0 {
		s.noResponse(r)
		return
	}
	if rep.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if strings.HasPrefix(rep.body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(rep.status)
	io.WriteString(w, rep.body)
}

// noResponse sends no response until the bot disconnects or the server is closed.
func (s *Server) noResponse(r *http.Request) {
	_ = s.wait(r.Context(), func() bool { return false })
}

// writeAnswers writes one response as the body, or several with empty lines in between.
func (s *Server) writeAnswers(w http.ResponseWriter, req request, answers []object, ft fault) {
	var body []byte
	for _, a := range answers {
		if s.opts.Quirks.Actions == LikeNapCat && req.Echo == nil && a["retcode"] != 400 {
			a["echo"] = "onebottest" // NapCat generates one
		} else if like := s.opts.Quirks.Actions; like == LikeLLBot || like == LikeGoCQHTTP {
			delete(a, "echo")
		}
		body = append(body, s.encode(a)...)
		if like := s.opts.Quirks.HTTP; (like == LikeNapCat || like == LikeSnowLuma) && isStream(req.Action) {
			body = append(body, "\r\n\r\n"...)
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if ft.half {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // net/http's way to drop the connection
	}
	if s.opts.Quirks.HTTP == LikeLLBot && answers[0]["retcode"] == 404 {
		w.WriteHeader(http.StatusNotFound)
	}
	w.Write(body)
}
