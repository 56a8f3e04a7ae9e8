package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hearth-bot/hearth/nit/mcp"
)

// drain is how long calls have to end after the input did.
const drain = 300 * time.Millisecond

// serveLines serves the client that started us. Nothing else may write to out.
func (p *program) serveLines(ctx context.Context, cancel context.CancelFunc, in io.Reader, out io.Writer) error {
	// A read of standard input cannot be interrupted, so it is nobody's: it ends with the input, or the process.
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
		p.hangUp()
		time.AfterFunc(drain, cancel)
	}()
	return p.server.Serve(ctx, r, out)
}

// hangUp tells calls that wait that nobody listens any more.
func (p *program) hangUp() { p.once.Do(func() { close(p.leaving) }) }

// bodyTime is how long the body of a request may take to arrive: what it asks for may take longer.
const bodyTime = 10 * time.Second

// prompt ends connections on which a body takes longer to arrive, be it read or, of a request that was refused, passed over.
func prompt(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			conn := http.NewResponseController(w)
			// Where there are no deadlines there is no limit either.
			if conn.SetReadDeadline(time.Now().Add(limit)) == nil {
				r.Body = &timed{r.Body, func() { _ = conn.SetReadDeadline(time.Time{}) }}
			}
		}
		h.ServeHTTP(w, r)
	})
}

// timed is a body that has arrived when its end is read.
type timed struct {
	io.ReadCloser
	arrived func()
}

func (t *timed) Read(b []byte) (n int, err error) {
	if n, err = t.ReadCloser.Read(b); err == io.EOF {
		t.arrived()
	}
	return n, err
}

// serveHTTP serves whoever knows the token.
func (p *program) serveHTTP(ctx context.Context) error {
	l, err := net.Listen("tcp", p.o.listen)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
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
	web := &http.Server{Handler: prompt(mux, bodyTime), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	p.log.Info("serving MCP", "url", "http://"+l.Addr().String()+"/mcp")
	select {
	case err = <-served:
	case <-ctx.Done():
		p.hangUp()
		web.Close()
		p.server.Close()
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
