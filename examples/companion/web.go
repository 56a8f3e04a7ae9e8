package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
)

// Limits of HTTP requests.
const (
	minToken     = 16
	maxBody      = 64 << 10
	maxText      = 8000             // runes of the owner's text
	maxTurns     = 4                // concurrent turns; one runs and the others wait
	writeTimeout = 30 * time.Second // for clients that do not read
)

// A webServer serves the owner on this machine:
//
//	POST /talk {"text": "…", "attached": [{"name": "…", "text": "…"}]}
//	                           the answer by item, as JSON lines or, if Accept says so, as server-sent events
//	GET  /day                  the day as JSON
//	GET  /                     the day as a page
//	GET  /inspect/             pages of package inspect: decisions, prompts, memory
//
// Every request needs the token: "Authorization: Bearer …". GET requests also accept it as a password (HTTP Basic with any
// user), so that a browser can ask for it. POST /talk does not, because a browser sends passwords with the requests of any
// page. Requests with another host name are rejected, to prevent DNS rebinding. There is no CORS.
type webServer struct {
	companion *companion
	listener  net.Listener
	token     string
	generated bool // not from a flag
	turns     chan struct{}
	pages     *inspect.Handler // below /inspect, with its own way to send the token
}

func newWebServer(o options, c *companion) (*webServer, error) {
	w := &webServer{companion: c, token: o.token, turns: make(chan struct{}, maxTurns)}
	if w.token == "" {
		w.token, w.generated = rand.Text(), true
	}
	var err error
	w.pages, err = inspect.New(inspect.Options{Bots: []inspect.Named{{Name: c.name, Bot: c.bot}}, Token: w.token, Path: inspectPath, Prices: o.prices.Prices})
	if err != nil {
		return nil, fmt.Errorf("-http: %w", err)
	}
	if w.listener, err = net.Listen("tcp", o.http); err != nil {
		return nil, fmt.Errorf("-http: %w", err)
	}
	return w, nil
}

// url returns the URL of the page.
func (w *webServer) url() string { return "http://" + w.listener.Addr().String() + "/" }

// inspectPath is where the pages of package inspect are.
const inspectPath = "/inspect"

// run serves until ctx ends, and then closes all connections.
func (w *webServer) run(ctx context.Context) error {
	defer w.pages.Close()
	server := &http.Server{
		Handler: w.handler(), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: writeTimeout, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	if err := program.Serve(ctx, server, w.listener, 3*time.Second); err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	return nil
}

func (w *webServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /talk", w.allow(w.talk, w.bearer))
	mux.Handle("GET /day", w.allow(w.day, w.bearer, w.password))
	mux.Handle(inspectPath+"/", http.StripPrefix(inspectPath, w.pages))
	mux.Handle("GET /{$}", w.allow(w.page, w.bearer, w.password))
	return mux
}

// allow calls serve for requests with the right host and a token that one of the ways accepts.
func (w *webServer) allow(serve http.HandlerFunc, ways ...func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		head := rw.Header()
		head.Set("Cache-Control", "no-store")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !w.isOwnHost(r.Host) {
			http.Error(rw, "this is not the address that it listens on", http.StatusMisdirectedRequest)
			return
		}
		for _, has := range ways {
			if has(r) {
				serve(rw, r)
				return
			}
		}
		if len(ways) > 1 {
			head.Set("WWW-Authenticate", `Basic realm="companion: any name, and the token", charset="UTF-8"`)
		} else {
			head.Set("WWW-Authenticate", "Bearer")
		}
		http.Error(rw, "the token is missing or wrong", http.StatusUnauthorized)
	})
}

// isOwnHost reports whether host is the address of the listener.
func (w *webServer) isOwnHost(host string) bool {
	address := w.listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	return host == address || host == "localhost:"+port
}

// tokenMatches compares in constant time, also for different lengths.
func (w *webServer) tokenMatches(token string) bool {
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(w.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (w *webServer) bearer(r *http.Request) bool {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "Bearer") && w.tokenMatches(strings.TrimSpace(token))
}

func (w *webServer) password(r *http.Request) bool {
	_, token, ok := r.BasicAuth()
	return ok && w.tokenMatches(token)
}

func (w *webServer) talk(rw http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(rw, `say {"text": "…"} as application/json`, http.StatusUnsupportedMediaType)
		return
	}
	var in struct {
		Text     string              `json:"text"`
		Attached []social.Attachment `json:"attached"`
	}
	body := json.NewDecoder(http.MaxBytesReader(rw, r.Body, maxBody))
	body.DisallowUnknownFields()
	err := body.Decode(&in)
	var large *http.MaxBytesError
	switch text := strings.TrimSpace(in.Text); {
	case errors.As(err, &large), utf8.RuneCountInString(text) > maxText:
		http.Error(rw, "that is too much at once", http.StatusRequestEntityTooLarge)
		return
	case err != nil, body.More(), text == "":
		http.Error(rw, `say {"text": "…"}`, http.StatusBadRequest)
		return
	default:
		in.Text = text
	}
	select {
	case w.turns <- struct{}{}:
		defer func() { <-w.turns }()
	default:
		rw.Header().Set("Retry-After", "5")
		http.Error(rw, "too many talks wait already", http.StatusServiceUnavailable)
		return
	}
	_ = http.NewResponseController(rw).SetReadDeadline(time.Time{}) // the deadline was for the body; a turn may take longer
	s := newStream(rw, strings.Contains(r.Header.Get("Accept"), "text/event-stream"))
	err = w.companion.ownerTurn(r.Context(), in.Text, in.Attached, func(item string) error { return s.send("item", item) })
	if err != nil {
		_ = s.send("error", "这一轮没有做成") // the cause is in the log
		return
	}
	_ = s.send("done", "")
}

// A stream writes the items of an answer as JSON lines or server-sent events.
type stream struct {
	out    http.ResponseWriter
	flush  *http.ResponseController
	events bool
}

func newStream(out http.ResponseWriter, events bool) *stream {
	s := &stream{out, http.NewResponseController(out), events}
	kind := "application/x-ndjson"
	if events {
		kind = "text/event-stream"
	}
	out.Header().Set("Content-Type", kind)
	s.setWriteTimeout(0)
	out.WriteHeader(http.StatusOK)
	_ = s.flush.Flush()
	return s
}

// setWriteTimeout limits the time of the next write. 0 means no limit, for the time between items.
func (s *stream) setWriteTimeout(d time.Duration) {
	until := time.Time{}
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = s.flush.SetWriteDeadline(until) // every http.Server supports it
}

func (s *stream) send(name, text string) error {
	line, err := json.Marshal(map[string]string{"type": name, "text": text})
	if err != nil {
		return err
	}
	s.setWriteTimeout(writeTimeout)
	defer s.setWriteTimeout(0)
	if s.events {
		_, err = fmt.Fprintf(s.out, "event: %s\ndata: %s\n\n", name, line)
	} else {
		_, err = fmt.Fprintf(s.out, "%s\n", line)
	}
	if err != nil {
		return err
	}
	return s.flush.Flush()
}

func (w *webServer) day(rw http.ResponseWriter, r *http.Request) {
	d, err := w.companion.day(r.Context())
	if err != nil {
		http.Error(rw, "the day could not be read", http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(rw).Encode(d) // fails only if the client is gone
}
