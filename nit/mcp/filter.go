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

var errFlood = errors.New("mcp: the server sends too many unrequested messages")

// rawPrefix marks methods with results as raw JSON. The SDK decodes standard methods into its own types, where one tool
// with deep nesting spoils the whole list. A filter removes the prefix from outgoing requests.
const rawPrefix = "hearth/"

// Limits for messages that nobody requested: a burst and a rate per second.
const (
	unrequestedMessages, unrequestedMessagesPerSecond = 256, 32
	unrequestedBytes, unrequestedBytesPerSecond       = 1 << 20, 64 << 10
)

// A filter protects the SDK from a remote server. It passes only responses to our requests. It answers pings, rejects
// other requests, reports a changed tool list, and drops other notifications.
type filter struct {
	sdk.Connection
	listChanged func()
	replies     chan *jsonrpc.Response // written by another goroutine, so that reading continues while the server does not read
	stop        context.CancelFunc     // stops writeReplies
	tasks       sync.WaitGroup

	mu       sync.Mutex
	awaiting map[jsonrpc.ID]bool // our requests without a response
	messages tokenBucket
	bytes    tokenBucket
}

func newFilter(c sdk.Connection, changed func()) *filter {
	g := &filter{
		Connection: c, listChanged: changed, awaiting: make(map[jsonrpc.ID]bool), replies: make(chan *jsonrpc.Response, 16),
		messages: tokenBucket{capacity: unrequestedMessages, perSecond: unrequestedMessagesPerSecond, left: unrequestedMessages},
		bytes:    tokenBucket{capacity: unrequestedBytes, perSecond: unrequestedBytesPerSecond, left: unrequestedBytes},
	}
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	g.tasks.Go(func() { g.writeReplies(ctx) })
	return g
}

// writeReplies writes the filter's own responses until the connection ends.
func (g *filter) writeReplies(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-g.replies:
			if g.Connection.Write(ctx, r) != nil {
				return // the reader gets an error too
			}
		}
	}
}

// Close ends the connection.
func (g *filter) Close() error {
	g.stop()
	return g.Connection.Close()
}

func (g *filter) Write(ctx context.Context, m jsonrpc.Message) error {
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
	g.awaiting[r.ID] = true
	g.mu.Unlock()
	err := g.Connection.Write(ctx, r)
	if err != nil {
		g.mu.Lock()
		delete(g.awaiting, r.ID)
		g.mu.Unlock()
	}
	return err
}

func (g *filter) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := g.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *jsonrpc.Response:
			if g.isAwaited(m.ID) {
				return m, nil
			}
			err = g.countUnrequested(len(m.Result))
		case *jsonrpc.Request:
			if err = g.countUnrequested(len(m.Params)); err == nil {
				err = g.handleRequest(m)
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// isAwaited reports, once per id, whether a response to id is awaited.
func (g *filter) isAwaited(id jsonrpc.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	ok := g.awaiting[id]
	delete(g.awaiting, id)
	return ok
}

// countUnrequested counts an unrequested message of size bytes.
func (g *filter) countUnrequested(size int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if !g.messages.take(now, 1) || !g.bytes.take(now, size) {
		return errFlood
	}
	return nil
}

// invalidLine counts a line that is not a message, for instance log output. It returns err for lines that may be a
// damaged response, because its caller would wait forever.
func (g *filter) invalidLine(text []byte, err error) error {
	if err == errTooLong || text[0] == '{' {
		return err
	}
	return g.countUnrequested(len(text))
}

// handleRequest handles a request or notification of the server.
func (g *filter) handleRequest(r *jsonrpc.Request) error {
	if !r.IsCall() {
		if r.Method == "notifications/tools/list_changed" {
			g.listChanged()
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
		return errFlood // it sends faster than it reads
	}
}

// A tokenBucket is a rate limiter with a burst.
type tokenBucket struct {
	capacity, perSecond, left float64
	at                        time.Time
}

func (b *tokenBucket) take(now time.Time, n int) bool {
	if !b.at.IsZero() {
		b.left = min(b.capacity, b.left+now.Sub(b.at).Seconds()*b.perSecond)
	}
	b.at = now
	b.left -= float64(n)
	return b.left >= 0
}
