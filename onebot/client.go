package onebot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// dialTimeout limits one dial and its handshake.
const dialTimeout = 15 * time.Second

// A Client dials an implementation's WebSocket server ("forward WebSocket") and reconnects when the link drops. All
// methods may be called concurrently.
type Client struct {
	engine
	endpoints []endpoint
	http      *http.Client
	acc       *account
}

// NewClient returns a client for a URL such as ws://127.0.0.1:3001 that carries calls and events over one link. It
// does not dial yet: see [Client.Run]. It returns an error if the URL is invalid.
func NewClient(url string, opts Options) (*Client, error) {
	return newClient(opts, endpoint{url: url, api: true, events: true})
}

func newClient(opts Options, legs ...endpoint) (*Client, error) {
	for _, g := range legs {
		if _, err := parseURL(g.url, "ws", "wss", "http", "https"); err != nil {
			return nil, err
		}
	}
	c := &Client{endpoints: legs}
	c.init(opts)
	c.acc = newAccount(0, &c.opts)
	c.http = c.opts.HTTPClient
	if c.http == nil {
		c.http = directClient()
	}
	return c, nil
}

// Bot returns the client's account. It may be used before Run. Calls fail with [ErrDisconnected] while there is no
// link.
func (c *Client) Bot() *Bot { return &c.acc.bot }

// Connected reports whether the link for events is up.
func (c *Client) Connected() bool { return c.acc.events.Load() != nil }

// Run dials, reconnects when the link drops, and passes each event to h until ctx is done. Then it returns nil. A nil
// h discards events. Run returns an [*AuthError] if the implementation rejects the token. When Run returns, all
// goroutines and handlers that it started have ended. It may be called again then.
func (c *Client) Run(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !c.disp.start(ctx, h) {
		return errors.New("onebot: Run is already running")
	}
	defer c.disp.stop()
	if c.opts.HTTPClient == nil {
		defer c.http.CloseIdleConnections()
	}

	ends := make(chan error, len(c.endpoints))
	for _, g := range c.endpoints {
		go func() { ends <- c.keepConnected(ctx, g) }()
	}
	var err error
	for range c.endpoints {
		if e := <-ends; err == nil {
			err = e
		}
		cancel() // for the handlers and the other link
	}
	return err
}

// runLink dials one link and reads it until it drops. It returns how long the link was up, without the dial.
func (c *Client) runLink(ctx context.Context, g endpoint) (lasted time.Duration, err error) {
	ws, err := c.dial(ctx, g.url)
	if err != nil {
		c.acc.noteDialError(roleOf(g.api, g.events), err)
		return 0, err
	}
	l := c.newLink(ws, g.api, func(selfID int64) *account {
		c.acc.bot.self.Store(selfID)
		return c.acc
	})
	l.acc = c.acc
	c.acc.attach(l, g.api, g.events)
	defer func() { c.acc.detach(l, err) }()
	c.acc.logUp(c.log, "address", g.host(), "calls", g.api, "events", g.events)
	err = l.run(ctx)
	c.acc.closeSiblings(l, err)
	return time.Since(l.began), err
}

// fatal reports whether err is a refusal that a retry cannot change.
func fatal(err error) bool { return errors.As(err, new(*AuthError)) }

func (c *Client) dial(ctx context.Context, url string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	header := make(http.Header)
	header.Set("User-Agent", "OneBot/11")
	if c.opts.Token != "" {
		header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	ws, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: c.http, HTTPHeader: header})
	if err == nil {
		return ws, nil
	}
	return nil, dialFailure(err, resp)
}

func dialFailure(err error, resp *http.Response) error {
	switch {
	case resp == nil, resp.StatusCode == http.StatusSwitchingProtocols:
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return &AuthError{Status: resp.StatusCode}
	default:
		return fmt.Errorf("onebot: dial: HTTP status %d", resp.StatusCode)
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // without the URL, because it may hold a token
	}
	return fmt.Errorf("onebot: dial: %w", err)
}

// parseURL never quotes the URL in an error: it may hold a token.
func parseURL(s string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("onebot: invalid URL: want one such as %s://127.0.0.1:3001", schemes[0])
	}
	if !slices.Contains(schemes, u.Scheme) {
		return nil, fmt.Errorf("onebot: URL has scheme %q: want one of %v", u.Scheme, schemes)
	}
	if u.Host == "" {
		return nil, fmt.Errorf("onebot: URL has no host: want one such as %s://127.0.0.1:3001", schemes[0])
	}
	return u, nil
}

// readError converts a close frame that rejects the token to an AuthError.
func readError(err error) error {
	var closed websocket.CloseError
	if errors.As(err, &closed) && closed.Code == websocket.StatusPolicyViolation && strings.Contains(closed.Reason, "token") {
		return &AuthError{Status: http.StatusSwitchingProtocols, Wording: closed.Reason}
	}
	return fmt.Errorf("onebot: read: %w", err)
}
