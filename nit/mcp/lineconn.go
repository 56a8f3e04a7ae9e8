package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var (
	errTooLong      = errors.New("mcp: message too long")
	errNotJSON      = errors.New("mcp: a line is not valid JSON")
	errWriteTimeout = errors.New("mcp: write timeout: the other side does not read")
)

// A lineConn sends and receives messages as lines of JSON. The SDK's own connection ends at the first invalid line. A
// lineConn calls onInvalid instead, buffers at most maxLine bytes of a line, and closes when a write exceeds
// writeTimeout.
type lineConn struct {
	rw           io.ReadWriteCloser
	maxLine      int
	writeTimeout time.Duration                    // 0 means none
	skipLong     bool                             // skip a line that is too long instead of ending
	onInvalid    func(line []byte, e error) error // gets an invalid line (nil if too long); its error ends the connection

	lines     chan line
	writeLock chan struct{} // holds a token while nobody writes
	closed    chan struct{} // closed by Close
	readers   sync.WaitGroup
	once      sync.Once
	err       error // from closing rw
	cause     error // reason for the end, set before closed is closed; nil after Close
}

type line struct {
	text []byte
	err  error
}

func newLineConn(rw io.ReadWriteCloser, maxLine int, writeTimeout time.Duration, skipLong bool) *lineConn {
	c := &lineConn{rw: rw, maxLine: maxLine, writeTimeout: writeTimeout, skipLong: skipLong, lines: make(chan line), writeLock: make(chan struct{}, 1), closed: make(chan struct{})}
	c.writeLock <- struct{}{}
	// a goroutine, because Close may not unblock a read, for instance of a terminal
	c.readers.Go(c.read)
	return c
}

func (c *lineConn) read() {
	r := bufio.NewReaderSize(c.rw, 32<<10)
	for {
		text, err := readLine(r, c.maxLine, c.skipLong)
		if err == nil && len(text) == 0 {
			continue
		}
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
		if err != nil && (err != errTooLong || !c.skipLong) {
			return
		}
	}
}

// readLine reads a line without its end. It discards a line longer than limit and returns errTooLong: at the end of the
// line if skip is set, otherwise at once. The last line needs no line end.
func readLine(r *bufio.Reader, limit int, skip bool) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > limit+2; long && !skip {
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

// Read returns the next message.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		text, err := c.next(ctx)
		switch {
		case err == nil:
			var m jsonrpc.Message
			if m, err = jsonrpc.DecodeMessage(text); err == nil && json.Valid(text) {
				return m, nil
			} else if err == nil { // the SDK ignores a second message on the line
				err = errNotJSON
			}
		case err != errTooLong:
			return nil, err
		}
		if err := c.onInvalid(text, err); err != nil {
			return nil, err
		}
	}
}

// next returns the next line.
func (c *lineConn) next(ctx context.Context) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, c.closeError()
	case l := <-c.lines:
		return l.text, l.err
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
	case <-c.closed:
		return c.closeError()
	case <-c.writeLock:
	}
	if c.writeTimeout > 0 {
		defer time.AfterFunc(c.writeTimeout, func() { c.end(errWriteTimeout) }).Stop()
	}
	// Close may not unblock a write either, so it runs on a goroutine that can be abandoned.
	wrote := make(chan error, 1)
	go func() {
		_, err := c.rw.Write(text)
		c.writeLock <- struct{}{}
		wrote <- err
	}()
	select {
	case err := <-wrote:
		return err
	case <-c.closed:
	}
	select {
	case err := <-wrote:
		return err
	case <-time.After(closeGrace):
		return c.closeError()
	}
}

// Close closes the connection without waiting for the other side.
func (c *lineConn) Close() error {
	c.end(nil)
	return c.err
}

func (c *lineConn) end(cause error) {
	c.once.Do(func() {
		c.cause = cause
		close(c.closed)
		c.err = c.rw.Close()
	})
}

// closeError returns the reason the connection is closed.
func (c *lineConn) closeError() error {
	if c.cause != nil {
		return c.cause
	}
	return io.EOF
}

// SessionID returns "": line connections have no id.
func (c *lineConn) SessionID() string { return "" }

const (
	maxRequest = 1 << 20 // bytes
	closeGrace = time.Second
)
