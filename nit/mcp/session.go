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

// protocol is the newest version with a handshake. Nearly all servers support it.
const protocol = "2025-11-25"

var (
	errServerClosed   = errors.New("mcp: the server closed the connection")
	errRepeatedCursor = errors.New("mcp: the tool list repeats a cursor")
)

// A session is a connection to a remote server after the handshake.
type session struct {
	limits     ClientLimits
	conn       *filter
	sdk        *sdk.ClientSession
	changed    chan struct{}      // holds a token after a change of the tool list
	done       chan struct{}      // closed when the connection is over
	err        error              // reason for the end, set before done is closed
	afterClose func(kill bool)    // releases resources of the connection
	cancel     context.CancelFunc // cancels all HTTP requests
}

// startSession connects to the server.
func (c *Client) startSession(ctx context.Context) (*session, error) {
	s := &session{limits: c.o.Limits, changed: make(chan struct{}, 1), done: make(chan struct{}), afterClose: func(bool) {}}
	connCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	start, done := context.WithTimeout(ctx, s.limits.HandshakeTimeout)
	defer done()
	r, err := s.dial(start, connCtx, &c.source)
	if err != nil {
		cancel()
		return nil, err
	}
	stop := context.AfterFunc(start, func() { s.conn.Close() }) // unblocks a pending write
	s.sdk, err = newSDKClient().Connect(start, fixedTransport{s.conn}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if !stop() {
		err = start.Err() // instead of the error from closing
	}
	if err != nil {
		s.shutdown(ctx.Err() == nil)
		return nil, fmt.Errorf("mcp: handshake: %w", err)
	}
	if r != nil {
		version := s.sdk.InitializeResult().ProtocolVersion // supported by the SDK
		r.version.Store(&version)
	}
	go func() {
		s.err = s.sdk.Wait()
		close(s.done)
	}()
	return s, nil
}

func newSDKClient() *sdk.Client {
	c := sdk.NewClient(&sdk.Implementation{Name: "hearth", Version: "0"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	// These cannot fail: the names are not standard MCP methods.
	_ = sdk.AddSendingCustomMethod[*listParams, *listResult](c, rawPrefix+"tools/list")
	_ = sdk.AddSendingCustomMethod[*callParams, *callResult](c, rawPrefix+"tools/call")
	return c
}

// dial opens the connection without sending anything.
func (s *session) dial(ctx, connCtx context.Context, src *Source) (*boundedTransport, error) {
	var rw io.ReadWriteCloser
	var err error
	switch {
	case src.URL != "":
		t, r, idle := dialHTTP(connCtx, src, s.limits.MessageBytes)
		conn, err := t.Connect(connCtx)
		if err != nil {
			return nil, err
		}
		s.conn, s.afterClose = newFilter(conn, s.listChanged), func(bool) { idle() }
		return r, nil
	case src.Dial != nil:
		rw, err = src.Dial(ctx)
	default:
		var p *process
		if p, err = startProcess(src, s.limits.StopTimeout); err == nil {
			rw, s.afterClose = p, p.end
		}
	}
	if err != nil {
		return nil, err
	}
	lines := newLineConn(rw, s.limits.MessageBytes, s.limits.WriteTimeout, false)
	g := newFilter(lines, s.listChanged)
	lines.onInvalid = g.invalidLine
	end := s.afterClose
	s.conn, s.afterClose = g, func(kill bool) { end(kill); lines.readers.Wait() }
	return nil, nil
}

func (s *session) listChanged() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// closeAndWait closes the connection and waits for all its goroutines. Running calls fail. A process gets time to exit
// unless kill is set.
func (s *session) closeAndWait(kill bool) {
	s.shutdown(kill)
	<-s.done
}

func (s *session) shutdown(kill bool) {
	s.conn.Close()
	s.cancel()
	s.afterClose(kill)
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

// list returns the tools that the server lists. more reports that it has more than the limits allow.
func (s *session) list(ctx context.Context) (tools []json.RawMessage, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.ListTimeout)
	defer cancel()
	seen := map[string]bool{"": true}
	bytes := 0
	for p := (&listParams{}); ; {
		r, err := sdk.CallCustomMethod[*listParams, *listResult](ctx, s.sdk, rawPrefix+"tools/list", p)
		if err != nil {
			return nil, false, fmt.Errorf("mcp: list tools: %w", err)
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
			return nil, false, errRepeatedCursor
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

// call calls a tool by its remote name.
func (s *session) call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	r, err := sdk.CallCustomMethod[*callParams, *callResult](ctx, s.sdk, rawPrefix+"tools/call", &callParams{Name: name, Arguments: args})
	var answer *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &answer):
		return "", errors.Join(nit.ModelError(sanitize(answer.Message, 500)), err)
	case err != nil:
		return "", errors.Join(nit.ModelError("its server went away, the effect is unclear"), err)
	}
	text := render(r.Content, r.Structured)
	if r.IsError {
		return "", nit.ModelError(text)
	}
	return text, nil
}

// endError returns the reason for the end. Call it after done is closed.
func (s *session) endError() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return errServerClosed
	}
	return s.err
}

// minListInterval is the minimum interval between two lists after change notifications.
const minListInterval = time.Second
