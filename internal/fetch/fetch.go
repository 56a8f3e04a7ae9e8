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

// What [Fetcher.Get] can end with, beside errors of the network and of the context.
var (
	ErrURL       = errors.New("fetch: not a URL that is fetched")
	ErrAddress   = errors.New("fetch: not a public address")
	ErrRedirects = errors.New("fetch: too many redirects")
	ErrStatus    = errors.New("fetch: not found, or refused by the server")
	ErrType      = errors.New("fetch: not of a type that is wanted")
	ErrTooLarge  = errors.New("fetch: too large")
	ErrTimeout   = errors.New("fetch: took too long")
)

// Options bound what is fetched. The zero value is for pictures.
type Options struct {
	MaxBytes  int64         // of what is fetched; 0 means 10 MiB
	Timeout   time.Duration // from the first look-up to the last byte, redirects included; 0 means 20 s
	Redirects int           // that are followed; 0 means 4, negative none
	Types     []string      // media types that are wanted; nil means those of [Images]
	Ports     []int         // nil means 80 and 443

	// Resolve looks a host up; nil asks the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Connect opens a connection to an address that was checked; nil opens a socket, and checks it once more. For tests.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Images are the media types of pictures that QQ shows and [Sniff] knows.
func Images() []string {
	return []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"}
}

// A Fetcher fetches. All methods may be called concurrently.
type Fetcher struct {
	o       Options
	connect func(context.Context, netip.AddrPort) (net.Conn, error)
}

// A File is what was fetched.
type File struct {
	Data []byte
	Type string // as its bytes say, such as "image/png"
}

// New returns a Fetcher, or an error if a bound is negative.
func New(o Options) (*Fetcher, error) {
	f := &Fetcher{o: o, connect: connect}
	if f.o.MaxBytes < 0 || f.o.Timeout < 0 {
		return nil, errors.New("fetch: a negative bound")
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

// Get fetches what stands at a URL. Its errors do not hold the URL, which may be secret.
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
		if resp, err = f.ask(ctx, u); err != nil {
			break
		}
		if !redirects(resp.StatusCode) {
			defer resp.Body.Close()
			return f.read(resp)
		}
		_ = resp.Body.Close()
		if hops == f.o.Redirects {
			return File{}, ErrRedirects
		}
		var next *url.URL
		if next, err = u.Parse(resp.Header.Get("Location")); err != nil {
			return File{}, fmt.Errorf("%w: a redirect to what cannot be read", ErrURL)
		}
		u, err = f.check(next.String())
	}
	return File{}, err
}

// ask makes one request. The transport itself follows no redirect and keeps no cookie.
func (f *Fetcher) ask(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be read", ErrURL)
	}
	req.Header.Set("User-Agent", "hearth")
	req.Header.Set("Accept-Encoding", "identity")
	return f.transport(ctx).RoundTrip(req)
}

// transport is for one request. A transport goes on dialling when a request is given up, so what it dials is bound to
// ctx here: when that ends, nothing is open any more.
func (f *Fetcher) transport(ctx context.Context) *http.Transport {
	return &http.Transport{ // without Proxy
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			conn, err := f.dial(ctx, address)
			if err == nil {
				context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		},
		DisableKeepAlives:      true,
		DisableCompression:     true, // or a small answer could be a large one
		MaxResponseHeaderBytes: 64 << 10,
	}
}

func redirects(status int) bool {
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
	case resp.ContentLength > f.o.MaxBytes:
		return File{}, ErrTooLarge
	case resp.Header.Get("Content-Encoding") != "" || !f.declares(resp.Header.Get("Content-Type")):
		return File{}, ErrType
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, f.o.MaxBytes+1))
	switch {
	case err != nil:
		return File{}, err
	case int64(len(data)) > f.o.MaxBytes:
		return File{}, ErrTooLarge
	}
	kind := Sniff(data)
	if !slices.Contains(f.o.Types, kind) {
		return File{}, ErrType
	}
	return File{data, kind}, nil
}

// declares reports whether a server calls what it sends something that is wanted, or does not know.
func (f *Fetcher) declares(contentType string) bool {
	if contentType == "" {
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

// Sniff tells a media type, without parameters, by the first bytes.
func Sniff(data []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return kind
}
