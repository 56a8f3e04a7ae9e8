package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var (
	errTooLong = errors.New("mcp: a message is longer than allowed")
	errStalled = errors.New("mcp: the other side does not read what it is sent")
)

// A lineConn carries messages as lines of JSON. The SDK's own ends at the first line that is no message; this one asks bad
// what to do, never holds more than most bytes of a line, and ends when a write takes longer than stall.
type lineConn struct {
	rw    io.ReadWriteCloser
	most  int
	stall time.Duration                    // 0: none
	skip  bool                             // a line that is too long is passed over; otherwise it is the last
	bad   func(line []byte, e error) error // of a line that is no message (nil if it was too long); an error of its ends the connection

	lines   chan line
	writing chan struct{} // holds a token while nobody writes
	over    chan struct{} // closed by Close
	readers sync.WaitGroup
	once    sync.Once
	err     error // of closing
	cause   error // of the end, once over is closed; nil if Close was just called
}

type line struct {
	text []byte
	err  error
}

func newLineConn(rw io.ReadWriteCloser, most int, stall time.Duration, skip bool) *lineConn {
	c := &lineConn{rw: rw, most: most, stall: stall, skip: skip, lines: make(chan line), writing: make(chan struct{}, 1), over: make(chan struct{})}
	c.writing <- struct{}{}
	// reading may not heed Close (a terminal does not), so it has a goroutine of its own
	c.readers.Go(c.read)
	return c
}

func (c *lineConn) read() {
	r := bufio.NewReaderSize(c.rw, 32<<10)
	for {
		text, err := readLine(r, c.most, c.skip)
		if err == nil && len(text) == 0 {
			continue
		}
		select {
		case c.lines <- line{text, err}:
		case <-c.over:
			return
		}
		if err != nil && (err != errTooLong || !c.skip) {
			return
		}
	}
}

// readLine reads a line without its end. Of one that is longer than most it keeps nothing, and returns errTooLong: at its
// end with skip, otherwise as soon as it is. The last line needs no end.
func readLine(r *bufio.Reader, most int, skip bool) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > most+2; long && !skip {
			return nil, errTooLong
		} else if long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && (err != io.EOF || len(text) == 0 || long):
			return nil, err
		case long:
			return nil, errTooLong
		}
		return bytes.TrimSpace(text), nil
	}
}

// Read gives the next message.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var l line
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.over:
			return nil, c.ended()
		case l = <-c.lines:
		}
		err := l.err
		if err == nil {
			var m jsonrpc.Message
			if m, err = jsonrpc.DecodeMessage(l.text); err == nil {
				return m, nil
			}
		} else if err != errTooLong {
			return nil, err
		}
		if err := c.bad(l.text, err); err != nil {
			return nil, err
		}
	}
}

// Write sends a message.
func (c *lineConn) Write(ctx context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.write(ctx, append(text, '\n'))
}

func (c *lineConn) write(ctx context.Context, text []byte) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.over:
		return c.ended()
	case <-c.writing:
	}
	if c.stall > 0 {
		defer time.AfterFunc(c.stall, func() { c.end(errStalled) }).Stop()
	}
	// writing may not heed Close either: nobody waits for a side that does not read once the connection is over
	wrote := make(chan error, 1)
	go func() {
		_, err := c.rw.Write(text)
		c.writing <- struct{}{}
		wrote <- err
	}()
	select {
	case err := <-wrote:
		return err
	case <-c.over:
	}
	select {
	case err := <-wrote:
		return err
	case <-time.After(closeGrace):
		return c.ended()
	}
}

// Close ends the connection and does not wait for the other side.
func (c *lineConn) Close() error {
	c.end(nil)
	return c.err
}

func (c *lineConn) end(cause error) {
	c.once.Do(func() {
		c.cause = cause
		close(c.over)
		c.err = c.rw.Close()
	})
}

// ended says why the connection is over.
func (c *lineConn) ended() error {
	if c.cause != nil {
		return c.cause
	}
	return io.EOF
}

// SessionID is that of a connection which has none.
func (c *lineConn) SessionID() string { return "" }

const (
	maxRequest = 1 << 20 // bytes of a request
	closeGrace = time.Second
)
