package onebot

import (
	"bufio"
	"context"
	"net"
	"net/http"
)

// readAhead is the size of one read from the socket. The WebSocket library reads only 4 kB at a time, about three
// messages.
const readAhead = 16 << 10

// aheadConn reads ahead.
type aheadConn struct {
	net.Conn
	r *bufio.Reader
}

func withReadAhead(c net.Conn) net.Conn { return &aheadConn{c, bufio.NewReaderSize(c, readAhead)} }

func (c *aheadConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// directClient returns a client without a proxy. The default client would use a proxy from the environment.
func directClient() *http.Client {
	var d net.Dialer
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return withReadAhead(c), nil
		},
	}}
}

// aheadWriter returns a connection that reads ahead when it is hijacked.
type aheadWriter struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (w aheadWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return withReadAhead(c), rw, nil
}

// WriteHeaderNow supports writers that delay the header, such as gin's.
func (w aheadWriter) WriteHeaderNow() {
	if now, ok := w.ResponseWriter.(interface{ WriteHeaderNow() }); ok {
		now.WriteHeaderNow()
	}
}
