package mcp

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions decide which clients may use a [Server] over HTTP. The zero value serves programs on this computer only. A
// negative number is an error.
type HTTPOptions struct {
	// Token is required as "Authorization: Bearer …". If empty, only requests from loopback to a loopback host without a
	// proxy are served. Any program on this computer can send those.
	Token string
	// AllowedOrigins lists web pages that may call, as "https://example.com". Browsers send an Origin header and other clients
	// do not. Requests with another Origin are rejected, so no other page in the user's browser can reach the server.
	// Nil allows no page. An entry with a path, or without a scheme or host, is an error.
	AllowedOrigins []string
	// MaxSessions limits the connected clients; 0 means 64.
	MaxSessions int
	// IdleTimeout is how long a session may be idle before it is closed; 0 means 10 min.
	IdleTimeout time.Duration
}

// Handler serves the tools over MCP's streamable HTTP. Mount it at one path, for instance "/mcp". A request may have 1
// MiB.
func (s *Server) Handler(o HTTPOptions) (http.Handler, error) {
	if o.MaxSessions < 0 || o.IdleTimeout < 0 {
		return nil, errors.New("mcp: HTTPOptions.MaxSessions or IdleTimeout is negative")
	}
	for _, origin := range o.AllowedOrigins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("mcp: HTTPOptions.AllowedOrigins: %q does not have the form https://example.com", origin)
		}
	}
	h := &handler{server: s, origins: slices.Clone(o.AllowedOrigins), sessions: cmp.Or(o.MaxSessions, 64)}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		h.token = sum[:]
	}
	idle := cmp.Or(o.IdleTimeout, 10*time.Minute)
	ours := func(*http.Request) *sdk.Server { return s.sdk }
	ho := sdk.StreamableHTTPOptions{SessionTimeout: idle, MaxRequestBodyBytes: maxRequest, PropagateRequestCancellation: true}
	h.sessioned = sdk.NewStreamableHTTPHandler(ours, &ho)
	ho.Stateless = true
	h.stateless = sdk.NewStreamableHTTPHandler(ours, &ho)
	return h, nil
}

// Close closes the sessions of all clients after their calls have ended. The server can be used again. Call it before
// http.Server.Shutdown, which waits for sessions.
func (s *Server) Close() {
	for session := range s.sdk.Sessions() {
		session.Close()
	}
}

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

type handler struct {
	server    *Server
	sessioned http.Handler // protocol versions with sessions and a handshake
	stateless http.Handler // later versions
	token     []byte       // SHA-256; nil means none
	origins   []string
	sessions  int
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !h.originAllowed(r):
		http.Error(w, "forbidden", http.StatusForbidden)
	case !h.authorised(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "unauthorized", http.StatusUnauthorized)
	case r.Header.Get(sessionHeader) == "" && h.sessionsFull():
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions", http.StatusServiceUnavailable)
	default:
		if r.Header.Get(sessionHeader) == "" {
			h.server.Refresh() // before the session starts, so that it gets no notification of it
		}
		if r.Header.Get(versionHeader) > protocol { // versions are dates
			h.stateless.ServeHTTP(w, r)
			return
		}
		h.sessioned.ServeHTTP(w, r)
	}
}

func (h *handler) originAllowed(r *http.Request) bool {
	return !slices.ContainsFunc(r.Header.Values("Origin"), func(o string) bool { return !slices.Contains(h.origins, o) })
}

func (h *handler) authorised(r *http.Request) bool {
	if h.token == nil {
		return isLocalRequest(r)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(sum[:], h.token) == 1 && strings.EqualFold(scheme, "Bearer")
}

// isLocalRequest reports whether a request comes from this computer and names it as its host. A web page that uses DNS
// rebinding sends its own host name.
func isLocalRequest(r *http.Request) bool {
	for _, k := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(k) != "" {
			return false
		}
	}
	return isLoopback(r.RemoteAddr) && isLoopback(r.Host)
}

// isLoopback reports whether host, with or without a port, is this computer.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// sessionsFull reports whether the session limit is reached.
func (h *handler) sessionsFull() bool {
	n := 0
	for range h.server.sdk.Sessions() {
		n++
	}
	return n >= h.sessions
}
