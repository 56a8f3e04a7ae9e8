package onebot

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

// A Server accepts connections of implementations ("reverse WebSocket"). It is an http.Handler for any path and any
// number of accounts. All methods may be called concurrently.
//
// If an account connects twice in the same role, the newer connection wins: the older one is most likely dead.
// Connections in the roles Universal, API and Event form one bot.
type Server struct {
	httpRunner
	accounts map[int64]*account // never deleted: handlers may hold their Bot
}

// NewServer returns a server. Mount it as an http.Handler and call Run.
func NewServer(opts Options) *Server {
	s := &Server{accounts: make(map[int64]*account)}
	s.init(opts)
	return s
}

// Run passes events to h until ctx is done. Then it returns nil. A nil h discards events. While Run is not running,
// connections are refused with HTTP status 503. When Run returns, all links are closed and all handlers have
// returned. It may be called again then.
func (s *Server) Run(ctx context.Context, h Handler) error { return s.run(ctx, h, func() {}) }

// Bot returns the bot of an account that is connected now.
func (s *Server) Bot(selfID int64) (*Bot, bool) {
	s.mu.Lock()
	a := s.accounts[selfID]
	s.mu.Unlock()
	if a == nil || !a.Connected() {
		return nil, false
	}
	return &a.bot, true
}

// ServeHTTP upgrades the request to a link and returns when the link is closed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if no := s.authorize(r); no != nil {
		s.refuse(w, r, "connection", no)
		return
	}
	ctx := s.enter()
	if ctx == nil {
		http.Error(w, "bot is not running", http.StatusServiceUnavailable)
		return
	}
	defer s.requests.Done()
	ws, err := websocket.Accept(aheadWriter{w}, r, nil)
	if err != nil {
		s.log.Warn("onebot: handshake failed", "reason", err, "remote", r.RemoteAddr)
		return
	}
	s.serve(ctx, ws, r)
}

// serve runs one link.
func (s *Server) serve(ctx context.Context, ws *websocket.Conn, r *http.Request) {
	role := strings.ToLower(r.Header.Get("X-Client-Role"))
	api, events := role != "event", role != "api"
	var l *link
	claim := func(selfID int64) *account {
		acc := s.account(selfID)
		for _, old := range acc.attach(l, api, events) {
			old.fail(errReplaced)
		}
		acc.logUp(s.log, "address", r.RemoteAddr, "self_id", selfID, "role", role)
		s.announce(acc)
		return acc
	}
	l = s.newLink(ws, api, claim)
	if id, err := strconv.ParseInt(r.Header.Get("X-Self-ID"), 10, 64); err == nil {
		l.identify(id)
	}
	err := l.run(ctx)
	if l.acc != nil {
		l.acc.detach(l, err)
		l.acc.closeSiblings(l, err)
		s.announce(l.acc)
		if ctx.Err() == nil {
			s.log.Warn("onebot: link dropped", "reason", err, "address", r.RemoteAddr, "self_id", l.acc.bot.SelfID())
		}
	}
}

// announce calls Options.OnLink. The lock keeps the calls for an account in order, so that the last one is true.
func (s *Server) announce(a *account) {
	if s.opts.OnLink == nil {
		return
	}
	a.announcing.Lock()
	defer a.announcing.Unlock()
	s.opts.OnLink(&a.bot, a.Connected())
}

// Disconnect closes the links of an account. The implementation may connect again.
func (s *Server) Disconnect(selfID int64) {
	s.mu.Lock()
	a := s.accounts[selfID]
	s.mu.Unlock()
	if a == nil {
		return
	}
	for _, l := range [...]*link{a.api.Load(), a.events.Load()} {
		if l != nil {
			l.fail(errDisconnect)
		}
	}
}

var (
	errReplaced   = errors.New("onebot: replaced by a newer link")
	errDisconnect = errors.New("onebot: closed by Disconnect")
)

func (s *Server) account(selfID int64) *account {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[selfID]
	if a == nil {
		o := s.opts
		o.Limiter = o.Limiter.clone()
		a = newAccount(selfID, &o)
		s.accounts[selfID] = a
	}
	return a
}

// authorize returns nil to accept.
func (s *Server) authorize(r *http.Request) *refusal {
	if s.opts.Token == "" {
		return s.checkHost(r)
	}
	tokens := r.URL.Query()["access_token"]
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); ok && token != "" &&
		(strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")) {
		tokens = append(tokens, token)
	}
	if len(tokens) == 0 {
		return &refusal{http.StatusUnauthorized, "no token"}
	}
	// digests have equal lengths, so that the timing reveals nothing about the token
	want := sha256.Sum256([]byte(s.opts.Token))
	for _, token := range tokens {
		have := sha256.Sum256([]byte(token))
		if subtle.ConstantTimeCompare(want[:], have[:]) == 1 {
			return nil
		}
	}
	return &refusal{http.StatusForbidden, "the token differs"}
}
