package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"sync"
	"time"
)

// A Webhook is the server to which implementations post events ("HTTP POST"). It is an http.Handler for any path and
// any number of accounts. It responds with 204 as soon as the event is queued, before any handler runs. With
// [Webhook.RunQuick] it responds with an operation. All methods may be called concurrently.
//
// Events travel in one direction only, so calls need a Caller: see [Webhook.SetCaller]. An event that is posted again,
// because the first response was lost, is not handled again. An equal notice within 1.25 s, such as a second poke, is
// another event.
//
// Before a Webhook has checked the signature of a request, it reads at most [Options.ReadLimit] bytes within 10 s, and at
// most 8 bodies above 64 kB at the same time. A request without a signature of the right form is refused unread. The
// time limit needs an http.ResponseWriter that supports SetReadDeadline, as that of net/http does. To limit the time for
// the headers, too, set ReadHeaderTimeout of the http.Server.
type Webhook struct {
	httpRunner
	quick     bool                   // RunQuick is running
	bots      map[int64]*Bot         // never deleted
	apis      map[int64]Caller       // 0: for all other accounts
	seen      recentEvents           // for deduplication
	large     chan struct{}          // a semaphore for large bodies
	waiting   map[Event]chan<- reply // requests that wait for an operation; removed by the goroutine that ends the wait
	waitingMu sync.Mutex             // guards waiting
}

// reply is the result of a QuickHandler.
type reply struct{ op QuickOperation }

// NewWebhook returns a webhook. Options.Token is the secret for signatures of requests; NapCat and LLOneBot call it
// token. "" trusts every peer, so let it listen on loopback only then. ReadLimit limits a request; 0 means 8 MiB here.
// MaxEventAge limits the age of a signed event. Limiter and Filter apply to each account's Bot as in a [Server]. A Caller
// from [Webhook.SetCaller] may have its own.
func NewWebhook(opts Options) *Webhook {
	opts.ReadLimit = cmp.Or(opts.ReadLimit, 8<<20)
	w := &Webhook{bots: make(map[int64]*Bot), apis: make(map[int64]Caller), waiting: make(map[Event]chan<- reply),
		large: make(chan struct{}, largeBodies)}
	w.init(opts)
	w.seen.init(2 * cmp.Or(max(w.opts.MaxEventAge, 0), 10*time.Minute)) // an event's time may be that far in the future, too
	return w
}

// SetCaller sets the Caller of an account's bot, usually an [HTTPClient]. selfID 0 is for all accounts without a Caller
// of their own, which is enough for a single account. Without a Caller, calls fail with [ErrDisconnected].
func (w *Webhook) SetCaller(selfID int64, c Caller) {
	w.mu.Lock()
	w.apis[selfID] = c
	w.mu.Unlock()
	if selfID != 0 {
		w.bot(selfID)
	}
}

// Bot returns the bot of an account that has sent an event or has a Caller.
func (w *Webhook) Bot(selfID int64) (*Bot, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, ok := w.bots[selfID]
	return b, ok
}

// Run passes events to h until ctx is done. Then it returns nil. A nil h discards events. While Run is not running,
// requests are refused with HTTP status 503. When Run returns, all handlers have returned. It may be called again
// then.
func (w *Webhook) Run(ctx context.Context, h Handler) error {
	return w.run(ctx, h, func() { w.quick = false })
}

// RunQuick is like Run for a handler that returns operations. A request waits up to [Options.QuickTimeout] for the
// operation on its event. Later operations, and those delayed by the [Limiter], are performed by [Bot.Perform]; its
// errors are logged.
func (w *Webhook) RunQuick(ctx context.Context, h QuickHandler) error {
	return w.run(ctx, func(ctx context.Context, bot *Bot, e Event) {
		op := h(ctx, bot, e)
		if answer := w.takeWaiting(e); answer != nil {
			if op == nil || op.fits(e) && bot.tryLimiter(e, op) {
				answer <- reply{op}
				return
			}
			answer <- reply{}
		}
		w.perform(ctx, bot, e, op)
	}, func() { w.quick = true })
}

// perform performs by calls an operation that missed its response.
func (w *Webhook) perform(ctx context.Context, bot *Bot, e Event, op QuickOperation) {
	if op == nil {
		return
	}
	if err := bot.Perform(ctx, e, op); err != nil {
		w.log.Warn("onebot: operation failed", "self_id", bot.SelfID(), "reason", err)
	}
}

// tryLimiter takes the limiter's permission for a reply if it is available at once.
func (b *Bot) tryLimiter(e Event, op QuickOperation) bool {
	if q, ok := op.(QuickReply); !ok || q.Reply == nil || b.Limiter == nil {
		return true
	}
	_, ok := b.Limiter.Try(time.Now(), e.conversation().String())
	return ok
}

