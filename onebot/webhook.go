package onebot

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Webhook is the server that implementations post their events to ("HTTP POST"): an http.Handler for any path, for
// any number of accounts. A request is answered by 204 as soon as its event is in the queue, before any handler; with
// [Webhook.RunQuick] by an operation. All methods may be called concurrently.
//
// Events come in one direction only, so calls need a way of their own: see [Webhook.SetCaller]. An event that is posted
// again, because the first answer was lost, is not handled again.
type Webhook struct {
	house
	quick   bool                   // RunQuick runs
	bots    map[int64]*Bot         // once seen, never forgotten
	apis    map[int64]Caller       // 0: of all others
	seen    recent                 // the events of late
	waiting map[Event]chan<- reply // requests that wait for an operation; taken out by whoever ends the waiting
	mine    sync.Mutex             // guards waiting
}

// reply is what a QuickHandler said.
type reply struct{ op QuickOperation }

// NewWebhook makes a webhook. Of the options Token is the secret that requests are signed with (NapCat and LLOneBot
// call it token); "" believes whoever reaches the Webhook, so let it listen on loopback only then. ReadLimit bounds
// a request. Limiter and Filter are for each account's Bot as with a [Server]; what is attached may have its own.
func NewWebhook(opts Options) *Webhook {
	w := &Webhook{bots: make(map[int64]*Bot), apis: make(map[int64]Caller), waiting: make(map[Event]chan<- reply)}
	w.init(opts)
	w.seen.init()
	return w
}

// SetCaller lets the bot of an account call by c, usually an [HTTPClient], in place of what it called by before. selfID
// 0 is every account that has nothing attached itself: enough where there is only one. Without anything attached
// calls fail with [ErrDisconnected].
func (w *Webhook) SetCaller(selfID int64, c Caller) {
	w.mu.Lock()
	w.apis[selfID] = c
	w.mu.Unlock()
	if selfID != 0 {
		w.bot(selfID)
	}
}

// Bot gives the bot of an account that an event came from or that something is attached to.
func (w *Webhook) Bot(selfID int64) (*Bot, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, ok := w.bots[selfID]
	return b, ok
}

// Run gives events to h (nil: nobody wants them) until ctx ends; then it returns nil. Who posts while no Run runs is
// told to come back later (HTTP status 503). When Run returns all handlers have returned. It may be called again then.
func (w *Webhook) Run(ctx context.Context, h Handler) error {
	return w.run(ctx, h, func() { w.quick = false })
}

// RunQuick is Run for a handler whose operations are answers: a request waits for the operation on its event, as long
// as [Options.QuickTimeout]. What comes later than that, or earlier than the [Limiter] allows, is done by
// [Bot.Perform]; when that fails it is logged.
func (w *Webhook) RunQuick(ctx context.Context, h QuickHandler) error {
	return w.run(ctx, func(ctx context.Context, bot *Bot, e Event) {
		op := h(ctx, bot, e)
		if answer := w.claim(e); answer != nil {
			if op == nil || op.fits(e) && bot.free(e, op) {
				answer <- reply{op}
				return
			}
			answer <- reply{}
		}
		w.perform(ctx, bot, e, op)
	}, func() { w.quick = true })
}

// perform does by calls what did not get into a response.
func (w *Webhook) perform(ctx context.Context, bot *Bot, e Event, op QuickOperation) {
	if op == nil {
		return
	}
	if err := bot.Perform(ctx, e, op); err != nil {
		w.log.Warn("onebot: operation failed", "self_id", bot.SelfID(), "reason", err)
	}
}

// free takes the limiter's turn for what the operation says, if it is free.
func (b *Bot) free(e Event, op QuickOperation) bool {
	if q, ok := op.(QuickReply); !ok || q.Reply == nil || b.Limiter == nil {
		return true
	}
	_, ok := b.Limiter.Try(time.Now(), e.conversation().String())
	return ok
}

// claim ends the waiting of an event's request for its operation, which is then owed to the channel; nil: it did not
// wait, or not any more.
func (w *Webhook) claim(e Event) chan<- reply {
	w.mine.Lock()
	defer w.mine.Unlock()
	c := w.waiting[e]
	delete(w.waiting, e)
	return c
}

