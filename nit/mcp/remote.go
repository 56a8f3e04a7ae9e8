package mcp

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// goodbye is how long a server over HTTP is given to hear that its session ends.
const goodbye = time.Second

// remote bounds what a server over HTTP can do: bodies are cut at most bytes and end with the session, nothing is redirected,
// no stream is kept open beside the answers.
type remote struct {
	atEnd   func(context.CancelFunc) (stop func() bool) // calls one when the session ends
	next    http.RoundTripper
	header  http.Header
	most    int64
	version atomic.Pointer[string] // of the protocol, once agreed upon
}

// dialHTTP makes the transport to s for a session. idle closes its connections.
func dialHTTP(ctx context.Context, s *Source, most int) (t *sdk.StreamableClientTransport, r *remote, idle func()) {
	r = &remote{next: s.Transport, header: s.Header, most: int64(most)}
	r.atEnd = func(cancel context.CancelFunc) func() bool { return context.AfterFunc(ctx, cancel) }
	idle = func() {}
	if r.next == nil {
		own := &http.Transport{
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2:      true,
		}
		r.next, idle = own, own.CloseIdleConnections
	}
	client := &http.Client{Transport: r, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: most}, r, idle
}

func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := r.atEnd(cancel)
	if req.Method == http.MethodDelete {
		stop() // it is sent when the session is over
		late := time.AfterFunc(goodbye, cancel)
		stop = late.Stop
	}
	end := func() { stop(); cancel() }
	req = req.Clone(ctx)
	for k, v := range r.header {
		req.Header[http.CanonicalHeaderKey(k)] = v
	}
	if v := r.version.Load(); v != nil {
		req.Header.Set(versionHeader, *v)
	}
	res, err := r.next.RoundTrip(req)
	if err != nil {
		end()
		return nil, err
	}
	res.Body = &body{ReadCloser: res.Body, left: r.most, end: sync.OnceFunc(end)}
	return res, nil
}

type body struct {
	io.ReadCloser
	left int64
	end  func()
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}

func (b *body) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
