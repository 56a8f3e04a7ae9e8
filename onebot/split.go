package onebot

import (
	"context"

	"github.com/hearth-bot/hearth/internal/loop"
)

// A leg is one connection of a Client: a URL and what it is for.
type leg struct {
	url         string
	api, events bool
}

// NewSplitClient returns a client that uses two links, one for calls and one for events. Implementations serve them
// at ws://127.0.0.1:3001/api and ws://127.0.0.1:3001/event. Both links belong to one Bot. A long response never
// delays an event, and events never delay a response. Each link reconnects on its own. NewSplitClient returns an error
// if a URL is invalid.
func NewSplitClient(apiURL, eventURL string, opts Options) (*Client, error) {
	return newClient(opts, leg{url: apiURL, api: true}, leg{url: eventURL, events: true})
}

// keep makes a leg's link and makes it anew until ctx ends; then it returns nil. An error is for good.
func (c *Client) keep(ctx context.Context, g leg) error {
	back := backoff{low: c.opts.MinBackoff, high: c.opts.MaxBackoff}
	for {
		lasted, err := c.session(ctx, g)
		if ctx.Err() != nil {
			return nil
		}
		if fatal(err) {
			return err
		}
		back.lasted(lasted)
		wait := back.next()
		c.log.Warn("onebot: no link", "reason", err, "retry_in", wait)
		if loop.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// bereave ends the account's other links where they say nothing either: the link for calls was asked and did not
// answer, and one for events alone cannot be asked.
func (a *account) bereave(l *link, err error) {
	if !l.canCall || err != errSilent {
		return
	}
	if o := a.events.Load(); o != nil && o != l && !o.canCall && o.quiet() {
		o.fail(errSilent)
	}
}
