package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Errors of [Fetcher.Get], in addition to network errors and the error of the context.
var (
	ErrURL       = errors.New("fetch: URL not allowed")
	ErrAddress   = errors.New("fetch: address is not public")
	ErrRedirects = errors.New("fetch: too many redirects")
	ErrStatus    = errors.New("fetch: request failed")
	ErrType      = errors.New("fetch: media type not accepted")
	ErrTooLarge  = errors.New("fetch: too large")
	ErrTimeout   = errors.New("fetch: timeout")
)

// Options limit a download. The zero value downloads pictures.
type Options struct {
	MaxBytes  int64         // largest body; 0 means 10 MiB
	Timeout   time.Duration // from the first look-up to the last byte, including redirects; 0 means 20 s
	Redirects int           // most redirects to follow; 0 means 4, negative means none
	Types     []string      // accepted media types; nil means those of [Images]
	AnyType   bool          // accepts every media type. The caller must check the content
	Truncate  bool          // cuts a larger body at MaxBytes; otherwise it is an error
	Ports     []int         // accepted ports; nil means 80 and 443

	// Resolve looks up a host; nil uses the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Connect connects to a checked address; nil opens a socket and checks the address again. For tests.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Images returns the media types of pictures that QQ shows and [Sniff] recognizes.
func Images() []string {
	return []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"}
}

// A Fetcher downloads files. All methods may be called concurrently.
type Fetcher struct {
	o       Options
	connect func(context.Context, netip.AddrPort) (net.Conn, error)
}

// A File is a downloaded file.
type File struct {
	Data []byte
	Type string // media type by its first bytes, such as "image/png"
}

// New returns a Fetcher, or an error if a limit is negative.
func New(o Options) (*Fetcher, error) {
	f := &Fetcher{o: o, connect: connect}
	if f.o.MaxBytes < 0 || f.o.Timeout < 0 {
		return nil, errors.New("fetch: MaxBytes or Timeout is negative")
	}
	f.o.MaxBytes = cmp.Or(f.o.MaxBytes, 10<<20)
	f.o.Timeout = cmp.Or(f.o.Timeout, 20*time.Second)
	f.o.Redirects = max(cmp.Or(f.o.Redirects, 4), 0)
	if f.o.Types = slices.Clone(f.o.Types); f.o.Types == nil {
		f.o.Types = Images()
	}
	if f.o.Ports = slices.Clone(f.o.Ports); f.o.Ports == nil {
		f.o.Ports = []int{80, 443}
	}
	if f.o.Resolve == nil {
		f.o.Resolve = resolve
	}
	if f.o.Connect != nil {
		f.connect = f.o.Connect
	}
	return f, nil
}

// Get downloads a URL. Its errors do not contain the URL, because it may be secret.
func (f *Fetcher) Get(ctx context.Context, rawURL string) (File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.o.Timeout, ErrTimeout)
	defer cancel()
	file, err := f.follow(ctx, rawURL)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return file, err
}

func (f *Fetcher) follow(ctx context.Context, rawURL string) (File, error) {
	u, err := f.check(rawURL)
	for hops := 0; err == nil; hops++ {
		var resp *http.Response
		if resp, err = f.request(ctx, u); err != nil {
			break
		}
		if !isRedirect(resp.StatusCode) {
			defer resp.Body.Close()
			return f.read(resp)
		}
		_ = resp.Body.Close()
		if hops == f.o.Redirects {
			return File{}, ErrRedirects
		}
		var next *url.URL
		if next, err = u.Parse(resp.Header.Get("Location")); err != nil {
			return File{}, fmt.Errorf("%w: invalid redirect", ErrURL)
		}
		u, err = f.check(next.String())
	}
	return File{}, err
}

// request makes one request. The transport follows no redirects and keeps no cookies.
func (f *Fetcher) request(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: invalid URL", ErrURL)
	}
	req.Header.Set("User-Agent", "hearth")
	req.Header.Set("Accept-Encoding", "identity")
	return f.transport(ctx).RoundTrip(req)
}

// transport returns a transport for one request. Transports continue to dial after a request is cancelled, so the
// connection is bound to ctx here: after ctx is done, no connection is open.
func (f *Fetcher) transport(ctx context.Context) *http.Transport {
	return &http.Transport{ // no Proxy
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			conn, err := f.dial(ctx, address)
			if err == nil {
				context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		},
		DisableKeepAlives:      true,
		DisableCompression:     true, // a small body could expand to a large one
		MaxResponseHeaderBytes: 64 << 10,
	}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (f *Fetcher) read(resp *http.Response) (File, error) {
	switch {
	case resp.StatusCode != http.StatusOK:
		return File{}, fmt.Errorf("%w: status %d", ErrStatus, resp.StatusCode)
	case resp.ContentLength > f.o.MaxBytes && !f.o.Truncate:
		return File{}, ErrTooLarge
	case resp.Header.Get("Content-Encoding") != "" || !f.accepts(resp.Header.Get("Content-Type")):
		return File{}, ErrType
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, f.o.MaxBytes+1))
	switch {
	case err != nil:
		return File{}, err
	case int64(len(data)) > f.o.MaxBytes && !f.o.Truncate:
		return File{}, ErrTooLarge
	}
	data = data[:min(int64(len(data)), f.o.MaxBytes)]
	kind := Sniff(data)
	if !f.o.AnyType && !slices.Contains(f.o.Types, kind) {
		return File{}, ErrType
	}
	return File{data, kind}, nil
}

// accepts reports whether the Content-Type header is accepted: a wanted type, or an unknown one.
func (f *Fetcher) accepts(contentType string) bool {
	if contentType == "" || f.o.AnyType {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch kind {
	case "application/octet-stream", "binary/octet-stream":
		return true
	case "image/jpg":
		kind = "image/jpeg"
	}
	return slices.Contains(f.o.Types, kind)
}

// Sniff returns the media type of data by its first bytes, without parameters.
func Sniff(data []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return kind
}
