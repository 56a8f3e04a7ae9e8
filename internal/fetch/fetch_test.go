package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var png = append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{0}, 100)...)

// An internet resolves names and serves every public address with one handler.
type internet struct {
	mu      sync.Mutex
	names   map[string][][]string // answers by name, in turn; the last one stays
	asked   []string
	reached []string
}

func (n *internet) resolve(_ context.Context, host string) (addrs []netip.Addr, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, host)
	answers := n.names[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		n.names[host] = answers[1:]
	}
	for _, s := range answers[0] {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	return addrs, nil
}

// behind returns a fetcher that reaches h at every address it dials.
func (n *internet) behind(t *testing.T, h http.HandlerFunc, o Options) *Fetcher {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.Resolve = n.resolve
	f := newFetcher(t, o)
	f.connect = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		n.mu.Lock()
		n.reached = append(n.reached, to.String())
		n.mu.Unlock()
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return f
}

func TestGet_AcceptsAndRefuses(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	n := &internet{names: map[string][][]string{"pictures.example": {{"::ffff:93.184.216.34"}}, "empty.example": {{}}}}
	var seen http.Header
	f := n.behind(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		switch r.URL.Path {
		case "/cat.png":
			_, _ = w.Write(png)
		case "/untold":
			w.Header()["Content-Type"] = nil
			_, _ = w.Write(png)
		case "/bytes":
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(png)
		case "/page":
			_, _ = io.WriteString(w, "<html>secret")
		case "/lie":
			w.Header().Set("Content-Type", "image/png")
			_, _ = io.WriteString(w, "root:x:0:0")
		case "/mean":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(png)
		case "/odd":
			w.Header().Set("Content-Type", "image/png; a=b; a=c;;")
			_, _ = w.Write(png)
		case "/zipped":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "image/png")
			z := gzip.NewWriter(w)
			_, _ = z.Write(png)
			_ = z.Close()
		case "/claimed":
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write(png)
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(png)
		default:
			w.Header().Set("Content-Type", "image/png")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(png)
		}
	}, Options{})
	for path, want := range map[string]error{
		"/cat.png": nil, "/untold": nil, "/bytes": nil, "/page": ErrType, "/lie": ErrType, "/mean": ErrType, "/odd": ErrType, "/zipped": ErrType, "/claimed": ErrType,
		"/missing": ErrStatus, "/cut": io.ErrUnexpectedEOF,
	} {
		file, err := f.Get(t.Context(), "http://pictures.example"+path)
		if want != nil {
			assert.ErrorIs(t, err, want, path)
			assert.Zero(t, file)
			continue
		}
		if assert.NoError(t, err, path) {
			assert.Equal(t, File{png, "image/png"}, file)
		}
		assert.Equal(t, http.Header{"User-Agent": {"hearth"}, "Accept-Encoding": {"identity"}, "Connection": {"close"}}, seen)
	}
	for _, to := range n.reached {
		assert.Equal(t, "93.184.216.34:80", to)
	}
	_, err := f.Get(t.Context(), "http://nobody.example/")
	assert.ErrorContains(t, err, "no such host")
	_, err = f.Get(t.Context(), "http://empty.example/")
	assert.ErrorContains(t, err, "no address")
	_, err = f.Get(t.Context(), "http://pictures.example:22/")
	assert.ErrorIs(t, err, ErrURL)
}

func TestGet_Limits(t *testing.T) {
	n := &internet{names: map[string][][]string{"a.example": {{"1.1.1.1"}}}}
	f := n.behind(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		switch r.URL.Path {
		case "/exact":
			_, _ = w.Write(append(png, make([]byte, 1000-len(png))...))
		case "/told":
			w.Header().Set("Content-Length", "1001")
			_, _ = w.Write(make([]byte, 1001))
		case "/endless":
			for {
				if _, err := w.Write(png); err != nil {
					return
				}
			}
		case "/headers":
			for i := range 5000 {
				w.Header().Add(fmt.Sprint("X-", i), strings.Repeat("x", 100))
			}
		}
	}, Options{MaxBytes: 1000})
	file, err := f.Get(t.Context(), "http://a.example/exact")
	require.NoError(t, err)
	assert.Len(t, file.Data, 1000)
	for _, path := range []string{"/told", "/endless"} {
		_, err := f.Get(t.Context(), "http://a.example"+path)
		assert.ErrorIs(t, err, ErrTooLarge, path)
	}
	_, err = f.Get(t.Context(), "http://a.example/headers")
	assert.ErrorContains(t, err, "headers")
	for _, o := range []Options{{MaxBytes: -1}, {Timeout: -1}} {
		_, err := New(o)
		assert.Error(t, err)
	}
}

