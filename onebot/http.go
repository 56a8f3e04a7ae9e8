package onebot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// An HTTPClient calls actions, one HTTP request each. It is a [Caller], so [HTTPClient.Bot] and bots from [NewBot]
// have all typed actions. Events arrive in another way, usually by a [Webhook]. All methods may be called
// concurrently.
//
// It never sends a request twice and follows no redirect. If a request was written and its response did not come, the
// call is unclear as over WebSocket: see [ErrUnclear].
type HTTPClient struct {
	base *url.URL
	opts Options
	http *http.Client
	bot  Bot
}

// NewHTTPClient returns a client for a URL such as http://127.0.0.1:3000, or an error if the URL is invalid. It uses
// these options: Token, CallTimeout (0 means 10 s here), ReadLimit (of one response), HTTPClient, Filter and Limiter.
func NewHTTPClient(baseURL string, opts Options) (*HTTPClient, error) {
	base, err := parseURL(baseURL, "http", "https")
	if err != nil {
		return nil, err
	}
	opts.CallTimeout = cmp.Or(opts.CallTimeout, 10*time.Second)
	c := &HTTPClient{base: base, opts: opts.withDefaults()}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext:     (&net.Dialer{Timeout: dialTimeout}).DialContext, // no proxy from the environment
		IdleConnTimeout: 90 * time.Second,
	}}
	if c.opts.HTTPClient != nil {
		*c.http = *c.opts.HTTPClient
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.bot.Caller, c.bot.Limiter = c, c.opts.Limiter
	return c, nil
}

// Bot returns the client's account. Its SelfID is 0 until a call of get_login_info, by [Bot.GetLoginInfo] or by name.
func (c *HTTPClient) Bot() *Bot { return &c.bot }

// CloseIdleConnections closes all connections that are not in use.
func (c *HTTPClient) CloseIdleConnections() { c.http.CloseIdleConnections() }

// Call implements [Caller].
func (c *HTTPClient) Call(ctx context.Context, action string, params, result any) error {
	return c.exchange(ctx, action, params, func(a response, _ bool) (bool, error) { return false, a.decode(result) })
}

// Stream implements [StreamCaller].
func (c *HTTPClient) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		err := c.exchange(ctx, action, params, func(a response, more bool) (bool, error) { return yield(a.data, nil) && more, nil })
		if err != nil {
			yield(nil, err)
		}
	}
}

// exchange makes one request and passes the parts of the response to take until take returns false.
func (c *HTTPClient) exchange(ctx context.Context, action string, params any, take func(a response, more bool) (bool, error)) error {
	req, err := c.request(ctx, action, params)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var timer *time.Timer
	if _, has := ctx.Deadline(); !has && c.opts.CallTimeout > 0 {
		timer = time.AfterFunc(c.opts.CallTimeout, func() { cancel(ErrTimeout) })
		defer timer.Stop()
	}
	var sent requestTrace
	resp, err := c.http.Do(req.WithContext(sent.trace(ctx)))
	if err != nil {
		return noResponseError(action, httpFailure(ctx, err), sent.written())
	}
	defer resp.Body.Close()
	body := &limitedReader{r: resp.Body}
	docs := json.NewDecoder(body)
	for more := true; more; {
		body.left = c.opts.ReadLimit
		f, err := nextResponse(docs)
		switch status := resp.StatusCode; {
		case status < 200 || status > 299:
			return f.httpError(action, status) // with the text of the response
		case err != nil:
			return noResponseError(action, httpFailure(ctx, err), true)
		}
		a := f.response()
		if !a.ok {
			return a.apiError(action)
		}
		if action == "get_login_info" {
			c.learn(f.accountID())
		}
		last := !f.more()
		if timer != nil {
			timer.Stop() // limits the server's time, not the time of the caller's loop
		}
		if more, err = take(a, !last); err != nil {
			return noResponseError(action, err, true)
		}
		if timer != nil {
			timer.Reset(c.opts.CallTimeout)
		}
		if last {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10)) // lets the connection be reused
		}
	}
	return nil
}

func (c *HTTPClient) learn(selfID int64) {
	if selfID != 0 {
		c.bot.self.Store(selfID)
	}
}

// request builds the HTTP request of a call.
func (c *HTTPClient) request(ctx context.Context, action string, params any) (*http.Request, error) {
	if err := ctx.Err(); err != nil {
		return nil, notWrittenError(action, err)
	}
	if action == "" || action == "." || action == ".." {
		return nil, badParamsError(action, errors.New("invalid action name"))
	}
	params, err := c.opts.Filter.apply(ctx, c.bot.SelfID(), action, params)
	if err != nil {
		return nil, err
	}
	p, err := marshalParams(params)
	if err != nil {
		return nil, badParamsError(action, err)
	}
	req, err := http.NewRequest(http.MethodPost, c.base.JoinPath(url.PathEscape(action)).String(), bytes.NewReader(p))
	if err != nil {
		return nil, badParamsError(action, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "OneBot/11")
	if c.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	return req, nil
}

// errNotOneBot means that the peer does not speak OneBot.
var errNotOneBot = errors.New("onebot: not a OneBot response")

// nextResponse reads one response; the frame is never nil.
func nextResponse(docs *json.Decoder) (*frame, error) {
	f := new(frame)
	var raw json.RawMessage
	if err := docs.Decode(&raw); err != nil {
		if errors.As(err, new(*json.SyntaxError)) || err == io.EOF {
			err = errNotOneBot
		}
		return f, err
	}
	d := decoder{b: raw}
	if err := d.frame(f); err != nil || f.status == "" {
		return f, errNotOneBot
	}
	return f, nil
}

// httpError converts a response with an HTTP error status.
func (f *frame) httpError(action string, status int) error {
	return &APIError{Action: action, Code: cmp.Or(int(f.code), status), Wording: f.reason()}
}

// httpFailure returns the cause of a failed request.
func httpFailure(ctx context.Context, err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // without the URL, because it may hold a token
	}
	switch timeout := net.Error(nil); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == errNotOneBot, err == errTooLarge:
		return err
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return fmt.Errorf("%w: %w", ErrDisconnected, err)
}

// requestTrace tracks the progress of a request.
type requestTrace struct{ began, wrote atomic.Bool }

func (w *requestTrace) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { w.began.Store(true) },
		WroteHeaders: func() { w.wrote.Store(true) },
	})
}

// written reports whether the request may have been written. It returns true if the transport reports nothing.
func (w *requestTrace) written() bool { return w.wrote.Load() || !w.began.Load() }

var errTooLarge = errors.New("onebot: response exceeds ReadLimit")

// limitedReader limits the bytes read until left is set again.
type limitedReader struct {
	r    io.Reader
	left int64 // < 0: no limit
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left < 0 {
		return l.r.Read(p)
	}
	if l.left == 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
