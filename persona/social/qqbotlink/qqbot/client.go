package qqbot

import (
	"errors"
	"strings"
)

// A Client is one bot on the platform. All methods may be called concurrently.
type Client struct {
	appID  string
	opts   Options
	tokens *tokens
	limits limiter
}

// New returns a client for the app id and the secret (AppSecret) in the platform's console. It makes no request yet.
func New(appID, secret string, opts Options) (*Client, error) {
	switch {
	case appID == "" || strings.Trim(appID, "0123456789") != "":
		return nil, errors.New("qqbot: the app id must be a number: see 开发设置 in the console")
	case secret == "":
		return nil, errors.New("qqbot: the secret is empty: see 开发设置 in the console")
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Client{appID: appID, opts: opts, tokens: newTokens(appID, secret, &opts)}, nil
}

// AppID returns the bot's app id.
func (c *Client) AppID() string { return c.appID }