// TestGet_DNSRebinding uses a name that resolves to a public address first and to a private one afterwards. Each connection
// looks up the name once, and the private address is refused.
func TestGet_DNSRebinding(t *testing.T) {
	n := &internet{names: map[string][][]string{
		"rebind.example": {{"1.1.1.1"}, {"127.0.0.1"}},
		"mixed.example":  {{"1.1.1.1", "10.0.0.1"}},
		"mapped.example": {{"::ffff:127.0.0.1"}},
		"zone.example":   {{"fe80::1%eth0"}},
		"nat64.example":  {{"64:ff9b::7f00:1"}},
		"local.example":  {{"169.254.169.254"}},
		"localhost":      {{"127.0.0.1"}},
	}}
	f := n.behind(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "http://rebind.example/", http.StatusFound)
			return
		}
		_, _ = w.Write(png)
	}, Options{})
	_, err := f.Get(t.Context(), "http://rebind.example/")
	require.NoError(t, err)
	assert.Equal(t, []string{"rebind.example"}, n.asked, "looked up once")
	assert.Equal(t, []string{"1.1.1.1:80"}, n.reached)
	for _, host := range []string{"rebind.example", "mixed.example", "mapped.example", "zone.example", "nat64.example", "local.example", "localhost"} {
		_, err := f.Get(t.Context(), "http://"+host+"/")
		assert.ErrorIs(t, err, ErrAddress, host)
		_, err = f.Get(t.Context(), "https://"+host+"/")
		assert.ErrorIs(t, err, ErrAddress, host)
	}
	n.names["rebind.example"] = [][]string{{"1.1.1.1"}, {"127.0.0.1"}}
	_, err = f.Get(t.Context(), "http://rebind.example/again")
	assert.ErrorIs(t, err, ErrAddress)
	assert.Len(t, n.reached, 2, "nothing else was dialled")
}

func TestGet_Redirects(t *testing.T) {
	n := &internet{names: map[string][][]string{"a.example": {{"1.1.1.1"}}, "b.example": {{"2.2.2.2", "2606:4700::1"}}, "inside.example": {{"192.168.0.1"}}}}
	f := n.behind(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Referer"))
		assert.Empty(t, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		to := r.URL.Query().Get("to")
		switch {
		case r.URL.Path == "/loop":
			to = "/loop"
		case r.URL.Path == "/nowhere":
			w.WriteHeader(http.StatusFound)
			return
		case to == "":
			_, _ = w.Write(png)
			return
		}
		w.Header().Set("Location", to)
		w.WriteHeader([]int{301, 302, 303, 307, 308}[len(to)%5])
	}, Options{})
	get := func(to string) error {
		n.reached = nil
		_, err := f.Get(t.Context(), "http://a.example/?to="+to)
		return err
	}
	for _, to := range []string{"/there", "//b.example/x", "http://b.example:443/", "?"} {
		assert.NoError(t, get(to), to)
		assert.Len(t, n.reached, 2)
	}
	for _, to := range []string{
		"http://127.0.0.1/", "//127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://a.example:6379/", "file:///etc/passwd", "gopher://b.example/",
		"http://me@b.example/", "http://[fe80::1%2525eth0]/", "//%5bfe80::1%2525eth0%5d/", "http://exa%20mple/", "http://%2500/",
	} {
		assert.ErrorIs(t, get(to), ErrURL, to)
		assert.Len(t, n.reached, 1, to)
	}
	assert.ErrorIs(t, get("http://inside.example/"), ErrAddress)
	assert.Len(t, n.reached, 1)
	n.reached = nil
	_, err := f.Get(t.Context(), "http://a.example/loop")
	assert.ErrorIs(t, err, ErrRedirects)
	assert.Len(t, n.reached, 5)
	_, err = f.Get(t.Context(), "http://a.example/nowhere")
	assert.Error(t, err)
}

// TestConnect_ChecksTheSocket connects to private addresses that the resolver did not check.
func TestConnect_ChecksTheSocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	for _, to := range []netip.AddrPort{
		netip.MustParseAddrPort(l.Addr().String()),
		netip.AddrPortFrom(netip.MustParseAddr("::ffff:127.0.0.1"), uint16(l.Addr().(*net.TCPAddr).Port)),
		netip.AddrPortFrom(netip.MustParseAddr("0.0.0.0"), uint16(l.Addr().(*net.TCPAddr).Port)),
	} {
		_, err := connect(t.Context(), to)
		assert.ErrorIs(t, err, ErrAddress, to)
	}
	assert.NoError(t, control("tcp4", "1.1.1.1:80", nil))
	assert.ErrorIs(t, control("tcp6", "[fe80::1%eth0]:80", nil), ErrAddress)
	assert.ErrorIs(t, control("unix", "/run/docker.sock", nil), ErrAddress)
}

