package qqbot

import (
	"errors"
	"strings"
	"sync/atomic"
)

// A Client is one bot on the platform. All methods may be called concurrently.
type Client struct {
	appID   string
	opts    Options
	ownHTTP bool // the HTTP client was made here
	tokens  *tokens
	limits  limiter
	inbox   *inbox
	health  connection

	links, identifies, resumes atomic.Uint64
	up                         atomic.Bool // a session with the gateway is ready
}

// New returns a client for the app id and the secret (AppSecret) in the platform's console. It makes no request yet.
func New(appID, secret string, opts Options) (*Client, error) {
	switch {
	case appID == "" || strings.Trim(appID, "0123456789") != "":
		return nil, errors.New("qqbot: the app id must be a number: see 开发设置 in the console")
	case secret == "":
		return nil, errors.New("qqbot: the secret is empty: see 开发设置 in the console")
	}
	own := opts.HTTPClient == nil
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Client{appID: appID, opts: opts, ownHTTP: own, tokens: newTokens(appID, secret, &opts), inbox: newInbox(appID, &opts)}, nil
}

// AppID returns the bot's app id.
func (c *Client) AppID() string { return c.appID }

// Connected reports whether a session with the gateway is ready. A [Webhook] has none.
func (c *Client) Connected() bool { return c.up.Load() }

// Stats returns counts since New.
func (c *Client) Stats() Stats {
	s := Stats{Links: c.links.Load(), Identifies: c.identifies.Load(), Resumes: c.resumes.Load()}
	c.inbox.stats(&s)
	return s
}
