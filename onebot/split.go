package onebot

import (
	"context"
	"net/url"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// An endpoint is one connection of a Client: a URL and its purpose.
type endpoint struct {
	url         string
	api, events bool
}

// host returns the address for logs, without what may be secret.
func (g endpoint) host() string {
	if u, err := url.Parse(g.url); err == nil {
		return u.Host
	}
	return ""
}

// NewSplitClient returns a client that uses two links, one for calls and one for events. Implementations serve them
// at ws://127.0.0.1:3001/api and ws://127.0.0.1:3001/event. Both links belong to one Bot. A long response never
// delays an event, and events never delay a response. Each link reconnects on its own. NewSplitClient returns an error
// if a URL is invalid.
func NewSplitClient(apiURL, eventURL string, opts Options) (*Client, error) {
	return newClient(opts, endpoint{url: apiURL, api: true}, endpoint{url: eventURL, events: true})
}

// keepConnected dials an endpoint and redials it until ctx is done. Then it returns nil. An error is permanent.
func (c *Client) keepConnected(ctx context.Context, g endpoint) error {
	back := backoff{low: c.opts.MinBackoff, high: c.opts.MaxBackoff}
	for {
		lasted, err := c.runLink(ctx, g)
		if ctx.Err() != nil {
			return nil
		}
		if fatal(err) {
			return err
		}
		back.lasted(lasted)
		wait := back.next()
		what := "onebot: no link"
		if lasted > 0 {
			what = "onebot: link dropped"
		}
		c.log.Warn(what, "reason", err, "address", g.host(), "retry_in", wait.Round(time.Millisecond))
		if loop.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// closeSiblings closes the account's event link if it is silent, too. The call link l was sent a request and did not
// respond. An event link cannot be sent requests.
func (a *account) closeSiblings(l *link, err error) {
	if !l.canCall || err != errIdle {
		return
	}
	if o := a.events.Load(); o != nil && o != l && !o.canCall && o.isIdle() {
		o.fail(errIdle)
	}
}
