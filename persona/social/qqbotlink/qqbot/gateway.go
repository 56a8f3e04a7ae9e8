package qqbot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
)

// Intents for Options.Intents. Others of the platform work as well, but their events arrive as [*Unknown].
const (
	IntentMembers      = 1 << 24 // members who join and leave groups
	IntentMessages     = 1 << 25 // messages, and what happens to the bot in groups and private chats
	IntentInteractions = 1 << 26 // buttons and menus
)

// defaultIntents are asked for one after the other if the gateway does not permit the previous ones.
var defaultIntents = []int{IntentMessages | IntentInteractions | IntentMembers, IntentMessages | IntentInteractions, IntentMessages}

const (
	// staleAfter is how long a resumed link must last to show that its session lives.
	staleAfter = 10 * time.Second
	// maxStale is the number of resumes that may fail in a row before a new session begins.
	maxStale = 3
	// identifyPause separates new sessions. The platform permits max_concurrency of them in this time.
	identifyPause = 5 * time.Second
	// invalidPause is the wait before a new session if the gateway calls the old one invalid.
	invalidPause = 3 * time.Second
)

// Run connects to the gateway, reconnects when the link drops, and passes each event to h until ctx is done. Then it returns
// nil. A nil h discards events. Run returns a [*GatewayError] if the gateway closes the link for good, and an [*APIError] of
// KindCredentials if the secret is wrong. When Run returns, all goroutines and handlers that it started have ended. It may be
// called again then. A bot uses either Run or a [Webhook].
func (c *Client) Run(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !c.inbox.start(ctx, h) {
		return errors.New("qqbot: Run is already running")
	}
	defer func() {
		cancel()
		c.inbox.stop()
		if c.ownHTTP {
			c.opts.HTTPClient.CloseIdleConnections()
		}
	}()
	g := &gateway{c: c, backoff: backoff{low: c.opts.MinBackoff, high: c.opts.MaxBackoff}, intents: defaultIntents}
	if c.opts.Intents != 0 {
		g.intents = []int{c.opts.Intents}
	}
	return g.run(ctx)
}

// gateway keeps one bot connected. All fields belong to the goroutine of Run.
type gateway struct {
	c       *Client
	backoff backoff
	intents []int // the first is asked for
	strikes int

	session    string // "": begin a new one
	seq        int64
	stale      int // resumes that failed in a row
	lostSince  time.Time
	url        string // "": ask for it
	identified time.Time
	spacing    time.Duration // between new sessions
}

// An ending is how a link ended.
type ending struct {
	verdict
	code    int
	reason  string
	err     error
	up      time.Duration // since the session was ready; 0: never
	asked   bool          // a resume or identify was sent
	resumed bool          // the link was meant to resume
	seq     int64         // of the session before the link
}

func (g *gateway) run(ctx context.Context) error {
	for {
		e := g.link(ctx)
		if ctx.Err() != nil {
			g.c.health.ended(time.Now(), nil)
			return nil
		}
		g.c.health.ended(time.Now(), e.err)
		if err := g.judge(&e); err != nil {
			return err
		}
		wait := max(g.backoff.next(), e.wait)
		g.c.opts.Logger.Warn("qqbot: link down", "reason", e.err, "up", e.up.Round(time.Second), "resume", g.session != "", "retry_in", wait.Round(time.Millisecond))
		if sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// judge updates the state after a link. It returns an error that ends Run.
func (g *gateway) judge(e *ending) error {
	if kind, _ := KindOf(e.err); kind == KindCredentials {
		return e.err
	}
	if e.code == 4014 && len(g.intents) > 1 {
		g.c.opts.Logger.Warn("qqbot: the gateway does not permit these intents", "intents", g.intents[0])
		g.intents = g.intents[1:]
		e.verdict = verdict{forget: true}
	}
	if e.strike {
		if g.strikes++; g.strikes >= maxStrikes {
			e.fatal = true
		}
	} else {
		g.strikes = 0
	}
	if e.fatal {
		return &GatewayError{Code: e.code, Reason: e.reason}
	}
	g.backoff.lasted(e.up)
	if !e.asked {
		g.url = "" // the address may have changed
	}
	switch {
	case !e.resumed || !e.asked:
	case e.up >= staleAfter || g.seq > e.seq+1: // RESUMED itself has a number
		g.stale = 0
	default:
		if g.stale++; g.stale >= maxStale {
			e.forget = true
		}
	}
	if e.forget {
		g.session, g.stale = "", 0
	}
	return nil
}

// gatewayInfo is the answer to GET /gateway/bot.
type gatewayInfo struct {
	url         string
	limited     bool // the answer has a limit of sessions
	remaining   int64
	resetAfter  time.Duration
	concurrency int64
}

func (c *Client) gatewayInfo(ctx context.Context) (gatewayInfo, error) {
	o, err := c.object(ctx, call{name: "gateway", method: http.MethodGet, path: "/gateway/bot", route: gatewayRoute})
	if err != nil {
		return gatewayInfo{}, err
	}
	i := gatewayInfo{url: o.text("url")}
	if limit := o.object("session_start_limit"); limit != nil {
		i.remaining, i.limited = limit.number("remaining")
		i.resetAfter = time.Duration(min(max(limit.whole("reset_after"), 0), 7*24*3600*1000)) * time.Millisecond
		i.concurrency = limit.whole("max_concurrency")
	}
	return i, checkGateway(i.url, c.opts.BaseURL)
}

// checkGateway refuses an address without encryption, because the link carries the access token.
func checkGateway(gateway, base string) error {
	u, err := url.Parse(gateway)
	b, _ := url.Parse(base)
	switch {
	case err != nil || u.Host == "":
		return errors.New("qqbot: gateway: the platform returned an invalid address")
	case u.Scheme == "wss", u.Scheme == "ws" && b.Scheme == "http":
		return nil
	}
	return fmt.Errorf("qqbot: gateway: the platform returned an address with scheme %q: want wss", u.Scheme)
}

// prepare makes sure that there is an address and that a new session may begin. It returns the wait until it may.
func (g *gateway) prepare(ctx context.Context) (time.Duration, error) {
	if g.url != "" && g.session != "" {
		return 0, nil
	}
	info, err := g.c.gatewayInfo(ctx)
	if err != nil {
		return 0, err
	}
	g.url = info.url
	g.spacing = identifyPause / time.Duration(min(max(info.concurrency, 1), 100))
	if g.session == "" && info.limited && info.remaining <= 0 {
		return max(info.resetAfter, time.Second), errors.New("no new session is permitted now: the limit of sessions is used up")
	}
	if g.session == "" && !g.identified.IsZero() {
		return 0, sleep(ctx, g.spacing-time.Since(g.identified))
	}
	return 0, nil
}

func (g *gateway) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, g.url, &websocket.DialOptions{HTTPClient: g.c.opts.HTTPClient,
		HTTPHeader: http.Header{"User-Agent": {"hearth-qqbot"}}})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
			return nil, fmt.Errorf("dial: HTTP status %d", resp.StatusCode)
		}
		return nil, fmt.Errorf("dial: %w", withoutURL(err))
	}
	ws.SetReadLimit(g.c.opts.ReadLimit)
	return ws, nil
}
