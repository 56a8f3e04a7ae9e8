package qqbot

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Addresses of the platform for [Options.BaseURL] and [Options.TokenURL].
const (
	// ProductionURL is the default. It has served all known SDKs for years.
	ProductionURL = "https://api.sgroup.qq.com"
	// NewProductionURL is the address that the platform's documents name since August 2026.
	NewProductionURL = "https://api.bot.qq.com"
	// SandboxURL delivers only events of the test accounts and test groups in the platform's console.
	SandboxURL = "https://sandbox.api.sgroup.qq.com"
	// DefaultTokenURL is the default address for access tokens, also of the sandbox.
	DefaultTokenURL = "https://bots.qq.com/app/getAppAccessToken"
	// NewTokenURL is the address for access tokens that the documents name since August 2026.
	NewTokenURL = "https://api.bot.qq.com/app/getAppAccessToken"
)

// Options are the settings of a [Client]. The zero value is ready for production.
type Options struct {
	// BaseURL is the address of the API. "": ProductionURL.
	BaseURL string
	// TokenURL is the address for access tokens. "": DefaultTokenURL.
	TokenURL string
	// HTTPClient performs all requests and dials the gateway. Redirects are never followed. nil: a client that uses no
	// proxy.
	HTTPClient *http.Client
	// Logger logs links that come up, drop and return, and events that are dropped. It never logs secrets, tokens or
	// message texts. nil discards.
	Logger *slog.Logger
	// CallTimeout limits calls whose context has no deadline. An upload has four times as long. 0: 15 s; negative: no
	// limit.
	CallTimeout time.Duration
	// Intents are the kinds of events that the gateway sends, such as IntentMessages|IntentMembers. 0: messages,
	// interactions and members. If the bot may not get all of these, Run asks for fewer.
	Intents int
	// MergeMentions is for groups where a message that mentions the bot arrives as two events with different ids: of two such
	// events with the same author and text within this time, the second is dropped. It is rarely needed, because equal ids are
	// always recognized. 0 or less: off; 15 s is in use elsewhere.
	MergeMentions time.Duration
	// Workers limits the events handled at the same time. 0 or less: 16.
	Workers int
	// QueueBytes limits the memory of the events that wait for the handler. Above it, new events of the gateway are dropped,
	// and a *Gap takes their place. 0 or less: 32 MiB.
	QueueBytes int
	// ReadLimit limits one frame of the gateway; a larger one ends the link. 0: 4 MiB; negative: no limit.
	ReadLimit int64
	// WebhookLimit limits one request to a Webhook. 0 or less: 1 MiB.
	WebhookLimit int64
	// MaxEventAge limits the age of a request to a Webhook by its signed time, in the past and the future, so that a recorded
	// request is useless later. 0: 10 minutes; at most 30 minutes; negative: no limit.
	MaxEventAge time.Duration
	// MinBackoff and MaxBackoff limit the wait before Run dials again. The wait is uniform between 0 and a ceiling. The
	// ceiling starts at MinBackoff, doubles up to MaxBackoff, and starts over after a link was up for MaxBackoff. 0 or less:
	// 1 s and 60 s. A MaxBackoff below MinBackoff counts as MinBackoff.
	MinBackoff, MaxBackoff time.Duration
}

func (o Options) withDefaults() (Options, error) {
	o.BaseURL = strings.TrimRight(cmp.Or(o.BaseURL, ProductionURL), "/")
	o.TokenURL = cmp.Or(o.TokenURL, DefaultTokenURL)
	for _, s := range []string{o.BaseURL, o.TokenURL} {
		if err := checkURL(s); err != nil {
			return o, err
		}
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Transport: &http.Transport{
			ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
		}}
	}
	direct := *o.HTTPClient
	// a redirect would send the token or a message to another address
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.HTTPClient = &direct
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.CallTimeout = cmp.Or(o.CallTimeout, 15*time.Second)
	o.Workers = cmp.Or(max(o.Workers, 0), 16)
	o.QueueBytes = cmp.Or(max(o.QueueBytes, 0), 32<<20)
	o.ReadLimit = max(cmp.Or(o.ReadLimit, 4<<20), -1)
	o.WebhookLimit = cmp.Or(max(o.WebhookLimit, 0), 1<<20)
	o.MaxEventAge = min(cmp.Or(o.MaxEventAge, 10*time.Minute), mostEventAge)
	o.MinBackoff = cmp.Or(max(o.MinBackoff, 0), time.Second)
	o.MaxBackoff = max(cmp.Or(max(o.MaxBackoff, 0), time.Minute), o.MinBackoff)
	return o, nil
}

func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("qqbot: invalid URL in the options") // err would quote the URL
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("qqbot: URL has scheme %q and host %q: want one such as %s", u.Scheme, u.Host, ProductionURL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("qqbot: URL of host %q has a password, a query or a fragment: remove it", u.Host)
	}
	return nil
}
