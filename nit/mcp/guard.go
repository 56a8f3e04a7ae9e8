package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var errFlood = errors.New("mcp: the server sends more than it was asked for")

// rawPrefix marks the methods whose results are taken as raw JSON. The SDK lets a program read a standard method only into its
// own types, where one tool that is nested too deep spoils the whole list; a guard takes the mark off on the way out.
const rawPrefix = "hearth/"

// What a server may send unasked: so many messages and bytes at once, and so many more in a second.
const (
	strayMessages, strayMessagesPerSecond = 256, 32
	strayBytes, strayBytesPerSecond       = 1 << 20, 64 << 10
)

// A guard stands between a foreign server and the SDK, and lets nothing through but answers to what was asked. It answers
// pings itself, says no to all other requests, tells changed of a changed list, and drops every other notification.
type guard struct {
	sdk.Connection
	changed func()
	replies chan *jsonrpc.Response // written beside: a server that writes may not read, and we must go on reading
	stop    context.CancelFunc     // of reply
	tasks   sync.WaitGroup

	mu       sync.Mutex
	asked    map[jsonrpc.ID]bool // requests without an answer
	messages bucket
	bytes    bucket
}

func newGuard(c sdk.Connection, changed func()) *guard {
	g := &guard{
		Connection: c, changed: changed, asked: make(map[jsonrpc.ID]bool), replies: make(chan *jsonrpc.Response, 16),
		messages: bucket{most: strayMessages, perSecond: strayMessagesPerSecond, left: strayMessages},
		bytes:    bucket{most: strayBytes, perSecond: strayBytesPerSecond, left: strayBytes},
	}
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	g.tasks.Go(func() { g.reply(ctx) })
	return g
}

// reply writes the guard's own answers until the connection ends.
func (g *guard) reply(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-g.replies:
			if g.Connection.Write(ctx, r) != nil {
				return // the reader hears of it, too
			}
		}
	}
}

// Close ends the connection.
func (g *guard) Close() error {
	g.stop()
	return g.Connection.Close()
}

func (g *guard) Write(ctx context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return g.Connection.Write(ctx, m)
	}
	if method, raw := strings.CutPrefix(r.Method, rawPrefix); raw {
		plain := *r
		plain.Method = method
		r = &plain
	}
	if !r.IsCall() {
		return g.Connection.Write(ctx, r)
	}
	g.mu.Lock()
	g.asked[r.ID] = true
	g.mu.Unlock()
	err := g.Connection.Write(ctx, r)
	if err != nil {
		g.mu.Lock()
		delete(g.asked, r.ID)
		g.mu.Unlock()
	}
	return err
}

func (g *guard) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := g.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *jsonrpc.Response:
			if g.answers(m.ID) {
				return m, nil
			}
			err = g.stray(len(m.Result))
		case *jsonrpc.Request:
			if err = g.stray(len(m.Params)); err == nil {
				err = g.refuse(m)
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// answers tells whether an answer to id is awaited, and is true once.
func (g *guard) answers(id jsonrpc.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	ok := g.asked[id]
	delete(g.asked, id)
	return ok
}

// stray counts a message of size bytes that nobody asked for.
func (g *guard) stray(size int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if !g.messages.take(now, 1) || !g.bytes.take(now, size) {
		return errFlood
	}
	return nil
}

// bad counts a line that is no message, such as a server's word to itself. One that is too long, or was meant to be a message, may
// have been an answer, for which somebody would wait in vain.
func (g *guard) bad(text []byte, err error) error {
	if err == errTooLong || text[0] == '{' {
		return err
	}
	return g.stray(len(text))
}

// refuse does what is left to do about a request or notification of the server.
func (g *guard) refuse(r *jsonrpc.Request) error {
	if !r.IsCall() {
		if r.Method == "notifications/tools/list_changed" {
			g.changed()
		}
		return nil
	}
	answer := &jsonrpc.Response{ID: r.ID, Result: json.RawMessage("{}")}
	if r.Method != "ping" {
		answer = &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "not supported"}}
	}
	select {
	case g.replies <- answer:
		return nil
	default:
		return errFlood // it asks faster than it reads
	}
}

// A bucket holds what may still be spent.
type bucket struct {
	most, perSecond, left float64
	at                    time.Time
}

func (b *bucket) take(now time.Time, n int) bool {
	if !b.at.IsZero() {
		b.left = min(b.most, b.left+now.Sub(b.at).Seconds()*b.perSecond)
	}
	b.at = now
	b.left -= float64(n)
	return b.left >= 0
}
