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
	}{in, out}, maxRequest, 0, true), open: make(map[jsonrpc.ID]*openCall)}
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

// stdioConn is the server side of a lineConn. It answers what the SDK would answer wrongly: invalid messages, batches,
// requests before initialize, and cancelled requests. It delays the end of the input until every request is answered,
// because the SDK would drop the answers.
type stdioConn struct {
	*lineConn
	queue []jsonrpc.Message // received messages that Read has not returned yet

	mu        sync.Mutex
	version   string                   // negotiated protocol version; empty before initialize
	open      map[jsonrpc.ID]*openCall // requests without an answer
	unwritten int                      // requests whose answer is not written yet
	idle      chan struct{}            // closed when all answers are written; nil until the input ended
}

// An openCall is a request without an answer.
type openCall struct {
	initialize bool
	cancelled  bool // gets no answer
	batch      *batch
}

// A batch collects the answers to its requests.
type batch struct {
	waiting int // requests without an answer
	answers []json.RawMessage
}

func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		text, err := c.next(ctx)
		switch err {
		case nil:
			err = c.accept(text)
		case errTooLong:
			err = c.writeJSON(fail(nil, jsonrpc.CodeInvalidRequest, "the message is too long"))
		case io.EOF:
			c.awaitAnswers(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	m := c.queue[0]
	c.queue = c.queue[1:]
	return m, nil
}

// accept queues the messages of a line for the SDK and answers the others.
func (c *stdioConn) accept(text []byte) error {
	messages, isBatch, failed := decodeMessages(text)
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if failed == nil && isBatch && version != batchProtocol {
		failed = fail(nil, jsonrpc.CodeInvalidRequest, "this protocol version has no batches")
	}
	if failed != nil {
		return c.writeJSON(failed)
	}
	var b *batch
	if isBatch {
		b = new(batch)
	}
	for _, m := range messages {
		if r, ok := m.(*jsonrpc.Request); ok {
			if !r.IsCall() && !knownNotifications[r.Method] {
				continue
			}
			if e := c.begin(r, b); e != nil {
				failed := &failure{"2.0", r.ID.Raw(), e}
				if b == nil {
					return c.writeJSON(failed)
				}
				if text, err := json.Marshal(failed); err == nil {
					b.answers = append(b.answers, text)
				}
				continue
			}
		}
		c.queue = append(c.queue, m)
	}
	if b != nil && b.waiting == 0 && len(b.answers) > 0 {
		return c.writeJSON(b.answers)
	}
	return nil
}

// begin notes a request that the SDK will answer, or returns its error. A notification may cancel another request.
func (c *stdioConn) begin(r *jsonrpc.Request, b *batch) *jsonrpc.Error {
	if !r.IsCall() {
		c.cancel(r)
		return nil
	}
	if e := checkCall(r, b != nil); e != nil {
		return e
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	initialize := r.Method == "initialize"
	switch {
	case c.open[r.ID] != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a running request has the same id"}
	case initialize && c.version == "":
		var p struct {
			Version string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(r.Params, &p) // checkCall has decoded it
		c.version = negotiate(p.Version)
	case initialize:
		return errInitialized
	case c.version == "" && r.Method != "ping" && r.Method != "server/discover" && usesHandshake(r):
		return errUninitialized
	}
	c.open[r.ID] = &openCall{initialize: initialize, batch: b}
	c.unwritten++
	if b != nil {
		b.waiting++
	}
	return nil
}

// cancel notes that the request that r cancels gets no answer.
func (c *stdioConn) cancel(r *jsonrpc.Request) {
	id, ok := cancelledRequest(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.open[id]; ok && call != nil && !call.initialize {
		call.cancelled = true
	}
}

// awaitAnswers waits until every request is answered.
func (c *stdioConn) awaitAnswers(ctx context.Context) {
	c.mu.Lock()
	if c.unwritten == 0 {
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
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.lineConn.Write(ctx, m)
	}
	text, err := jsonrpc.EncodeMessage(r)
	if err == nil {
		text = c.toWrite(r, text)
	}
	if err == nil && text != nil {
		err = c.write(ctx, append(text, '\n'))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unwritten--; c.unwritten == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
	return err
}

// toWrite returns what to write for an encoded response: the response, all of its batch, or nil for nothing.
func (c *stdioConn) toWrite(r *jsonrpc.Response, text []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.open[r.ID]
	if call == nil {
		return text
	}
	delete(c.open, r.ID) // before the client sees the answer and uses the id again
	if call.cancelled {
		text = nil
	}
	b := call.batch
	if b == nil {
		return text
	}
	if text != nil {
		b.answers = append(b.answers, text)
	}
	if b.waiting--; b.waiting > 0 || len(b.answers) == 0 {
		return nil
	}
	all, err := json.Marshal(b.answers)
	if err != nil { // each of them was encoded before
		return nil
	}
	return all
}

// writeJSON writes a value as a line.
func (c *stdioConn) writeJSON(v any) error {
	line, err := json.Marshal(v)
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