func TestDial_TriesTheNextAddress(t *testing.T) {
	n := &internet{names: map[string][][]string{"many.example": {{"2606:4700::1", "1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"}}}}
	f := n.behind(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(png) }, Options{})
	reach := f.connect
	f.connect = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		conn, err := reach(ctx, to)
		if to.Addr() == netip.MustParseAddr("1.1.1.2") {
			return conn, err
		}
		_ = conn.Close()
		return nil, errors.New("unreachable")
	}
	_, err := f.Get(t.Context(), "http://many.example/")
	require.NoError(t, err)
	assert.Equal(t, []string{"[2606:4700::1]:80", "1.1.1.1:80", "1.1.1.2:80"}, n.reached)
	n.reached, f.connect = nil, func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
		n.reached = append(n.reached, to.String())
		return nil, errors.New("unreachable")
	}
	_, err = f.Get(t.Context(), "http://many.example/")
	assert.ErrorContains(t, err, "unreachable")
	assert.Len(t, n.reached, maxTries)
}

// TestGet_SlowServer uses servers that send one byte at a time, at every stage of a request. Get must end with the timeout.
func TestGet_SlowServer(t *testing.T) {
	for name, head := range map[string]string{
		"status":   "",
		"headers":  "HTTP/1.1 200 OK\r\nX-Slow: ",
		"body":     "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n\x89PNG\r\n\x1a\n",
		"chunks":   "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n",
		"redirect": "HTTP/1.1 302 Found\r\nLocation: ",
		"https":    "\x16\x03\x03\x40\x00", // the head of a long TLS record
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFetcher(t, Options{Timeout: 10 * time.Second})
			var served sync.WaitGroup
			defer served.Wait() // the connection is closed
			f.connect = func(context.Context, netip.AddrPort) (net.Conn, error) {
				here, there := net.Pipe()
				served.Go(func() {
					defer there.Close()
					_, _ = there.Read(make([]byte, 4096))
					_, err := io.WriteString(there, head)
					for err == nil {
						time.Sleep(time.Second)
						_, err = io.WriteString(there, "1")
					}
				})
				return here, nil
			}
			url := "http://1.1.1.1/"
			if name == "https" {
				url = "https://1.1.1.1/"
			}
			began := time.Now()
			_, err := f.Get(t.Context(), url)
			assert.ErrorIs(t, err, ErrTimeout, name)
			assert.Equal(t, 10*time.Second, time.Since(began), name)

			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = f.Get(ctx, url)
			assert.ErrorIs(t, err, context.DeadlineExceeded, name)
			assert.NotErrorIs(t, err, ErrTimeout, name)
		})
	}
}

// TestGet_SlowResolver uses a resolver that never answers.
func TestGet_SlowResolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFetcher(t, Options{Resolve: func(ctx context.Context, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		began := time.Now()
		_, err := f.Get(t.Context(), "http://slow.example/")
		assert.ErrorIs(t, err, ErrTimeout)
		assert.Equal(t, 20*time.Second, time.Since(began))
	})
}

func TestGet_ErrorsDoNotHoldTheURL(t *testing.T) {
	n := &internet{names: map[string][][]string{"a.example": {{"1.1.1.1"}}}}
	f := n.behind(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			http.Redirect(w, r, "http://x:SECRET@b.example/", http.StatusFound)
		}
		w.WriteHeader(http.StatusForbidden)
	}, Options{})
	for _, u := range []string{"http://a.example/?key=SECRET", "http://a.example/go?key=SECRET", "http://u:SECRET@a.example/", "http://a.example:99/SECRET", "http://a.example/%zzSECRET"} {
		_, err := f.Get(t.Context(), u)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "SECRET")
	}
}

// TestGet_ChecksCertificates checks that the certificate must match the name, although the address is dialed.
func TestGet_ChecksCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(png) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	f := newFetcher(t, Options{})
	f.connect = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	_, err := f.Get(t.Context(), "https://1.1.1.1/")
	var bad *tls.CertificateVerificationError
	assert.ErrorAs(t, err, &bad)
}
