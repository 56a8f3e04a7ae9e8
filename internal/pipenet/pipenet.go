// Package pipenet is a network in memory with one server, for the fakes of platforms.
package pipenet

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// A Pipe is a net.Listener whose connections are those of net.Pipe. These block durably, so a Pipe works in a
// testing/synctest bubble. All methods may be called concurrently.
type Pipe struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// New returns a pipe that is open until Close.
func New() *Pipe { return &Pipe{conns: make(chan net.Conn), done: make(chan struct{})} }

// Client returns a client that connects to the pipe for any address. It keeps no idle connections and so no goroutines.
func (p *Pipe) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
}

// dial waits for an Accept. It ignores the address.
func (p *Pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: p.Addr(), Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener. After Close it returns net.ErrClosed.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. It leaves open connections open, and returns nil.
func (p *Pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener.
func (p *Pipe) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
