package qqbottest

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/pipenet"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// Options are the settings of a Server. The zero value is ready to use.
type Options struct {
	AppID     string        // "": 102000001
	Secret    string        // "": naOC0ocQE3shWLAfffVLB1rhYPG7
	Username  string        // "": 炉边
	Heartbeat time.Duration // that the gateway asks for; 0: 41.25 s
	// Intents are the intents that the bot may ask for. 0: those for groups, private chats, members and interactions.
	Intents int
	// RetryAfter is the wait before an event is pushed to a webhook again. 0: 50 ms.
	RetryAfter time.Duration
}

// A Server is the platform with one bot. All methods may be called concurrently.
type Server struct {
	opts Options
	mux  *http.ServeMux
	key  ed25519.PrivateKey

	mu     sync.Mutex
	wake   chan struct{} // closed at a change
	closed bool
	offset time.Duration // of the clock
	count  int           // for ids

	access  access
	gateway gateway
	faults  faults
	chats   chats
	outbox  outbox
	hooks   []*hook

	servers []*http.Server
	tests   []*httptest.Server
	urls    map[string]string // by scheme
	pipe    *pipenet.Pipe
	tlsConf *http.Client
	wg      sync.WaitGroup
}

// object is a JSON object.
type object = map[string]any

// New returns a server: see [Server.Start] and [Server.Client]. Call Close at the end.
func New(o Options) *Server {
	o.AppID = cmp.Or(o.AppID, "102000001")
	o.Secret = cmp.Or(o.Secret, "naOC0ocQE3shWLAfffVLB1rhYPG7")
	o.Username = cmp.Or(o.Username, "炉边")
	o.Heartbeat = cmp.Or(o.Heartbeat, 41250*time.Millisecond)
	o.Intents = cmp.Or(o.Intents, 1<<0|1<<1|1<<12|1<<24|1<<25|1<<26|1<<30)
	o.RetryAfter = cmp.Or(o.RetryAfter, 50*time.Millisecond)
	s := &Server{opts: o, urls: make(map[string]string), key: seedKey(o.Secret)}
	s.gateway.init()
	s.chats.init()
	s.routes()
	return s
}

// seedKey doubles the secret to the seed of the key that signs webhook pushes.
func seedKey(secret string) ed25519.PrivateKey {
	for len(secret) < ed25519.SeedSize {
		secret += secret
	}
	return ed25519.NewKeyFromSeed([]byte(secret[:ed25519.SeedSize]))
}

// AppID returns the bot's app id.
func (s *Server) AppID() string { return s.opts.AppID }

// Secret returns the bot's secret.
func (s *Server) Secret() string { return s.opts.Secret }

// Start listens on a loopback port and returns the address of the API, "http://127.0.0.1:port". A second call returns the same
// address.
func (s *Server) Start() (url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.urls["http"] == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(fmt.Sprintf("qqbottest: listen on loopback: %v", err))
		}
		s.serve(l)
		s.urls["http"] = "http://" + l.Addr().String()
	}
	return s.urls["http"]
}

// StartTLS is like Start with TLS. The returned client trusts the certificate.
func (s *Server) StartTLS() (url string, client *http.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.urls["https"] == "" {
		t := httptest.NewUnstartedServer(s)
		t.Config.ErrorLog = log.New(io.Discard, "", 0)
		t.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		t.StartTLS()
		s.tests = append(s.tests, t)
		s.urls["https"], s.tlsConf = t.URL, t.Client()
	}
	return s.urls["https"], s.tlsConf
}

// HTTPClient returns a client that dials the server through pipes inside the process, for any address. It works in a
// testing/synctest bubble if both it and the server were created there.
func (s *Server) HTTPClient() *http.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe == nil {
		s.pipe = pipenet.New()
		s.serve(s.pipe)
	}
	return s.pipe.Client()
}

// Client returns a client of this server. It uses pipes unless the options have a BaseURL, such as that of [Server.Start].
func (s *Server) Client(o qqbot.Options) *qqbot.Client {
	if o.BaseURL == "" {
		o.BaseURL, o.HTTPClient = "http://qqbottest", s.HTTPClient()
	}
	o.TokenURL = cmp.Or(o.TokenURL, o.BaseURL+"/app/getAppAccessToken")
	c, err := qqbot.New(s.opts.AppID, s.opts.Secret, o)
	if err != nil {
		panic(fmt.Sprintf("qqbottest: %v", err))
	}
	return c
}

// serve serves the connections of l until Close. s.mu is held.
func (s *Server) serve(l net.Listener) {
	if s.closed {
		l.Close()
		panic("qqbottest: server is closed")
	}
	srv := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	s.servers = append(s.servers, srv)
	s.wg.Go(func() { _ = srv.Serve(l) })
}

// Close drops all links and returns when all goroutines of the server have ended.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	servers, tests := s.servers, s.tests
	s.servers, s.tests = nil, nil
	for _, h := range s.hooks {
		h.cancel()
	}
	s.changed()
	s.mu.Unlock()
	s.DropLinks()
	for _, srv := range servers {
		srv.Close()
	}
	for _, t := range tests {
		t.CloseClientConnections()
		t.Close()
	}
	s.wg.Wait()
}

// Advance moves the server's clock forward, for tokens, windows and quotas. It does not move the client's clock.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

// now returns the server's time. s.mu is held.
func (s *Server) now() time.Time { return time.Now().Add(s.offset) }

// id returns a new id. s.mu is held.
func (s *Server) id(prefix string) string {
	s.count++
	return fmt.Sprintf("%s%06d", prefix, s.count)
}

// changed wakes waiting goroutines. s.mu is held.
func (s *Server) changed() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// wait returns nil when ready returns true; ready is called with s.mu held.
func (s *Server) wait(ctx context.Context, ready func() bool) error {
	for {
		s.mu.Lock()
		if ready() {
			s.mu.Unlock()
			return nil
		}
		if s.closed {
			s.mu.Unlock()
			return errors.New("qqbottest: server is closed")
		}
		if s.wake == nil {
			s.wake = make(chan struct{})
		}
		wake := s.wake
		s.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.changed()
}

// Sign returns the headers of a webhook push with this body at a time.
func (s *Server) Sign(body []byte, at time.Time) http.Header {
	stamp := fmt.Sprint(at.Unix())
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "QQBot-Callback")
	h.Set("X-Bot-Appid", s.opts.AppID)
	h.Set("X-Signature-Timestamp", stamp)
	h.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(s.key, []byte(stamp+string(body)))))
	return h
}

// token returns the access token in a header.
func token(header string) string {
	token, _ := strings.CutPrefix(header, "QQBot ")
	return token
}
