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

// HTTPOptions say who may use a [Server] over HTTP. The zero value lets programs on this computer in, and nobody else. A negative
// number is an error.
type HTTPOptions struct {
	// Token is what clients send as "Authorization: Bearer …". Empty: there is none, and only requests that come from
	// loopback, through no proxy, for a loopback host are served. Any program on this computer can send those.
	Token string
	// AllowedOrigins are the web pages that may call, as "https://example.com". A request with another Origin, which browsers send
	// and other clients do not, is refused: so no page that the user looks at can reach the server. Nil: no page. An entry with a
	// path, or without a scheme or a host, is an error.
	AllowedOrigins []string
	// MaxSessions is how many clients may be connected; 0 means 64.
	MaxSessions int
	// IdleTimeout is how long a client may be silent before it is forgotten; 0 means 10 min.
	IdleTimeout time.Duration
}

// Handler serves the tools over MCP's streamable HTTP. Mount it at one path, for instance "/mcp". Requests are at most 1 MiB.
func (s *Server) Handler(o HTTPOptions) (http.Handler, error) {
	if o.MaxSessions < 0 || o.IdleTimeout < 0 {
		return nil, errors.New("mcp: HTTPOptions.Sessions or Idle is negative")
	}
	for _, origin := range o.AllowedOrigins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("mcp: HTTPOptions.Origins: %q is not like https://example.com", origin)
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

// Close ends the sessions of all clients once their calls have ended. The server can be used again afterwards. Call it before
// http.Server.Shutdown, which would wait for the sessions.
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
	sessioned http.Handler // up to the version with sessions, which begin with a handshake
	stateless http.Handler // for those after it
	token     []byte       // its digest; nil: none
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
	case r.Header.Get(sessionHeader) == "" && h.full():
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions", http.StatusServiceUnavailable)
	default:
		if r.Header.Get(sessionHeader) == "" {
			h.server.Refresh() // before there is a session that would be told of it
		}
		if r.Header.Get(versionHeader) > protocol { // they are dates
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
		return fromHere(r)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(sum[:], h.token) == 1 && strings.EqualFold(scheme, "Bearer")
}

// fromHere tells whether a request was sent on this computer to a name of its own: a page that a browser was led to by a name that
// resolves to loopback asks for that name.
func fromHere(r *http.Request) bool {
	for _, k := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(k) != "" {
			return false
		}
	}
	return loopback(r.RemoteAddr) && loopback(r.Host)
}

// loopback tells whether a host, with a port or without, is this computer.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// full tells whether there is no room for another session.
func (h *handler) full() bool {
	n := 0
	for range h.server.sdk.Sessions() {
		n++
	}
	return n >= h.sessions
}
