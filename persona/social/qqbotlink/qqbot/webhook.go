package qqbot

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	bodyTimeout   = 10 * time.Second // for reading a request
	mostReading   = 64               // requests that are read at the same time
	unsignedLimit = 4 << 10          // for a validation without a signature
	// mostEventAge is the longest useful age: repeats are known for twice as long.
	mostEventAge = seenFor / 2
)

// A Webhook receives the events of a client by HTTPS in place of the gateway. It is an http.Handler for any path. The platform
// needs a public address with TLS on port 443, 80, 8080 or 8443, so put it behind an http.Server with a certificate or a proxy.
//
// An event is acknowledged as soon as it is queued. If the queue is full or Run is not running, it is not acknowledged, and
// the platform sends it again. An event that is known by its id is acknowledged and not handled.
//
// Before a Webhook has checked the signature of a request, it reads at most [Options.WebhookLimit] bytes within 10 s, of at most
// 64 requests at the same time. A request whose headers cannot be right is refused unread, with HTTP status 401. The time limit
// needs an http.ResponseWriter that supports SetReadDeadline, as that of net/http does. To limit the time for the headers, too,
// set ReadHeaderTimeout of the http.Server.
type Webhook struct {
	c       *Client
	key     ed25519.PrivateKey
	reading chan struct{} // a semaphore

	mu       sync.Mutex
	ctx      context.Context // of Run; nil while it is not running
	store    storeFunc       // nil: events are queued for the handler
	requests sync.WaitGroup  // grows only while ctx is set
}

// Webhook returns the webhook of the client. Its calls work as usual.
func (c *Client) Webhook() *Webhook {
	return &Webhook{c: c, key: signingKey(c.tokens.secret), reading: make(chan struct{}, mostReading)}
}

// Run passes events to h until ctx is done. Then it returns nil. A nil h discards events. When Run returns, all handlers have
// returned. It may be called again then. A client has either a running [Client.Run] or a running webhook.
func (w *Webhook) Run(ctx context.Context, h Handler) error { return w.run(ctx, h, nil) }

// run is Run. With store, it stores events instead of passing them to h.
func (w *Webhook) run(ctx context.Context, h Handler, store storeFunc) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !w.c.inbox.start(ctx, h) {
		return errors.New("qqbot: Run is already running")
	}
	w.mu.Lock()
	w.ctx, w.store = ctx, store
	w.mu.Unlock()
	<-ctx.Done()
	w.mu.Lock()
	w.ctx = nil
	w.mu.Unlock()
	w.requests.Wait()
	w.c.inbox.stop()
	return nil
}

// A storeFunc stores an event before it is acknowledged.
type storeFunc func(ctx context.Context, f frame, sig string) error

// enter begins a request. It returns nil while Run is not running.
func (w *Webhook) enter() (context.Context, storeFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx == nil || w.ctx.Err() != nil {
		return nil, nil
	}
	w.requests.Add(1)
	return w.ctx, w.store
}

// A refusal is why a request is refused.
type refusal struct {
	status int
	reason string
}

// ServeHTTP handles one request.
func (w *Webhook) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(out)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // net/http reads the rest of a refused body
	ctx, store := w.enter()
	if ctx == nil {
		http.Error(out, "bot is not running", http.StatusServiceUnavailable)
		return
	}
	defer w.requests.Done()
	stop := context.AfterFunc(ctx, func() { // an incomplete request does not delay the end of Run
		_ = control.SetReadDeadline(time.Unix(1, 0))
	})
	defer stop()
	f, sig, no := w.receive(out, r)
	if no == nil {
		no = w.answer(ctx, out, f, sig, store)
	}
	if no != nil {
		w.c.opts.Logger.Warn("qqbot: webhook refuses a request", "status", no.status, "reason", no.reason)
		http.Error(out, no.reason, no.status)
	}
}

