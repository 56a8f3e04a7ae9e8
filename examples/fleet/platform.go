package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A platform simulates a chat platform with many accounts. Each has a forward WebSocket at /NUMBER?process=NAME. A new connection of
// an account replaces the old one.
type platform struct {
	accounts  []*account
	url       string // of the accounts, without the number
	server    *http.Server
	connected func(a *account, process string, at time.Time)
}

// An account is one account of the platform, with its groups.
type account struct {
	being  string
	qq     *onebottest.Server
	groups []*onebottest.Group

	mu     sync.Mutex
	holder string    // process of the last connection
	online bool      // it is still connected
	lost   time.Time // end of the last connection
	said   map[int64][]int
	marks  int
	end    context.CancelFunc // ends the present connection
	ended  chan struct{}      // closed when it has ended
}

const (
	firstAccount = 20001
	firstGroup   = 700001
)

// newPlatform returns a platform that is served until close. seed selects the message ids and the number of groups.
func newPlatform(accounts int, seed uint64, connected func(*account, string, time.Time)) (*platform, error) {
	p := &platform{connected: connected}
	for i := range accounts {
		a := &account{being: fmt.Sprintf("being-%03d", i+1), said: map[int64][]int{}, ended: make(chan struct{})}
		close(a.ended)
		a.qq = onebottest.New(onebottest.Options{SelfID: int64(firstAccount + i), Nickname: a.being, Seed: seed + uint64(i), Heartbeat: 10 * time.Second})
		for n := range 1 + (uint64(i)+seed)%2 {
			g := a.qq.Group(int64(firstGroup+10*i)+int64(n), groupNames[(uint64(i)+n)%uint64(len(groupNames))])
			for _, person := range people {
				g.Member(person.id, person.name)
			}
			a.groups = append(a.groups, g)
		}
		p.accounts = append(p.accounts, a)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.url = "ws://" + l.Addr().String() + "/"
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go p.server.Serve(l) // until close
	return p, nil
}

// ServeHTTP serves the WebSocket of an account.
func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Path[1:])
	if n -= firstAccount; err != nil || n < 0 || n >= len(p.accounts) {
		http.NotFound(w, r)
		return
	}
	a := p.accounts[n]
	process := r.URL.Query().Get("process")
	ctx, end := context.WithCancel(r.Context())
	defer end()
	mine := make(chan struct{})
	a.mu.Lock()
	a.cut()
	before := a.ended
	a.end, a.ended = end, mine
	a.mu.Unlock()
	defer close(mine)
	<-before // the old connection gets nothing any more
	if ctx.Err() != nil {
		return
	}
	a.mu.Lock()
	a.holder, a.online = process, true
	a.mu.Unlock()
	p.connected(a, process, time.Now())
	r.URL.Path = "/"
	a.qq.ServeHTTP(w, r.WithContext(ctx))
	a.mu.Lock()
	a.online, a.lost = false, time.Now()
	a.mu.Unlock()
}

// cut ends the present connection.
func (a *account) cut() {
	if a.end != nil {
		a.end()
	}
}

func (p *platform) close() {
	p.server.Close()
	for _, a := range p.accounts {
		a.qq.Close()
	}
}

// held returns the accounts whose last connection is that of a process.
func (p *platform) held(process string) (all []*account) {
	for _, a := range p.accounts {
		a.mu.Lock()
		if a.holder == process {
			all = append(all, a)
		}
		a.mu.Unlock()
	}
	return all
}

// dial connects each account by reverse WebSocket to one process after the other until ctx ends. next returns the name and the
// address of the next one.
func (p *platform) dial(ctx context.Context, next func() (process, url string)) {
	var all sync.WaitGroup
	for _, a := range p.accounts {
		all.Go(func() {
			for ctx.Err() == nil {
				if process, url := next(); url != "" {
					a.dial(ctx, process, url)
				}
				_ = loop.Sleep(ctx, 200*time.Millisecond)
			}
		})
	}
	all.Wait()
}

// dial connects the account until the connection is lost.
func (a *account) dial(ctx context.Context, process, url string) {
	done := make(chan struct{})
	connecting, cancel := context.WithCancel(ctx)
	go func() {
		defer close(done)
		defer cancel()
		a.qq.Connect(ctx, url, onebottest.ConnectOptions{}) // it ends with the connection
	}()
	if a.qq.WaitLink(connecting) == nil {
		a.mu.Lock()
		a.holder, a.online = process, true
		a.mu.Unlock()
	}
	<-done
	a.mu.Lock()
	a.online, a.lost = false, time.Now()
	a.mu.Unlock()
}

// link returns the address of an account for a list of bots.
func (p *platform) link(a *account) string {
	return p.url + digits(a.qq.SelfID()) + "?process=" + processMark
}
