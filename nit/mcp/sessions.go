package mcp

import (
	"bytes"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions limits the sessions over HTTP and cancels their requests. The SDK owns the sessions themselves.
type sessions struct {
	server *sdk.Server
	max    int

	mu       sync.Mutex
	starting int                // initialize requests without an answer
	clients  map[string]*client // by session id; may contain ended sessions
}

// A client is what sessions knows about one session.
type client struct {
	used    time.Time // end of the last request
	running int       // requests, including streams of notifications
	posts   map[*post]bool
}

// find returns the session with an id, or nil.
func (s *sessions) find(id string) *sdk.ServerSession {
	for session := range s.server.Sessions() {
		if id != "" && session.ID() == id {
			return session
		}
	}
	return nil
}

// start reserves a place for a new session and reports false if there is none. It closes the session that was idle longest
// if necessary. end releases the place and takes the id of the session, or "" if none began.
func (s *sessions) start() (end func(id string), ok bool) {
	s.mu.Lock()
	live := make(map[string]*sdk.ServerSession)
	for session := range s.server.Sessions() {
		if session.ID() != "" { // requests of versions without a handshake have none
			live[session.ID()] = session
		}
	}
	maps.DeleteFunc(s.clients, func(id string, _ *client) bool { return live[id] == nil })
	var oldest string
	if len(live)+s.starting >= s.max {
		for id, c := range s.clients {
			if c.running == 0 && (oldest == "" || c.used.Before(s.clients[oldest].used)) {
				oldest = id
			}
		}
		if oldest == "" {
			s.mu.Unlock()
			return nil, false
		}
		delete(s.clients, oldest) // so that nobody else closes it
	}
	s.starting++
	s.mu.Unlock()
	if oldest != "" {
		_ = live[oldest].Close() // its client will see that it is gone
	}
	return func(id string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.starting--
		if id != "" && s.clients[id] == nil {
			s.clients[id] = &client{used: time.Now(), posts: make(map[*post]bool)}
		}
	}, true
}

// begin notes a request of a session. p is nil for a stream of notifications.
func (s *sessions) begin(id string, p *post) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[id]
	if c == nil {
		c = &client{posts: make(map[*post]bool)}
		s.clients[id] = c
	}
	c.running++
	if p != nil {
		c.posts[p] = true
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(c.posts, p)
		c.running--
		c.used = time.Now()
	}
}

// cancel drops the response to a request.
func (s *sessions) cancel(id string, request jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.clients[id]; c != nil {
		for p := range c.posts {
			p.cancel(request)
		}
	}
}

// A post is a request with messages of a session. It drops the responses to cancelled messages.
type post struct {
	http.ResponseWriter
	mu        sync.Mutex
	cancelled map[jsonrpc.ID]bool // all requests among the messages
	any       bool                // one was cancelled
}

func (p *post) cancel(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.cancelled[id]; ok {
		p.cancelled[id], p.any = true, true
	}
}

// Write gets one event at a time from the SDK.
func (p *post) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, data, ok := bytes.Cut(text, []byte("\ndata: ")); ok && p.any {
		m, err := jsonrpc.DecodeMessage(data)
		if r, ok := m.(*jsonrpc.Response); err == nil && ok && p.cancelled[r.ID] {
			return len(text), nil
		}
	}
	return p.ResponseWriter.Write(text)
}

// Unwrap lets the SDK flush the response.
func (p *post) Unwrap() http.ResponseWriter { return p.ResponseWriter }
