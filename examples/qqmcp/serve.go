package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/nit/mcp"
)

// drainTimeout is the time for calls to finish after the end of the input.
const drainTimeout = 300 * time.Millisecond

// serveLines serves the client on standard input and output. Nothing else may write to out.
func (p *program) serveLines(ctx context.Context, cancel context.CancelFunc, in io.Reader, out io.Writer) error {
	// Reading standard input cannot be interrupted, so this goroutine ends with the input or the process.
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
		p.closeWaits()
		time.AfterFunc(drainTimeout, cancel)
	}()
	return p.server.Serve(ctx, r, out)
}

// closeWaits ends waiting calls.
func (p *program) closeWaits() { p.once.Do(func() { close(p.closing) }) }

// bodyTimeout limits the time for the body of a request. The call itself may take longer.
const bodyTimeout = 10 * time.Second

// limitBodyTime closes connections whose body takes too long, even if the request was rejected.
func limitBodyTime(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			conn := http.NewResponseController(w)
			// Without support for deadlines there is no limit.
			if conn.SetReadDeadline(time.Now().Add(limit)) == nil {
				r.Body = &timedBody{r.Body, func() { _ = conn.SetReadDeadline(time.Time{}) }}
			}
		}
		h.ServeHTTP(w, r)
	})
}

// A timedBody calls arrived at the end of a body.
type timedBody struct {
	io.ReadCloser
	arrived func()
}

func (t *timedBody) Read(b []byte) (n int, err error) {
	if n, err = t.ReadCloser.Read(b); err == io.EOF {
		t.arrived()
	}
	return n, err
}

// serveHTTP serves clients with the token.
func (p *program) serveHTTP(ctx context.Context) error {
	l, err := net.Listen("tcp", p.o.listen)
	if err != nil {
		return lang.Errorf("--http %s 听不了：%v", "--http: %[2]v", p.o.listen, err)
	}
	token := p.o.listenToken
	if token == "" {
		token = rand.Text()
		p.log.Warn("no --http-token is given: clients of this run send the one that was made up", "authorization", "Bearer "+token)
	}
	handler, err := p.server.Handler(mcp.HTTPOptions{Token: token})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	web := &http.Server{Handler: limitBodyTime(mux, bodyTimeout), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	p.log.Info("serving MCP", "url", "http://"+l.Addr().String()+"/mcp")
	select {
	case err = <-served:
	case <-ctx.Done():
		p.closeWaits()
		web.Close()
		p.server.Close()
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
