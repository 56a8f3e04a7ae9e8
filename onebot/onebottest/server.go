package onebottest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"

	"github.com/hearth-bot/hearth/internal/pipenet"
	"github.com/hearth-bot/hearth/onebot"
)

// A Server is a OneBot v11 implementation in memory: one account, its groups and friends, and all of their messages.
// Create it with [New]. All methods may be called concurrently.
type Server struct {
	opts Options

	mu sync.Mutex // never held during a write, a wait or a callback

	// state of QQ
	ids          ids
	users        map[int64]*user
	groups       []*Group
	friends      []*Friend
	chats        map[Chat][]*message
	messages     map[uint32]*message // by id modulo 2³²
	temps        map[int64]int64     // user → group of an open temporary session
	requests     []*Request
	lastFlag     int64 // the last flag that is a time
	forwards     map[string][]Node
	files        []*File
	uploads      map[string]*upload
	messageCount int // number of messages, for Quirks.MillisEvery
	offline      bool

	// bots
	links   []*link
	posters []*poster
	faults  faults
	did     records
	sent    []*message
	onSend  []func(ChatMessage)
	handled map[string]func(json.RawMessage) (any, error)

	// running
	wake    chan struct{} // closed at any change; nil while nobody waits
	closed  bool
	stops   []*stop // of Connect and Post
	servers []*http.Server
	url     string
	pipe    *pipenet.Pipe
	wg      sync.WaitGroup // Serve, ServeHTTP, Connect and Post
}

// New returns a server without a connection: see [Server.Start], [Server.Client] and [Server.Connect]. Call Close at
// the end.
func New(o Options) *Server {
	o.SelfID = cmp.Or(o.SelfID, 10000)
	if o.Quirks.WebSocket == LikeSnowLuma {
		o.Heartbeat = cmp.Or(o.Heartbeat, snowLumaHeartbeat)
	}
	s := &Server{
		opts:     o,
		ids:      newIDs(o.Quirks.IDs, o.Seed),
		users:    make(map[int64]*user),
		chats:    make(map[Chat][]*message),
		messages: make(map[uint32]*message),
		temps:    make(map[int64]int64),
		forwards: make(map[string][]Node),
		uploads:  make(map[string]*upload),
	}
	s.user(o.SelfID, cmp.Or(o.Nickname, "炉边"))
	return s
}

// SelfID returns the bot's account.
func (s *Server) SelfID() int64 { return s.opts.SelfID }

// Start listens on a loopback port and returns the address for a forward WebSocket client, "ws://127.0.0.1:port". The
// HTTP API is on the same port, as "http://…". A second call returns the same address. Start panics if it cannot
// listen or the server is closed.
func (s *Server) Start() (url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url != "" {
		return s.url
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("onebottest: listen on loopback: %v", err))
	}
	s.serve(l)
	s.url = "ws://" + l.Addr().String()
	return s.url
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

// Client returns a forward WebSocket client of this server that uses pipes, as [Server.HTTPClient] does. It replaces
// the HTTPClient of the options. An empty Token means the server's token.
func (s *Server) Client(o onebot.Options) *onebot.Client {
	o.HTTPClient = s.HTTPClient()
	o.Token = cmp.Or(o.Token, s.opts.Token)
	c, err := onebot.NewClient("ws://onebottest/", o)
	if err != nil {
		panic(fmt.Sprintf("onebottest: %v", err)) // cannot happen: the URL is valid
	}
	return c
}

// serve serves the connections of l until Close. s.mu is held.
func (s *Server) serve(l net.Listener) {
	if s.closed {
		l.Close()
		panic("onebottest: server is closed")
	}
	srv := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	s.servers = append(s.servers, srv)
	s.wg.Go(func() { srv.Serve(l) })
}

// Close drops all links and returns when all goroutines of the server have ended. It may be called more than once,
// but not from a function passed to [Server.OnSend].
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	servers, stops := s.servers, s.stops
	s.servers, s.stops = nil, nil
	s.changed()
	s.mu.Unlock()
	for _, srv := range servers {
		srv.Close()
	}
	for _, st := range stops {
		st.cancel()
	}
	s.DropLinks()
	s.wg.Wait()
}

// A stop cancels a Connect or Post when the server is closed.
type stop struct{ cancel context.CancelFunc }

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
			return fmt.Errorf("onebottest: %w", net.ErrClosed)
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
}
