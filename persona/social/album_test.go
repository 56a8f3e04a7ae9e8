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

// An album is an internet of pictures: at every public address stands a server that gives, at /name.png, the bytes of name.
type album struct {
	mu     sync.Mutex
	names  map[string][]string // what a host's look-ups give, in turn; the last stays; nil: a public address
	asked  []string            // hosts and paths
	dialed []netip.AddrPort
	closed []time.Time
}

func (a *album) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	addr := "93.184.216.34"
	if answers := a.names[host]; len(answers) > 0 {
		addr = answers[0]
		a.names[host] = answers[min(1, len(answers)-1):]
	}
	return []netip.Addr{netip.MustParseAddr(addr)}, nil
}

func (a *album) connect(_ context.Context, to netip.AddrPort) (net.Conn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dialed = append(a.dialed, to)
	here, there := net.Pipe()
	go a.serve(there)
	return here, nil
}

func (a *album) serve(conn net.Conn) {
	defer conn.Close()
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	a.mu.Lock()
	a.asked = append(a.asked, r.Host+r.URL.Path)
	a.mu.Unlock()
	w := httptest.NewRecorder()
	switch name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".png"); name {
	case "slow":
		_, _ = io.Copy(io.Discard, conn)
		a.mu.Lock()
		a.closed = append(a.closed, time.Now())
		a.mu.Unlock()
		return
	case "missing":
		w.WriteHeader(http.StatusNotFound)
	case "page":
		_, _ = w.WriteString("<html>hello")
	case "bitmap": // no model takes it
		_, _ = w.Write(append([]byte("BM"), make([]byte, 100)...))
	case "large":
		_, _ = w.Write(append(pictured(""), make([]byte, 5000)...))
	case "redirect":
		http.Redirect(w, r, "http://"+r.URL.RawQuery+"/a.png", http.StatusFound)
	default:
		_, _ = w.Write(pictured(name))
	}
	_ = w.Result().Write(conn)
}

func pictured(name string) []byte { return append([]byte("\x89PNG\r\n\x1a\n"), name...) }

// requests are what was asked for, sorted: pictures of one turn are fetched at once.
func (a *album) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(slices.Values(a.asked))
}

// ended are the times at which requests to /slow.png were given up.
func (a *album) ended() []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.closed)
}

// reached are the addresses that were dialled.
func (a *album) reached() []netip.AddrPort {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.dialed)
}

func picture(name string) onebot.Segment {
	return onebot.Image(name+".jpg").With("url", "http://pictures.example/"+name+".png")
}

// looking has a being look at the pictures of an album.
func (a *album) looking(p social.Pictures) func(*social.Options) {
	return func(o *social.Options) { o.Reply.Pictures = p.Through(a.resolve, a.connect) }
}

// saw are the names of the pictures of a prompt.
func saw(p modeltest.Prompt) (names []string) {
	for _, m := range p.Messages {
		for _, part := range m.Parts {
			if b, ok := part.(llms.BinaryContent); ok && m.Role == llms.ChatMessageTypeHuman && b.MIMEType == "image/png" {
				names = append(names, string(bytes.TrimPrefix(b.Data, pictured(""))))
			}
		}
	}
	return names
}
