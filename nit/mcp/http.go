package mcp

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions decide which clients may use a [Server] over HTTP. The zero value serves programs on this computer only. A
// negative number is an error.
type HTTPOptions struct {
	// Token is required as "Authorization: Bearer …". If empty, only requests from loopback to a loopback host without a
	// proxy are served. Any program on this computer can send those.
	Token string
	// AllowedOrigins lists web pages that may call, as "https://example.com", besides pages of the requested host. Browsers
	// send an Origin header and other clients do not. Requests with another Origin are rejected, so no other page in the
	// user's browser can reach the server. An entry with a path, or without a scheme or host, is an error.
	AllowedOrigins []string
	// MaxSessions limits the sessions; 0 means 64. A new one replaces the one that was idle longest. If no session is idle,
	// the status is 503. Protocol versions without a handshake have no sessions and no limit.
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
	h := &handler{server: s, origins: slices.Clone(o.AllowedOrigins)}
	h.sessions = sessions{server: s.sdk, max: cmp.Or(o.MaxSessions, 64), clients: make(map[string]*client)}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		h.token = sum[:]
	}
	idle := cmp.Or(o.IdleTimeout, 10*time.Minute)
	ours := func(*http.Request) *sdk.Server { return s.sdk }
	ho := sdk.StreamableHTTPOptions{
		SessionTimeout: idle, MaxRequestBodyBytes: maxRequest, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // authorised checks the host, and a proxy on this computer may keep a foreign one
	}
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
	sessions  sessions
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !h.originAllowed(r):
		http.Error(w, "forbidden", http.StatusForbidden)
	case !h.authorised(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "unauthorized", http.StatusUnauthorized)
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Header.Get(versionHeader) > protocol: // versions are dates
		h.stateless.ServeHTTP(w, r)
	default:
		if id := r.Header.Get(sessionHeader); h.sessions.find(id) != nil {
			defer h.sessions.begin(id, nil)()
		}
		h.sessioned.ServeHTTP(w, r)
	}
}

// post handles the messages of a client. It answers what the SDK would answer without a JSON-RPC error or with a wrong one.
func (h *handler) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		writeFailure(w, http.StatusRequestEntityTooLarge, fail(nil, jsonrpc.CodeInvalidRequest, "the message is too long"))
		return
	} else if err != nil {
		http.Error(w, "the body is incomplete", http.StatusBadRequest)
		return
	}
	messages, batch, failed := decodeMessages(body)
	if failed != nil {
		writeFailure(w, http.StatusBadRequest, failed)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	first, _ := messages[0].(*jsonrpc.Request)
	if first == nil {
		first = &jsonrpc.Request{} // a response
	}
	id := r.Header.Get(sessionHeader)
	switch {
	case r.Header.Get(versionHeader) > protocol || id == "" && !usesHandshake(messages[0]):
		if batch {
			writeFailure(w, http.StatusBadRequest, fail(nil, jsonrpc.CodeInvalidRequest, "this protocol version has no batches"))
			return
		}
		h.server.Refresh()
		h.stateless.ServeHTTP(w, r)
	case id == "" && first.IsCall() && first.Method == "initialize" && !batch:
		if e := checkCall(first, false); e != nil {
			writeFailure(w, http.StatusBadRequest, &failure{"2.0", first.ID.Raw(), e})
			return
		}
		h.startSession(w, r)
	case id == "":
		writeFailure(w, http.StatusBadRequest, fail(first.ID.Raw(), jsonrpc.CodeInvalidRequest, "the session id is missing: send initialize first"))
	default:
		h.postInSession(w, r, id, messages, batch)
	}
}

// startSession handles an initialize request.
func (h *handler) startSession(w http.ResponseWriter, r *http.Request) {
	end, ok := h.sessions.start()
	if !ok {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions", http.StatusServiceUnavailable)
		return
	}
	defer func() { end(w.Header().Get(sessionHeader)) }()
	h.server.Refresh() // before the session starts, so that it gets no notification of it
	h.sessioned.ServeHTTP(w, r)
}

// codeSessionNotFound is what other servers use. Clients recognize the status 404.
const codeSessionNotFound = -32001

// postInSession handles messages of a session.
func (h *handler) postInSession(w http.ResponseWriter, r *http.Request, id string, messages []jsonrpc.Message, batch bool) {
	session := h.sessions.find(id)
	first, _ := messages[0].(*jsonrpc.Request)
	if session == nil {
		failed := fail(nil, codeSessionNotFound, "session not found")
		if first != nil {
			failed.ID = first.ID.Raw()
		}
		writeFailure(w, http.StatusNotFound, failed)
		return
	}
	if p := session.InitializeParams(); batch && (p == nil || negotiate(p.ProtocolVersion) != batchProtocol) {
		writeFailure(w, http.StatusBadRequest, fail(nil, jsonrpc.CodeInvalidRequest, "this protocol version has no batches"))
		return
	}
	p := &post{ResponseWriter: w, cancelled: make(map[jsonrpc.ID]bool)}
	parts, changed, ok := h.screen(id, p, messages, batch)
	if !ok {
		writeFailure(w, http.StatusBadRequest, fail(nil, jsonrpc.CodeInvalidRequest, "the id is missing"))
		return
	}
	if len(parts) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if changed {
		body, err := encodeMessages(parts, batch)
		if err != nil {
			writeFailure(w, http.StatusInternalServerError, fail(nil, jsonrpc.CodeInternalError, err.Error()))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	defer h.sessions.begin(id, p)()
	h.sessioned.ServeHTTP(p, r)
}

// screen returns the messages of a post that the SDK handles. It replaces requests that the SDK would answer wrongly, drops unknown
// notifications and cancels what others cancel. changed reports whether parts differ from messages. ok is false if a request
// lacks its id.
func (h *handler) screen(session string, p *post, messages []jsonrpc.Message, batch bool) (parts []jsonrpc.Message, changed, ok bool) {
	for _, m := range messages {
		if r, ok := m.(*jsonrpc.Request); ok {
			_, request := needsParams[r.Method]
			switch cancels, ok := cancelledRequest(r); {
			case r.IsCall():
				p.cancelled[r.ID] = false
				if e := checkCall(r, batch); e != nil {
					m, changed = reject(r, e), true
				}
			case request:
				return nil, false, false
			case ok:
				p.cancel(cancels) // of the same batch
				h.sessions.cancel(session, cancels)
			case !knownNotifications[r.Method]:
				changed = true
				continue
			}
		}
		parts = append(parts, m)
	}
	return parts, changed, true
}

func writeFailure(w http.ResponseWriter, status int, f *failure) {
	text, err := json.Marshal(f)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}

// originAllowed reports whether a request comes from no web page, from a page of the same host, or from an allowed one.
// A page that uses DNS rebinding names a foreign host, which authorised rejects unless the page has the token.
func (h *handler) originAllowed(r *http.Request) bool {
	return !slices.ContainsFunc(r.Header.Values("Origin"), func(o string) bool {
		u, err := url.Parse(o)
		same := err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
		return !same && !slices.Contains(h.origins, o)
	})
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
