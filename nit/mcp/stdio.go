package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve serves one client over lines of JSON, usually stdin and stdout. It returns nil after in ended and all requests
// were answered, after the client closed out, or after ctx ended. In the last two cases it cancels running calls. It
// closes in but not out. An invalid line gets a parse error, and the session continues.
//
// Only Serve may write to out. If out is os.Stdout, log to os.Stderr and print nothing.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	c := &stdioConn{lineConn: newLineConn(struct {
		io.ReadCloser
		io.Writer
	}{in, out}, maxRequest, 0, true), open: make(map[jsonrpc.ID]bool)}
	c.lineConn.onInvalid = c.answerInvalid
	s.Refresh() // before the session starts, so that it gets no notification of it
	session, err := s.sdk.Connect(ctx, fixedTransport{c}, nil)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	err = session.Wait()
	c.awaitReader()
	if ctx.Err() != nil || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// A fixedTransport gives the SDK an existing connection.
type fixedTransport struct{ sdk.Connection }

func (c fixedTransport) Connect(context.Context) (sdk.Connection, error) { return c.Connection, nil }

// stdioConn is the server side of a lineConn. It delays the end of the input until every request is answered, because
// the SDK would drop the answers.
type stdioConn struct {
	*lineConn
	mu   sync.Mutex
	open map[jsonrpc.ID]bool // requests without an answer
	idle chan struct{}       // closed when open is empty; nil until the input ended
}

func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.lineConn.Read(ctx)
	if err == io.EOF {
		c.awaitAnswers(ctx)
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	return m, err
}

// awaitAnswers waits until every request is answered.
func (c *stdioConn) awaitAnswers(ctx context.Context) {
	c.mu.Lock()
	if len(c.open) == 0 {
		c.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	select {
	case <-idle:
	case <-c.closed:
	case <-ctx.Done():
	}
}

func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.lineConn.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		if len(c.open) == 0 && c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
		c.mu.Unlock()
	}
	return err
}

// answerInvalid reports an invalid line to the client, with the request id if there is one.
func (c *stdioConn) answerInvalid(text []byte, err error) error {
	e := &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not valid JSON"}
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", json.RawMessage("null"), e}
	switch {
	case err == errTooLong:
		e.Code, e.Message = jsonrpc.CodeInvalidRequest, "the message is too long"
	case json.Valid(text):
		e.Code, e.Message = jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message"
		var m struct{ ID any }
		if json.Unmarshal(text, &m) == nil {
			switch m.ID.(type) {
			case string, float64:
				answer.ID, _ = json.Marshal(m.ID)
			}
		}
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return c.write(context.Background(), append(line, '\n'))
}

// awaitReader waits briefly for the reading goroutine. A read from a terminal blocks until the next line.
func (c *lineConn) awaitReader() {
	gone := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(closeGrace):
	}
}
