package postgres_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/stretchr/testify/require"
)

// A proxy forwards connections to the server. It can cut one at its next COMMIT.
type proxy struct {
	net.Listener
	mu      sync.Mutex
	at      cut
	refuses bool   // new connections are closed at once
	mark    []byte // cuts at a request that contains it instead of a COMMIT; nil: at a COMMIT
	commits int    // that were seen
	held    []net.Conn
	silent  net.Conn // of the client that gets no answer; see muteAnswer
}

// A cut says what the proxy does at the next COMMIT.
type cut int

const (
	never       cut = iota
	afterCommit     // forwards it and closes the connection before the answer
	onCommit        // closes the connection without forwarding it
	holdCommit      // closes the connection of the client, and leaves the other one open without forwarding it
	muteAnswer      // forwards it and no answer, until closeSilent
)

// commitMessage is the end of the message of a COMMIT.
var commitMessage = []byte("commit\x00")

func startProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{Listener: l}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for _, c := range p.held {
			c.Close()
		}
		p.mu.Unlock()
		running.Wait()
	})
	return p
}

func (p *proxy) dsn() string {
	return pgtest.Address("127.0.0.1", p.Addr().(*net.TCPAddr).Port, pgtest.Role, pgtest.Role)
}

func (p *proxy) set(at cut, refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.refuses = at, refuses
}

// next returns what to do at a COMMIT.
func (p *proxy) next() cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits++
	at := p.at
	p.at = never
	return at
}

func (p *proxy) isMarked(request []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mark != nil {
		return bytes.Contains(request, p.mark)
	}
	return bytes.HasSuffix(request, commitMessage)
}

// closeSilent closes the connection of the client that gets no answer.
func (p *proxy) closeSilent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent.Close()
}

func (p *proxy) seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	refuses := p.refuses
	p.mu.Unlock()
	if refuses {
		return
	}
	server, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port()))
	if err != nil {
		return
	}
	muted := make(chan struct{}) // closed: answers go nowhere
	var mute sync.Once
	var answers sync.WaitGroup
	answers.Go(func() {
		buffer := make([]byte, 1<<16)
		for {
			n, err := server.Read(buffer)
			select {
			case <-muted:
				if err != nil {
					return
				}
				continue
			default:
			}
			if _, failed := client.Write(buffer[:n]); err != nil || failed != nil {
				client.Close()
				return
			}
		}
	})
	closeServer := true
	defer func() {
		if closeServer {
			server.Close()
			answers.Wait()
		}
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if p.isMarked(buffer[:n]) {
			switch p.next() {
			case afterCommit:
				mute.Do(func() { close(muted) })
				client.Close()
				server.Write(buffer[:n])
				server.(*net.TCPConn).CloseWrite() // the server handles the COMMIT before it sees the end
				answers.Wait()
				return
			case onCommit:
				return
			case holdCommit:
				closeServer = false
				p.mu.Lock()
				p.held = append(p.held, server)
				p.mu.Unlock()
				return
			case muteAnswer:
				mute.Do(func() { close(muted) })
				p.mu.Lock()
				p.silent = client
				p.mu.Unlock()
			}
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

var _ io.Closer = (*proxy)(nil)
