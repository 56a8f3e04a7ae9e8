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

// deleteTimeout limits the request that ends an HTTP session.
const deleteTimeout = time.Second

// boundedTransport limits an HTTP server. It cuts bodies at maxBody bytes, cancels them at the end of the session,
// follows no redirect, and opens no notification stream.
type boundedTransport struct {
	afterSession func(context.CancelFunc) (stop func() bool) // calls cancel when the session ends
	next         http.RoundTripper
	header       http.Header
	maxBody      int64
	version      atomic.Pointer[string] // negotiated protocol version
}

// dialHTTP returns the transport of a session with s. idle closes its connections.
func dialHTTP(ctx context.Context, s *Source, maxBody int) (t *sdk.StreamableClientTransport, r *boundedTransport, idle func()) {
	r = &boundedTransport{next: s.Transport, header: s.Header, maxBody: int64(maxBody)}
	r.afterSession = func(cancel context.CancelFunc) func() bool { return context.AfterFunc(ctx, cancel) }
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
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxBody}, r, idle
}

func (r *boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := r.afterSession(cancel)
	if req.Method == http.MethodDelete {
		stop() // it is sent after the end of the session
		late := time.AfterFunc(deleteTimeout, cancel)
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
	res.Body = &body{ReadCloser: res.Body, left: r.maxBody, end: sync.OnceFunc(end)}
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
