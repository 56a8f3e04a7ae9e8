package onebot

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"
)

// A Handler receives events. Events of one conversation are handled one after the other, in order. Events of
// different conversations are handled concurrently, on at most Options.Workers goroutines. Events without a chat form
// a conversation of their own. A handler may call the API and may take long. ctx is done when the context of Run is.
// bot is the account that received the event, and is the same for all of its events.
//
// A panic in a handler ends the program, unless [Recover] wraps the handler. A handler that ends its goroutine
// (runtime.Goexit, or FailNow in a test) counts as one that has returned.
type Handler func(ctx context.Context, bot *Bot, e Event)

// Options are the settings of all transports. [NewHTTPClient] and [NewWebhook] list the fields that they use. The
// zero value is ready to use.
type Options struct {
	// Token is the access token. A Client sends it; a Server requires it from its peers. "" means none: then a Server
	// trusts every peer, so let it listen on loopback only.
	Token string
	// Hosts are further names of this machine. A Server or Webhook without a Token refuses requests over loopback whose
	// Host header is none of these and not loopback, because a web page in a browser can send such requests.
	Hosts []string
	// Logger logs links that come up, drop and return, with their addresses, and frames that are not JSON. It never logs
	// tokens or message texts. nil discards.
	Logger *slog.Logger
	// Workers limits the events handled at the same time. 0 or less: 16.
	Workers int
	// QueueBytes limits the memory of the events that wait for the handler: their frames, and an overhead for each event
	// and each of its segments. Above it, the oldest events of the longest conversation are dropped, and a *Dropped
	// takes their place. One event larger than half of the limit is not counted at a time, so that the largest frame
	// can be queued. 0: 64 MiB; negative: no limit.
	QueueBytes int
	// ReadLimit limits one frame; a larger one closes the link. Of any size, an event with more than 10 000 segments,
	// members or list elements is refused as malformed. 0: 64 MiB; negative: no limit.
	ReadLimit int64
	// CallTimeout limits calls whose context has no deadline. 0: 30 s; negative: no limit.
	CallTimeout time.Duration
	// WriteTimeout limits the time to write one frame; after it the link is closed. 0: 30 s; negative: no limit.
	WriteTimeout time.Duration
	// MinBackoff and MaxBackoff limit the wait before a Client dials again. The wait is uniform between 0 and a
	// ceiling. The ceiling starts at MinBackoff, doubles up to MaxBackoff, and starts over after a link was up for
	// MaxBackoff. 0 or less: 1 s and 60 s. A MaxBackoff below MinBackoff counts as MinBackoff.
	MinBackoff, MaxBackoff time.Duration
	// MinIdleTimeout is the minimum idle timeout. A link without traffic for max(2.5 heartbeats, MinIdleTimeout) is
	// closed. An idle link without heartbeats is first sent a get_login_info and has the same time to respond. 0: 30
	// s; negative: no watchdog.
	MinIdleTimeout time.Duration
	// QuickTimeout limits how long a request to a Webhook waits for the operation of a QuickHandler. go-cqhttp waits 5 s
	// for the response. 0 or less: 3 s.
	QuickTimeout time.Duration
	// MaxEventAge limits the difference between the time of an event and this machine's clock. A Webhook with a Token
	// refuses other events, except recalls, which have the time of the message. Someone who recorded a signed event
	// cannot post it again then. The clocks of both machines must agree. 0: 10 min; negative: no limit.
	MaxEventAge time.Duration
	// HTTPClient makes the requests of a Client's handshake or of an HTTPClient. nil: a client without a proxy.
	HTTPClient *http.Client
	// Filter is called before every send. nil: none.
	Filter Filter
	// OnMalformed is called with each frame that is neither an event nor a response. It runs on the goroutine that
	// reads the link, so it must return soon. It may keep the frame. nil: none.
	OnMalformed func(frame []byte)
	// OnLink is called by a Server when a link of an account has come up, and when the account has no link any more. It is
	// called in that order for each account, and must return soon. nil: none.
	OnLink func(bot *Bot, up bool)
	// Limiter is the rate limit of the Send methods of Bot. A Server or Webhook creates one with the same settings
	// for each account. nil: none.
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
	o.MaxEventAge = cmp.Or(o.MaxEventAge, 10*time.Minute)
	o.QuickTimeout = cmp.Or(max(o.QuickTimeout, 0), 3*time.Second)
	return o
}
