package qqbottest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// An Endpoint names calls for faults.
type Endpoint string

// Endpoints. The gateway is the call for the gateway's address, and the link is the WebSocket itself.
const (
	Token    Endpoint = "token"
	Gateway  Endpoint = "gateway"
	Link     Endpoint = "link"
	Messages Endpoint = "messages"
	Files    Endpoint = "files"
	Recalls  Endpoint = "recalls"
	State    Endpoint = "state"
	Members  Endpoint = "members"
	Answers  Endpoint = "answers"
	Joins    Endpoint = "joins"
	Me       Endpoint = "me"
)

// A reply is the answer to a call.
type reply struct {
	status int
	body   any
}

func ok(body any) reply { return reply{http.StatusOK, body} }

// refuse is a refusal with one of the platform's codes.
func refuse(status, code int, message string) reply {
	return reply{status, object{"code": code, "err_code": code, "message": message, "trace_id": "trace-" + strconv.Itoa(code)}}
}

// A request is a call with its parts.
type request struct {
	*http.Request
	body object
	raw  []byte
}

func (r *request) text(name string) string {
	s, _ := r.body[name].(string)
	return s
}

func (r *request) whole(name string) int {
	n, _ := r.body[name].(float64)
	return int(n)
}

func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.handle(Token, "POST /app/getAppAccessToken", s.serveToken)
	s.handle(Gateway, "GET /gateway", s.serveGateway)
	s.handle(Gateway, "GET /gateway/bot", s.serveGateway)
	s.mux.HandleFunc("GET /websocket", s.serveLink)
	s.handle(Me, "GET /users/@me", s.serveMe)
	for _, kind := range []string{"groups", "users"} {
		s.handle(Messages, "POST /v2/"+kind+"/{chat}/messages", s.serveMessage)
		s.handle(Files, "POST /v2/"+kind+"/{chat}/files", s.serveFile)
		s.handle(Recalls, "DELETE /v2/"+kind+"/{chat}/messages/{id}", s.serveRecall)
	}
	s.handle(State, "GET /v2/groups/{chat}/bot_state", s.serveState)
	s.handle(Members, "GET /v2/groups/{chat}/members", s.serveMembers)
	s.handle(Members, "GET /v2/groups/{chat}/members/{id}", s.serveMember)
	s.handle(Joins, "POST /v2/groups/{chat}/approval_join_request/{id}", s.serveJoin)
	s.handle(Answers, "PUT /interactions/{id}", s.serveAnswer)
}

// ServeHTTP makes the server an http.Handler, for a listener of the test's own.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// handle serves a call with the faults of its endpoint. f is called with s.mu held.
func (s *Server) handle(e Endpoint, pattern string, f func(*request) reply) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
		if err != nil {
			return
		}
		var ft fault
		s.locked(func() { ft = s.faults.take(e) })
		if ft.delay > 0 {
			select {
			case <-time.After(ft.delay):
			case <-r.Context().Done():
				return
			}
		}
		if ft.cut == Before {
			panic(http.ErrAbortHandler)
		}
		q := &request{Request: r, raw: raw}
		_ = json.NewDecoder(bytes.NewReader(raw)).Decode(&q.body)
		var answer reply
		s.locked(func() {
			switch {
			case ft.status != 0 && ft.code == 0:
				answer = reply{ft.status, "<html>"}
			case ft.status != 0:
				answer = refuse(ft.status, ft.code, "as the test wishes")
			case e != Token && !s.access.valid(token(r.Header.Get("Authorization")), s.now()):
				answer = refuse(http.StatusUnauthorized, 11244, "token expired")
			default:
				answer = f(q)
			}
		})
		if ft.cut == After {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), ft.header)
		w.Header().Set("X-Tps-Trace-Id", "trace")
		if text, isText := answer.body.(string); isText {
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, text)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.status)
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		_ = e.Encode(answer.body)
	})
}

func (s *Server) serveMe(*request) reply {
	return ok(object{"id": "7" + s.opts.AppID, "username": s.opts.Username, "bot": true, "avatar": "https://q.qlogo.cn/x"})
}

// access holds the access tokens. Server.mu guards it.
type access struct {
	tokens map[string]time.Time // to their ends
	last   string
	issued int
}

const (
	tokenLife  = 2 * time.Hour
	tokenRenew = time.Minute
)

func (a *access) valid(token string, now time.Time) bool { return now.Before(a.tokens[token]) }

// serveToken returns the same token until its last minute.
func (s *Server) serveToken(r *request) reply {
	a := &s.access
	if r.text("appId") != s.opts.AppID || r.text("clientSecret") != s.opts.Secret {
		return ok(object{"code": 100016, "message": "invalid appid or secret"})
	}
	now := s.now()
	if a.tokens[a.last].Sub(now) <= tokenRenew {
		if a.tokens == nil {
			a.tokens = make(map[string]time.Time)
		}
		a.issued++
		a.last = s.id("token-")
		a.tokens[a.last] = now.Add(tokenLife)
	}
	life := int(a.tokens[a.last].Sub(now) / time.Second)
	if a.issued%2 == 0 { // both forms are in use
		return ok(object{"access_token": a.last, "expires_in": life})
	}
	return ok(object{"access_token": a.last, "expires_in": strconv.Itoa(life)})
}

// ExpireTokens makes all access tokens invalid at once.
func (s *Server) ExpireTokens() { s.locked(func() { s.access.tokens = nil }) }

// TokensIssued returns the number of different access tokens that were issued.
func (s *Server) TokensIssued() (n int) {
	s.locked(func() { n = s.access.issued })
	return n
}
