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
)

// Bounds of what is asked over HTTP.
const (
	leastToken = 16
	mostBody   = 64 << 10
	mostAsked  = 8000             // runes of what the owner says
	mostTalks  = 4                // talks that wait for each other
	patience   = 30 * time.Second // with who does not read
)

// A web serves the owner, on this machine only:
//
//	POST /talk {"text": "…", "attached": [{"name": "…", "text": "…"}]}
//	                           the answer, item by item, as JSON lines or, where Accept says so, as server-sent events
//	GET  /day                  what it did, as JSON
//	GET  /                     the same, drawn
//
// Everything wants the token: "Authorization: Bearer …". The two that only show take it as a password, too (HTTP Basic, of
// any user), so that a browser can ask for it; a talk does not, because a browser sends a password on behalf of any page.
// Other names than its own address are refused, so that no page of the internet reaches it by a name that it makes point
// here. There is no CORS.
type web struct {
	home     *home
	listener net.Listener
	token    string
	made     bool // not given
	talks    chan struct{}
}

func newWeb(o options, h *home) (*web, error) {
	w := &web{home: h, token: o.token, talks: make(chan struct{}, mostTalks)}
	if w.token == "" {
		w.token, w.made = rand.Text(), true
	}
	var err error
	if w.listener, err = net.Listen("tcp", o.http); err != nil {
		return nil, fmt.Errorf("-http: %w", err)
	}
	return w, nil
}

// url is where the page is.
func (w *web) url() string { return "http://" + w.listener.Addr().String() + "/" }

// run serves until ctx ends, and lets go of everybody then.
func (w *web) run(ctx context.Context) error {
	server := &http.Server{
		Handler: w.handler(), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	if err := program.Serve(ctx, server, w.listener, 3*time.Second); err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	return nil
}

func (w *web) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /talk", w.allow(w.talk, w.bearer))
	mux.Handle("GET /day", w.allow(w.day, w.bearer, w.password))
	mux.Handle("GET /{$}", w.allow(w.page, w.bearer, w.password))
	return mux
}

// allow lets in who calls it by its address and has the token, as one of those ways of having it finds.
func (w *web) allow(serve http.HandlerFunc, ways ...func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		head := rw.Header()
		head.Set("Cache-Control", "no-store")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !w.own(r.Host) {
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

// own reports whether a host is the one that is listened on.
func (w *web) own(host string) bool {
	address := w.listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	return host == address || host == "localhost:"+port
}

// is compares in constant time, whatever the lengths are.
func (w *web) is(token string) bool {
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(w.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (w *web) bearer(r *http.Request) bool {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "Bearer") && w.is(strings.TrimSpace(token))
}

func (w *web) password(r *http.Request) bool {
	_, token, ok := r.BasicAuth()
	return ok && w.is(token)
}

func (w *web) talk(rw http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(rw, `say {"text": "…"} as application/json`, http.StatusUnsupportedMediaType)
		return
	}
	var in struct {
		Text     string              `json:"text"`
		Attached []social.Attachment `json:"attached"`
	}
	body := json.NewDecoder(http.MaxBytesReader(rw, r.Body, mostBody))
	body.DisallowUnknownFields()
	err := body.Decode(&in)
	var large *http.MaxBytesError
	switch text := strings.TrimSpace(in.Text); {
	case errors.As(err, &large), utf8.RuneCountInString(text) > mostAsked:
		http.Error(rw, "that is too much at once", http.StatusRequestEntityTooLarge)
		return
	case err != nil, body.More(), text == "":
		http.Error(rw, `say {"text": "…"}`, http.StatusBadRequest)
		return
	default:
		in.Text = text
	}
	select {
	case w.talks <- struct{}{}:
		defer func() { <-w.talks }()
	default:
		rw.Header().Set("Retry-After", "5")
		http.Error(rw, "too many talks wait already", http.StatusServiceUnavailable)
		return
	}
	_ = http.NewResponseController(rw).SetReadDeadline(time.Time{}) // it was for the body: a turn may take longer
	s := newStream(rw, strings.Contains(r.Header.Get("Accept"), "text/event-stream"))
	err = w.home.talk(r.Context(), in.Text, in.Attached, func(item string) error { return s.send("item", item) })
	if err != nil {
		_ = s.send("error", "这一轮没有做成") // what went wrong is in the log; who hung up has no use for it
		return
	}
	_ = s.send("done", "")
}

// A stream writes what happens as it happens: lines of JSON, or server-sent events.
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
	s.wait(0)
	out.WriteHeader(http.StatusOK)
	_ = s.flush.Flush()
	return s
}

// wait gives a turn its time, and who does not read no more than patience.
func (s *stream) wait(d time.Duration) {
	until := time.Time{}
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = s.flush.SetWriteDeadline(until) // every server here has it
}

func (s *stream) send(name, text string) error {
	line, err := json.Marshal(map[string]string{"type": name, "text": text})
	if err != nil {
		return err
	}
	s.wait(patience)
	defer s.wait(0)
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

func (w *web) day(rw http.ResponseWriter, r *http.Request) {
	d, err := w.home.look(r.Context())
	if err != nil {
		http.Error(rw, "the day could not be read", http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(rw).Encode(d) // who hung up does not read it
}