// takeWaiting ends the wait of an event's request for its operation. The caller must send the operation to the returned
// channel. nil: the request does not wait, or no longer.
func (w *Webhook) takeWaiting(e Event) chan<- reply {
	w.waitingMu.Lock()
	defer w.waitingMu.Unlock()
	c := w.waiting[e]
	delete(w.waiting, e)
	return c
}

// ServeHTTP handles one event.
func (w *Webhook) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(out)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // net/http reads the rest of a refused body
	ctx := w.enter()
	if ctx == nil {
		http.Error(out, "bot is not running", http.StatusServiceUnavailable)
		return
	}
	defer w.requests.Done()
	stop := context.AfterFunc(ctx, func() { // an incomplete request does not delay the end of Run
		_ = control.SetReadDeadline(time.Unix(1, 0))
	})
	f, no := w.receive(ctx, out, r)
	if !stop() {
		no = &refusal{http.StatusServiceUnavailable, "Run has ended"}
	}
	if no != nil {
		w.refuse(out, r, "event", no)
		return
	}
	_ = control.SetReadDeadline(time.Time{}) // net/http watches the connection while the operation is awaited
	if !w.seen.add(time.Now(), f) {
		w.repeated.Add(1)
		out.WriteHeader(http.StatusNoContent)
		return
	}
	bot, e := w.bot(f.selfID), f.event()
	w.mu.Lock()
	quick := w.quick
	w.mu.Unlock()
	if !quick {
		w.disp.add(bot, e, f.memory(e))
		out.WriteHeader(http.StatusNoContent)
		return
	}
	answer := make(chan reply, 1)
	w.waitingMu.Lock()
	w.waiting[e] = answer
	w.waitingMu.Unlock()
	w.disp.add(bot, e, f.memory(e))
	op := w.await(ctx, r.Context(), e, answer)
	if r.Context().Err() != nil { // the peer has disconnected
		w.perform(ctx, bot, e, op)
		return
	}
	w.respond(ctx, out, bot, e, op)
}

// await waits for the operation on an event; nil if there is none in time.
func (w *Webhook) await(run, request context.Context, e Event, answer <-chan reply) QuickOperation {
	late := time.NewTimer(w.opts.QuickTimeout)
	defer late.Stop()
	select {
	case r := <-answer:
		return r.op
	case <-late.C:
	case <-run.Done():
	case <-request.Done():
	}
	if w.takeWaiting(e) != nil {
		return nil // the handler will see that it is late
	}
	return (<-answer).op
}

// respond writes the operation to the response if the filter permits it.
func (w *Webhook) respond(ctx context.Context, out http.ResponseWriter, bot *Bot, e Event, op QuickOperation) {
	if op == nil {
		out.WriteHeader(http.StatusNoContent)
		return
	}
	b, err := w.filtered(ctx, bot, quickParams{e.Raw(), op})
	if err != nil {
		w.log.Warn("onebot: operation failed", "self_id", bot.SelfID(), "reason", err)
		out.WriteHeader(http.StatusNoContent)
		return
	}
	out.Header().Set("Content-Type", "application/json")
	out.Write(b)
}

func (w *Webhook) filtered(ctx context.Context, bot *Bot, q quickParams) ([]byte, error) {
	if w.opts.Filter == nil {
		return json.Marshal(q.Operation)
	}
	params, err := w.opts.Filter.apply(ctx, bot.SelfID(), quickAction, q)
	if err != nil {
		return nil, err
	}
	var changed struct{ Operation json.RawMessage }
	err = json.Unmarshal(params.(json.RawMessage), &changed)
	return changed.Operation, err
}

// bot returns the bot of an account.
func (w *Webhook) bot(selfID int64) *Bot {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.bots[selfID]
	if b == nil {
		b = NewBot(&hookCaller{w, selfID}, selfID)
		b.Limiter = w.opts.Limiter.clone()
		w.bots[selfID] = b
	}
	return b
}

// hookCaller is the Caller of a Webhook's bot.
type hookCaller struct {
	hook   *Webhook
	selfID int64
}

// api returns the Caller of the account, with the filter.
func (o *hookCaller) api() Caller {
	o.hook.mu.Lock()
	defer o.hook.mu.Unlock()
	c := o.hook.apis[o.selfID]
	if c == nil {
		c = o.hook.apis[0]
	}
	if c == nil {
		return noCaller{}
	}
	return &filtered{c, o.hook.opts.Filter, o.selfID}
}

// Call implements Caller.
func (o *hookCaller) Call(ctx context.Context, action string, params, result any) error {
	return o.api().Call(ctx, action, params, result)
}

// Stream implements [StreamCaller].
func (o *hookCaller) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return (&Bot{Caller: o.api()}).Stream(ctx, action, params)
}

// noCaller is the Caller of an account without one.
type noCaller struct{}

func (noCaller) Call(_ context.Context, action string, _, _ any) error {
	return notWrittenError(action, ErrDisconnected)
}
