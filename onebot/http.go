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

// An HTTPClient calls actions by one HTTP request each. It is a [Caller], so that its [HTTPClient.Bot] and bots made
// by [NewBot] have all typed actions; events come another way, usually by a [Webhook]. All methods may be called
// concurrently.
//
// No request is ever sent twice and no redirect is followed. A call whose request went out and whose answer did not
// come is as unclear as over WebSocket: see [ErrUnclear].
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
		DialContext:     (&net.Dialer{Timeout: dialTimeout}).DialContext, // no proxy, which would come from the environment
		IdleConnTimeout: 90 * time.Second,
	}}
	if c.opts.HTTPClient != nil {
		*c.http = *c.opts.HTTPClient
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.bot.Caller, c.bot.Limiter = c, c.opts.Limiter
	return c, nil
}

// Bot is the client's account. Its SelfID is 0 until get_login_info was called once, by [Bot.GetLoginInfo] or by
// name.
func (c *HTTPClient) Bot() *Bot { return &c.bot }

// CloseIdleConnections closes the connections that no call is using.
func (c *HTTPClient) CloseIdleConnections() { c.http.CloseIdleConnections() }

// Call implements [Caller].
func (c *HTTPClient) Call(ctx context.Context, action string, params, result any) error {
	return c.exchange(ctx, action, params, func(a answer, _ bool) (bool, error) { return false, a.into(result) })
}

// Stream implements [StreamCaller].
func (c *HTTPClient) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		err := c.exchange(ctx, action, params, func(a answer, more bool) (bool, error) { return yield(a.data, nil) && more, nil })
		if err != nil {
			yield(nil, err)
		}
	}
}

// exchange makes one request and gives take the parts of the answer, until it wants no more of them.
func (c *HTTPClient) exchange(ctx context.Context, action string, params any, take func(a answer, more bool) (bool, error)) error {
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
	var sent wire
	resp, err := c.http.Do(req.WithContext(sent.trace(ctx)))
	if err != nil {
		return noAnswer(action, httpFailure(ctx, err), sent.written())
	}
	defer resp.Body.Close()
	body := &limited{r: resp.Body}
	docs := json.NewDecoder(body)
	for more := true; more; {
		body.left = c.opts.ReadLimit
		f, err := nextAnswer(docs)
		switch status := resp.StatusCode; {
		case status < 200 || status > 299:
			return f.refused(action, status) // with whatever it says about it
		case err != nil:
			return noAnswer(action, httpFailure(ctx, err), true)
		}
		a := f.answer()
		if !a.ok {
			return a.refusal(action)
		}
		if action == "get_login_info" {
			c.learn(f.accountID())
		}
		last := !f.more()
		if timer != nil {
			timer.Stop() // it is the server's time, not that of the loop over a stream
		}
		if more, err = take(a, !last); err != nil {
			return noAnswer(action, err, true)
		}
		if timer != nil {
			timer.Reset(c.opts.CallTimeout)
		}
		if last {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10)) // so that the connection can be used again
		}
	}
	return nil
}

func (c *HTTPClient) learn(selfID int64) {
	if selfID != 0 {
		c.bot.self.Store(selfID)
	}
}

// request makes the request of a call.
func (c *HTTPClient) request(ctx context.Context, action string, params any) (*http.Request, error) {
	if err := ctx.Err(); err != nil {
		return nil, notWritten(action, err)
	}
	if action == "" || action == "." || action == ".." {
		return nil, badParams(action, errors.New("this is no action"))
	}
	params, err := c.opts.Filter.apply(ctx, c.bot.SelfID(), action, params)
	if err != nil {
		return nil, err
	}
	p, err := marshalParams(params)
	if err != nil {
		return nil, badParams(action, err)
	}
	req, err := http.NewRequest(http.MethodPost, c.base.JoinPath(url.PathEscape(action)).String(), bytes.NewReader(p))
	if err != nil {
		return nil, badParams(action, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "OneBot/11")
	if c.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	return req, nil
}

// errNoAnswer: whatever is there, it does not speak OneBot.
var errNoAnswer = errors.New("onebot: what came is no answer")

// nextAnswer reads one answer; the frame is never nil.
func nextAnswer(docs *json.Decoder) (*frame, error) {
	f := new(frame)
	var raw json.RawMessage
	if err := docs.Decode(&raw); err != nil {
		if errors.As(err, new(*json.SyntaxError)) || err == io.EOF {
			err = errNoAnswer
		}
		return f, err
	}
	d := decoder{b: raw}
	if err := d.frame(f); err != nil || f.status == "" {
		return f, errNoAnswer
	}
	return f, nil
}

// refused is an answer by an HTTP status that is no success.
func (f *frame) refused(action string, status int) error {
	return &APIError{Action: action, Code: cmp.Or(int(f.code), status), Wording: f.reason()}
}

// httpFailure says what a request failed of.
func httpFailure(ctx context.Context, err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // less the URL, which may hold a token
	}
	switch timeout := net.Error(nil); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == errNoAnswer, err == errTooLarge:
		return err
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return fmt.Errorf("%w: %w", ErrDisconnected, err)
}

// wire watches how far a request got.
type wire struct{ began, wrote atomic.Bool }

func (w *wire) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { w.began.Store(true) },
		WroteHeaders: func() { w.wrote.Store(true) },
	})
}

// written tells that the request may have gone out: for all that is known, when the transport tells nothing.
func (w *wire) written() bool { return w.wrote.Load() || !w.began.Load() }

var errTooLarge = errors.New("onebot: answer is larger than ReadLimit")

// limited bounds what is read until left is set anew.
type limited struct {
	r    io.Reader
	left int64 // < 0: no bound
}

func (l *limited) Read(p []byte) (int, error) {
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
