package onebot

import (
	"bufio"
	"context"
	"net"
	"net/http"
)

// readAhead is how much one system call may read. The WebSocket library reads 4 kB, which is three messages.
const readAhead = 64 << 10

// aheadConn reads ahead.
type aheadConn struct {
	net.Conn
	r *bufio.Reader
}

func ahead(c net.Conn) net.Conn { return &aheadConn{c, bufio.NewReaderSize(c, readAhead)} }

func (c *aheadConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// directClient dials without a proxy, which the default client would take from the environment.
func directClient() *http.Client {
	var d net.Dialer
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return ahead(c), nil
		},
	}}
}

// aheadWriter hands out a connection that reads ahead when it is hijacked.
type aheadWriter struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (w aheadWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return ahead(c), rw, nil
}

// WriteHeaderNow lets writers through that put the header off, such as gin's.
func (w aheadWriter) WriteHeaderNow() {
	if now, ok := w.ResponseWriter.(interface{ WriteHeaderNow() }); ok {
		now.WriteHeaderNow()
	}
}
