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

// Serve serves one client over lines of JSON, as over standard input and output: in carries requests, out carries answers and
// nothing else. It returns nil when in ended and all that was asked has been answered; when the client closed its end of out;
// or when ctx ended. In the last two it cancels what still runs. It closes in, out is left open. A line that is no message is answered by a parse error, and the session goes on.
//
// Nothing else may write to out: with os.Stdout, let the program log to os.Stderr and print nothing.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	c := &served{lineConn: newLineConn(struct {
		io.ReadCloser
		io.Writer
	}{in, out}, maxRequest, 0, true), open: make(map[jsonrpc.ID]bool)}
	c.lineConn.bad = c.answerBad
	s.Refresh() // before there is a session that would be told of it
	session, err := s.sdk.Connect(ctx, carrier{c}, nil)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	err = session.Wait()
	c.waitReader()
	if ctx.Err() != nil || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// A carrier gives the SDK a connection that is there already.
type carrier struct{ sdk.Connection }

func (c carrier) Connect(context.Context) (sdk.Connection, error) { return c.Connection, nil }

// served is the server's end of a lineConn. It holds the end of the input back until every request was answered: the SDK
// would drop the answers otherwise.
type served struct {
	*lineConn
	mu   sync.Mutex
	open map[jsonrpc.ID]bool // requests without an answer
	idle chan struct{}       // closed when nothing is open any more; nil until the input ended
}

func (c *served) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.lineConn.Read(ctx)
	if err == io.EOF {
		c.drain(ctx)
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	return m, err
}

// drain waits until every request was answered.
func (c *served) drain(ctx context.Context) {
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
	case <-c.over:
	case <-ctx.Done():
	}
}

func (c *served) Write(ctx context.Context, m jsonrpc.Message) error {
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

// answerBad tells the client what was wrong with a line, with its id when it has one.
func (c *served) answerBad(text []byte, err error) error {
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

// waitReader waits a moment for the goroutine that reads: one that reads a terminal stays until the next line.
func (c *lineConn) waitReader() {
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