// ServeHTTP takes one event.
func (w *Webhook) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	ctx := w.enter()
	if ctx == nil {
		http.Error(out, "bot is not running", http.StatusServiceUnavailable)
		return
	}
	defer w.inside.Done()
	stop := context.AfterFunc(ctx, func() { // a request that never becomes whole does not hold up Run
		_ = http.NewResponseController(out).SetReadDeadline(time.Unix(1, 0))
	})
	f, status := w.receive(out, r)
	if !stop() {
		status = http.StatusServiceUnavailable
	}
	if status != 0 {
		w.log.Warn("onebot: event refused", "status", status, "remote", r.RemoteAddr)
		http.Error(out, http.StatusText(status), status)
		return
	}
	if !w.seen.add(f) {
		w.repeated.Add(1)
		out.WriteHeader(http.StatusNoContent)
		return
	}
	bot, e := w.bot(f.selfID), f.event()
	w.mu.Lock()
	quick := w.quick
	w.mu.Unlock()
	if !quick {
		w.disp.add(bot, e, len(f.raw))
		out.WriteHeader(http.StatusNoContent)
		return
	}
	answer := make(chan reply, 1)
	w.mine.Lock()
	w.waiting[e] = answer
	w.mine.Unlock()
	w.disp.add(bot, e, len(f.raw))
	op := w.await(ctx, r.Context(), e, answer)
	if r.Context().Err() != nil { // nobody is there any more
		w.perform(ctx, bot, e, op)
		return
	}
	w.respond(ctx, out, bot, e, op)
}

// await waits for the operation on an event; nil when there is none by then.
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
	if w.claim(e) != nil {
		return nil // the handler sees that it is late
	}
	return (<-answer).op
}

// respond writes the operation into the response, where the filter lets it.
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

// receive reads a request. A status other than 0 refuses it.
func (w *Webhook) receive(out http.ResponseWriter, r *http.Request) (f *frame, status int) {
	if r.Method != http.MethodPost {
		out.Header().Set("Allow", http.MethodPost)
		return nil, http.StatusMethodNotAllowed
	}
	// A web page in the owner's browser can post to loopback, too, but not JSON without being asked first.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType
	}
	signature := r.Header.Get("X-Signature")
	if w.opts.Token != "" && signature == "" {
		return nil, http.StatusUnauthorized
	}
	body := r.Body
	if w.opts.ReadLimit >= 0 {
		body = http.MaxBytesReader(out, body, w.opts.ReadLimit)
	}
	b, err := io.ReadAll(body)
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	case w.opts.Token != "" && !signed(b, w.opts.Token, signature):
		return nil, http.StatusForbidden
	}
	d := decoder{b: b}
	f = new(frame)
	if err := d.frame(f); err != nil || f.post == "" {
		w.bad(b, "request is no event")
		return nil, http.StatusBadRequest
	}
	if f.selfID == 0 {
		f.selfID, _ = strconv.ParseInt(r.Header.Get("X-Self-ID"), 10, 64)
	}
	if f.selfID == 0 {
		w.bad(b, "event does not say which account it is for")
		return nil, http.StatusBadRequest
	}
	return f, 0
}

// signed tells whether the signature, "sha1=" and an HMAC in hexadecimal, is that of the body.
func signed(body []byte, secret, signature string) bool {
	digits, ok := strings.CutPrefix(signature, "sha1=")
	have, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return false
	}
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), have)
}

// bot gives the bot of an account.
func (w *Webhook) bot(selfID int64) *Bot {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.bots[selfID]
	if b == nil {
		b = NewBot(&outlet{w, selfID}, selfID)
		b.Limiter = w.opts.Limiter.clone()
		w.bots[selfID] = b
	}
	return b
}

// outlet is the Caller of a Webhook's bot.
type outlet struct {
	hook   *Webhook
	selfID int64
}

// api gives what the account calls by, behind the filter.
func (o *outlet) api() Caller {
	o.hook.mu.Lock()
	defer o.hook.mu.Unlock()
	c := o.hook.apis[o.selfID]
	if c == nil {
		c = o.hook.apis[0]
	}
	if c == nil {
		return nowhere{}
	}
	return &filtered{c, o.hook.opts.Filter, o.selfID}
}

// Call implements Caller.
func (o *outlet) Call(ctx context.Context, action string, params, result any) error {
	return o.api().Call(ctx, action, params, result)
}

// Stream implements Streamer.
func (o *outlet) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return (&Bot{Caller: o.api()}).Stream(ctx, action, params)
}

// nowhere is the Caller where nothing is attached.
type nowhere struct{}

func (nowhere) Call(_ context.Context, action string, _, _ any) error {
	return notWritten(action, ErrDisconnected)
}
