package onebot

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"
)

// A Handler gets the events: those of one conversation one after the other in their order, those of different
// conversations at once, on at most Options.Workers goroutines. It may call the API and may take its time. ctx ends
// when the ctx of Run does. bot is the account that the event happened to, the same for every event of it. Events
// that belong to no chat are one more conversation.
type Handler func(ctx context.Context, bot *Bot, e Event)

// Options are the settings of a [Client] or [Server]; [NewHTTPClient] and [NewWebhook] say which count there. All zero
// is sensible.
type Options struct {
	// Token is sent by a Client and asked of whoever connects to a Server. "": none; whoever reaches the Server is
	// believed then, so let it listen on loopback only.
	Token string
	// Logger is told of links made and lost and of frames that are no JSON, never of tokens or texts. nil discards.
	Logger *slog.Logger
	// Workers bounds how many events are handled at once. 0 or less: 16.
	Workers int
	// QueueBytes bounds the frames whose events wait for the handler. What goes beyond is dropped, the oldest of
	// the longest conversation first, and told by a *Dropped in its place. One event at a time that is larger than
	// half of it is not counted, so that the largest frame finds room. 0: 64 MiB; negative: no bound.
	QueueBytes int
	// ReadLimit bounds one frame; a larger one ends the link. 0: 64 MiB; negative: no bound.
	ReadLimit int64
	// CallTimeout bounds calls whose context has no deadline. 0: 30 s; negative: no bound.
	CallTimeout time.Duration
	// WriteTimeout bounds the writing of one frame; then the link counts as dead. 0: 30 s; negative: no bound.
	WriteTimeout time.Duration
	// MinBackoff and MaxBackoff bound the wait before a Client dials again: it is drawn evenly between 0 and a
	// ceiling that begins with MinBackoff, doubles up to MaxBackoff and begins anew once a link has lasted for
	// MaxBackoff. 0 or less: 1 s and 60 s.
	MinBackoff, MaxBackoff time.Duration
	// MinIdleTimeout: a link that is silent for max(2.5 heartbeats, WatchdogFloor) counts as dead. Without
	// heartbeats a silent link is asked for its status after that time, and given as long to answer.
	// 0: 30 s; negative: no watchdog.
	MinIdleTimeout time.Duration
	// QuickTimeout is how long a Webhook's request waits for the operation of a QuickHandler; go-cqhttp waits 5 s for the
	// response. 0 or less: 3 s.
	QuickTimeout time.Duration
	// HTTPClient makes a Client's connection, or an HTTPClient's requests. nil: a direct one, without a proxy.
	HTTPClient *http.Client
	// Filter is asked before every send. nil: none.
	Filter Filter
	// OnMalformed is shown the frames that are neither events nor answers, as they came. It is called by whoever reads
	// the link, so it must not take its time; the frame may be kept. nil: nobody wants them.
	OnMalformed func(frame []byte)
	// Limiter spaces the Send… methods of Bot. A Server or Webhook makes one of the same settings for each account.
	// nil: none.
	Limiter *Limiter
}

// withDefaults returns the options with defaults in place of zero values.
func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Workers = cmp.Or(max(o.Workers, 0), 16)
	o.QueueBytes = cmp.Or(o.QueueBytes, 64<<20)
	o.ReadLimit = max(cmp.Or(o.ReadLimit, 64<<20), -1)
	o.CallTimeout = cmp.Or(o.CallTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.MinBackoff = cmp.Or(max(o.MinBackoff, 0), time.Second)
	o.MaxBackoff = max(cmp.Or(max(o.MaxBackoff, 0), time.Minute), o.MinBackoff)
	o.MinIdleTimeout = cmp.Or(o.MinIdleTimeout, 30*time.Second)
	o.QuickTimeout = cmp.Or(max(o.QuickTimeout, 0), 3*time.Second)
	return o
}
