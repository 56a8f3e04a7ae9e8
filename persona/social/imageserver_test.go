package social_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/tmc/langchaingo/llms"
)

// An imageServer serves pictures at every public address: at /name.png it returns the bytes of name.
type imageServer struct {
	mu          sync.Mutex
	dns         map[string][]string // DNS answers of a host in turn, the last one repeats; nil: a public address
	urls        []string            // hosts and paths
	addrs       []netip.AddrPort
	cancelTimes []time.Time
}

func (srv *imageServer) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	addr := "93.184.216.34"
	if answers := srv.dns[host]; len(answers) > 0 {
		addr = answers[0]
		srv.dns[host] = answers[min(1, len(answers)-1):]
	}
	return []netip.Addr{netip.MustParseAddr(addr)}, nil
}

func (srv *imageServer) connect(_ context.Context, to netip.AddrPort) (net.Conn, error) {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	srv.addrs = append(srv.addrs, to)
	here, there := net.Pipe()
	go srv.serve(there)
	return here, nil
}

func (srv *imageServer) serve(conn net.Conn) {
	defer conn.Close()
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	srv.mu.Lock()
	srv.urls = append(srv.urls, r.Host+r.URL.Path)
	srv.mu.Unlock()
	w := httptest.NewRecorder()
	switch name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".png"); name {
	case "slow":
		_, _ = io.Copy(io.Discard, conn)
		srv.mu.Lock()
		srv.cancelTimes = append(srv.cancelTimes, time.Now())
		srv.mu.Unlock()
		return
	case "missing":
		w.WriteHeader(http.StatusNotFound)
	case "page":
		_, _ = w.WriteString("<html>hello")
	case "bitmap": // a format that no model accepts
		_, _ = w.Write(append([]byte("BM"), make([]byte, 100)...))
	case "large":
		_, _ = w.Write(append(pngOf(""), make([]byte, 5000)...))
	case "redirect":
		http.Redirect(w, r, "http://"+r.URL.RawQuery+"/a.png", http.StatusFound)
	default:
		_, _ = w.Write(pngOf(name))
	}
	_ = w.Result().Write(conn)
}

func pngOf(name string) []byte { return append([]byte("\x89PNG\r\n\x1a\n"), name...) }

// requests returns the requests, sorted, because the pictures of one turn are fetched concurrently.
func (srv *imageServer) requests() []string {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return slices.Sorted(slices.Values(srv.urls))
}

// cancelled returns the times of cancelled requests for /slow.png.
func (srv *imageServer) cancelled() []time.Time {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return slices.Clone(srv.cancelTimes)
}

// dialed returns the dialed addresses.
func (srv *imageServer) dialed() []netip.AddrPort {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return slices.Clone(srv.addrs)
}

func picture(name string) onebot.Segment {
	return onebot.Image(name+".jpg").With("url", "http://pictures.example/"+name+".png")
}

// options makes a bot fetch its pictures from the server.
func (srv *imageServer) options(p social.Pictures) func(*social.Options) {
	return func(o *social.Options) { o.Reply.Pictures = p.Through(srv.resolve, srv.connect) }
}

// saw returns the names of the pictures in a prompt.
func saw(p modeltest.Prompt) (names []string) {
	for _, m := range p.Messages {
		for _, part := range m.Parts {
			if b, ok := part.(llms.BinaryContent); ok && m.Role == llms.ChatMessageTypeHuman && b.MIMEType == "image/png" {
				names = append(names, string(bytes.TrimPrefix(b.Data, pngOf(""))))
			}
		}
	}
	return names
}
