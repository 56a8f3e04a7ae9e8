package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// protocol is the newest version with a handshake, which nearly all servers understand.
const protocol = "2025-11-25"

var (
	errAway  = errors.New("mcp: the server ended the connection")
	errPages = errors.New("mcp: the server names a page of its list twice")
)

// A session is a connection to a foreign server after the handshake.
type session struct {
	limits  ClientLimits
	conn    *guard
	sdk     *sdk.ClientSession
	changed chan struct{}      // holds a token when the server said that its list changed
	gone    chan struct{}      // closed when the connection is over
	err     error              // why, once gone is closed
	after   func(kill bool)    // ends what the connection leaves behind
	cancel  context.CancelFunc // of all requests over HTTP
}

// open connects to the server.
func (c *Client) open(ctx context.Context) (*session, error) {
	s := &session{limits: c.o.Limits, changed: make(chan struct{}, 1), gone: make(chan struct{}), after: func(bool) {}}
	connCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	start, done := context.WithTimeout(ctx, s.limits.HandshakeTimeout)
	defer done()
	r, err := s.dial(start, connCtx, &c.source)
	if err != nil {
		cancel()
		return nil, err
	}
	stop := context.AfterFunc(start, func() { s.conn.Close() }) // a write may be in its way
	s.sdk, err = newSDKClient().Connect(start, carrier{s.conn}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if !stop() {
		err = start.Err() // whatever came of closing the connection
	}
	if err != nil {
		s.shut(ctx.Err() == nil)
		return nil, fmt.Errorf("mcp: handshake: %w", err)
	}
	if r != nil {
		version := s.sdk.InitializeResult().ProtocolVersion // one that the SDK knows
		r.version.Store(&version)
	}
	go func() {
		s.err = s.sdk.Wait()
		close(s.gone)
	}()
	return s, nil
}

func newSDKClient() *sdk.Client {
	c := sdk.NewClient(&sdk.Implementation{Name: "hearth", Version: "0"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	// The names are none of MCP's own, so neither of them fails.
	_ = sdk.AddSendingCustomMethod[*listParams, *listResult](c, rawPrefix+"tools/list")
	_ = sdk.AddSendingCustomMethod[*callParams, *callResult](c, rawPrefix+"tools/call")
	return c
}

// dial makes the bare connection, without a word said.
func (s *session) dial(ctx, connCtx context.Context, src *Source) (*remote, error) {
	var rw io.ReadWriteCloser
	var err error
	switch {
	case src.URL != "":
		t, r, idle := dialHTTP(connCtx, src, s.limits.MessageBytes)
		conn, err := t.Connect(connCtx)
		if err != nil {
			return nil, err
		}
		s.conn, s.after = newGuard(conn, s.listChanged), func(bool) { idle() }
		return r, nil
	case src.Dial != nil:
		rw, err = src.Dial(ctx)
	default:
		var p *child
		if p, err = startChild(src, s.limits.StopTimeout); err == nil {
			rw, s.after = p, p.end
		}
	}
	if err != nil {
		return nil, err
	}
	lines := newLineConn(rw, s.limits.MessageBytes, s.limits.WriteTimeout, false)
	g := newGuard(lines, s.listChanged)
	lines.bad = g.bad
	end := s.after
	s.conn, s.after = g, func(kill bool) { end(kill); lines.readers.Wait() }
	return nil, nil
}

func (s *session) listChanged() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// end closes the connection and waits until all that belongs to it has ended. Calls that run fail. A process is given time to end
// by itself unless kill.
func (s *session) end(kill bool) {
	s.shut(kill)
	<-s.gone
}

func (s *session) shut(kill bool) {
	s.conn.Close()
	s.cancel()
	s.after(kill)
	s.conn.tasks.Wait()
}

type listParams struct {
	sdk.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type listResult struct {
	sdk.ResultBase
	Tools []json.RawMessage `json:"tools"`
	Next  string            `json:"nextCursor"`
}

// list gives what the server says are its tools, and whether it has more than are wanted.
func (s *session) list(ctx context.Context) (tools []json.RawMessage, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.ListTimeout)
	defer cancel()
	seen := map[string]bool{"": true}
	bytes := 0
	for p := (&listParams{}); ; {
		r, err := sdk.CallCustomMethod[*listParams, *listResult](ctx, s.sdk, rawPrefix+"tools/list", p)
		if err != nil {
			return nil, false, fmt.Errorf("mcp: list of tools: %w", err)
		}
		for _, t := range r.Tools {
			if bytes += len(t); len(tools) == s.limits.MaxTools || bytes > s.limits.MessageBytes {
				return tools, true, nil
			}
			tools = append(tools, t)
		}
		switch {
		case r.Next == "":
			return tools, false, nil
		case seen[r.Next]:
			return nil, false, errPages
		case len(seen) == s.limits.MaxPages:
			return tools, true, nil
		}
		seen[r.Next] = true
		p = &listParams{Cursor: r.Next}
	}
}

type callParams struct {
	sdk.ParamsBase
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type callResult struct {
	sdk.ResultBase
	Content    []content       `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// call calls a tool by the server's own name for it.
func (s *session) call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	r, err := sdk.CallCustomMethod[*callParams, *callResult](ctx, s.sdk, rawPrefix+"tools/call", &callParams{Name: name, Arguments: args})
	var answer *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &answer):
		return "", errors.Join(nit.ModelError(neutral(answer.Message, 500)), err)
	case err != nil:
		return "", errors.Join(nit.ModelError("its server went away, the effect is unclear"), err)
	}
	text := render(r.Content, r.Structured)
	if r.IsError {
		return "", nit.ModelError(text)
	}
	return text, nil
}

// ended gives why the connection is over, once it is.
func (s *session) ended() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return errAway
	}
	return s.err
}

// relist is how soon a list is asked for again when the server says that it changed.
const relist = time.Second