// receive reads a request and checks that it comes from the platform. The signature is "" for a validation without one.
func (w *Webhook) receive(out http.ResponseWriter, r *http.Request) (f frame, sig string, no *refusal) {
	if r.Method != http.MethodPost {
		return f, "", &refusal{http.StatusMethodNotAllowed, "want POST"}
	}
	stamp, sig := r.Header.Get("X-Signature-Timestamp"), r.Header.Get("X-Signature-Ed25519")
	limit := w.c.opts.WebhookLimit
	signature := parseSignature(sig)
	switch unsigned := stamp == "" && sig == ""; {
	case unsigned:
		limit = unsignedLimit
	case signature == nil:
		return f, "", &refusal{http.StatusUnauthorized, "the signature is malformed"}
	case !w.recent(stamp):
		return f, "", &refusal{http.StatusUnauthorized, "the timestamp is too old, in the future, or malformed: check the clock"}
	}
	if id := r.Header.Get("X-Bot-Appid"); id != "" && id != w.c.appID {
		return f, "", &refusal{http.StatusUnauthorized, "the event is for another bot"}
	}
	if r.ContentLength > limit {
		return f, "", &refusal{http.StatusRequestEntityTooLarge, "the request is too large"}
	}
	select {
	case w.reading <- struct{}{}:
		defer func() { <-w.reading }()
	default:
		return f, "", &refusal{http.StatusServiceUnavailable, "too many requests at the same time"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, limit))
	if err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return f, "", &refusal{http.StatusRequestEntityTooLarge, "the request is too large"}
		}
		return f, "", &refusal{http.StatusBadRequest, "the request is incomplete"}
	}
	if signature != nil && !ed25519.Verify(w.key.Public().(ed25519.PublicKey), append([]byte(stamp), body...), signature) {
		return f, "", &refusal{http.StatusUnauthorized, "the signature is wrong: check the secret"}
	}
	f, ok := parseFrame(body)
	f.raw = body
	switch {
	case signature == nil && (!ok || f.op != opValidate):
		return f, "", &refusal{http.StatusUnauthorized, "the signature is missing"}
	case !ok:
		return f, "", &refusal{http.StatusBadRequest, "the request is malformed"}
	}
	return f, sig, nil
}

// recent reports whether the time of a request is close to now.
func (w *Webhook) recent(stamp string) bool {
	if !isEventTime(stamp) {
		return false
	}
	n, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false
	}
	age := time.Since(parseTime(strconv.FormatInt(n, 10)))
	return w.c.opts.MaxEventAge < 0 || age.Abs() <= w.c.opts.MaxEventAge
}

// answer acknowledges an event after it is queued, or proves that the webhook knows the secret.
func (w *Webhook) answer(ctx context.Context, out http.ResponseWriter, f frame, sig string, store storeFunc) *refusal {
	var body any = map[string]int{"op": opAck, "d": 0}
	switch f.op {
	case opValidate:
		d, _ := parseObject(f.data)
		proof, ok := proveSecret(w.key, d)
		if !ok {
			return &refusal{http.StatusBadRequest, "the validation is malformed"}
		}
		body = proof
	case opDispatch:
		w.c.health.heard.Store(time.Now().UnixNano())
		if store != nil {
			if err := store(ctx, f, sig); err != nil {
				w.c.opts.Logger.Warn("qqbot: an event was not stored", "reason", err)
				return &refusal{http.StatusServiceUnavailable, "the event was not stored"}
			}
			break
		}
		if w.c.inbox.receive(f, "signature "+sig) == full {
			w.c.inbox.dropped.Add(1)
			return &refusal{http.StatusServiceUnavailable, "the queue is full"}
		}
	}
	b, err := json.Marshal(body)
	if err != nil {
		return &refusal{http.StatusInternalServerError, "the answer cannot be written"}
	}
	out.Header().Set("Content-Type", "application/json")
	_, _ = out.Write(b)
	return nil
}
