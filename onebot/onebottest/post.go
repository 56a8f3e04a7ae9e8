package onebottest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// PostOptions are the options of [Server.Post].
type PostOptions struct {
	// Secret is the key for X-Signature; "" means the Token of the Options, as for NapCat and LLBot. Without both,
	// requests are not signed.
	Secret string

	// Retries is the number of retries for a post without a response of any status. 0 means the implementation's
	// number: 3 for go-cqhttp, none for the others; negative means none.
	Retries int

	// RetryAfter is the wait before a retry; 0 means 1.5 s, go-cqhttp's value.
	RetryAfter time.Duration

	// Timeout limits one try; 0 means 5 s for go-cqhttp and 100 s for the others.
	Timeout time.Duration

	// Parallel posts the next event without waiting for the previous response, as the implementations do. Events may
	// arrive in another order.
	Parallel bool

	// Handler is the bot's webhook if it is in this process. Post reaches it through pipes, so it works in a
	// testing/synctest bubble.
	Handler http.Handler

	// HTTPClient posts; nil means http.DefaultClient. Handler takes precedence.
	HTTPClient *http.Client
}

// A Post is one event posted by [Server.Post], with its result.
type Post struct {
	Event  json.RawMessage
	Tries  int
	Status int    // of the response; 0: none
	Answer []byte // body of the response, for example a quick operation
}

// Post sends events to a bot's webhook by HTTP POST until ctx is done or the server is closed. Then it returns nil.
// It performs the quick operations in the responses as the implementation does. They appear in Calls as
// .handle_quick_operation.
//
// Lagrange first posts its lifecycle event. All implementations except NapCat post heartbeats.
func (s *Server) Post(ctx context.Context, url string, opts PostOptions) error {
	if _, err := http.NewRequest(http.MethodPost, url, nil); err != nil {
		return fmt.Errorf("onebottest: post: %w", err)
	}
	like := s.opts.Quirks.HTTP
	opts.Secret = cmp.Or(opts.Secret, s.opts.Token)
	opts.RetryAfter = cmp.Or(opts.RetryAfter, 1500*time.Millisecond)
	tries, patience := 0, 100*time.Second
	if like == LikeGoCQHTTP {
		tries, patience = 3, 5*time.Second
	}
	opts.Retries, opts.Timeout = max(cmp.Or(opts.Retries, tries), 0), cmp.Or(opts.Timeout, patience)

	ctx, end, ok := s.begin(ctx)
	if !ok {
		return nil
	}
	defer end()
	client, stop := s.dialer(opts.Handler, opts.HTTPClient)
	defer stop()
	if client == nil {
		client = http.DefaultClient
	}
	p := &poster{outbox: s.outbox(), opts: opts, url: url, client: client}
	s.locked(func() {
		if like == LikeLagrange {
			p.push(s.lifecycle())
		}
		s.posters = append(s.posters, p)
		s.changed()
	})
	defer s.locked(func() {
		s.posters = slices.DeleteFunc(s.posters, func(o *poster) bool { return o == p })
	})
	p.run(ctx)
	return nil
}

// A poster is one webhook.
type poster struct {
	outbox
	opts   PostOptions
	url    string
	client *http.Client
	wg     sync.WaitGroup
}

// run posts queued events and heartbeats.
func (p *poster) run(ctx context.Context) {
	defer p.wg.Wait()
	var beat <-chan time.Time
	if every := p.s.opts.Heartbeat; every > 0 && p.s.opts.Quirks.HTTP != LikeNapCat {
		t := time.NewTicker(every)
		defer t.Stop()
		beat = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat:
			p.beat()
		case <-p.wake:
		}
		for _, out := range p.take() {
			if p.opts.Parallel {
				p.wg.Go(func() { p.post(ctx, out.frame) })
			} else {
				p.post(ctx, out.frame)
			}
		}
	}
}

// post posts one event with retries and performs the operation in the response.
func (p *poster) post(ctx context.Context, event []byte) {
	s := p.s
	done := Post{Event: event}
	for done.Status == 0 && done.Tries <= p.opts.Retries && ctx.Err() == nil {
		if done.Tries > 0 {
			_ = loop.Sleep(ctx, p.opts.RetryAfter) // if cancelled, the try fails by ctx
		}
		done.Tries++
		done.Status, done.Answer = p.try(ctx, event)
	}
	operation := done.Answer
	switch like := s.opts.Quirks.HTTP; {
	case (like == LikeNapCat || like == LikeSnowLuma) && (done.Status < 200 || done.Status > 299), done.Status == http.StatusNoContent, !json.Valid(operation):
		operation = nil
	}
	s.runAndNotify(func() {
		s.did.posts = append(s.did.posts, done)
		if operation != nil {
			s.quick(event, operation)
			s.did.calls = append(s.did.calls, Call{
				Action: ".handle_quick_operation", Params: encode(object{"context": json.RawMessage(event), "operation": json.RawMessage(operation)}),
				At: time.Now(),
			})
		}
	})
}

// try posts once; status is 0 without a response.
func (p *poster) try(ctx context.Context, event []byte) (status int, answer []byte) {
	ctx, cancel := context.WithTimeout(ctx, p.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(event))
	if err != nil {
		return 0, nil
	}
	req.Header = p.headers(event)
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		answer = nil
	}
	return resp.StatusCode, answer
}

func (p *poster) headers(event []byte) http.Header {
	s := p.s
	self := []string{strconv.FormatInt(s.opts.SelfID, 10)}
	h := http.Header{"Content-Type": {"application/json"}}
	sign := "X-Signature"
	switch s.opts.Quirks.HTTP {
	case LikeNapCat, LikeLLBot:
		h["x-self-id"], sign = self, "x-signature"
	case LikeSnowLuma:
		h["x-self-id"], sign, h["User-Agent"] = self, "x-signature", []string{"OneBot"}
	case LikeLagrange:
		h["X-Self-ID"], h["Content-Type"] = self, []string{"application/json; charset=utf-8"}
	case LikeGoCQHTTP:
		h["X-Self-ID"], h["User-Agent"] = self, []string{"CQHttp/4.15.0"}
	}
	if p.opts.Secret != "" {
		mac := hmac.New(sha1.New, []byte(p.opts.Secret))
		mac.Write(event)
		h[sign] = []string{"sha1=" + hex.EncodeToString(mac.Sum(nil))}
	}
	return h
}

// Posts returns all finished posts of all webhooks, in order.
func (s *Server) Posts() []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.did.posts)
}

// WaitPosts waits for n finished posts and returns them.
func (s *Server) WaitPosts(ctx context.Context, n int) (posts []Post, err error) {
	err = s.wait(ctx, func() bool { return len(s.did.posts) >= n })
	return withCount(s.Posts(), n, "posts finished", err)
}
