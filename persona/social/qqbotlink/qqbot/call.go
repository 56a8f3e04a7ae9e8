package qqbot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// answerLimit limits an answer of the API.
const answerLimit = 8 << 20

// A call is one request to the API.
type call struct {
	name    string // for errors
	method  string
	path    string // with escaped ids
	body    any    // nil: none
	route   route
	visible bool          // others see its effect, so its outcome matters
	limit   time.Duration // instead of Options.CallTimeout, if the context has no deadline
}

// Call calls an endpoint that has no method here. path begins with a slash and may have a query; use url.PathEscape for ids in
// it. body is marshaled as JSON; nil sends none. A refused access token is replaced and the call is sent once more. If the
// method is POST, an error after the request was written matches [ErrUnclear].
func (c *Client) Call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, errors.New("qqbot: call: path must begin with a slash")
	}
	return c.do(ctx, call{name: "call", method: method, path: path, body: body, visible: method == http.MethodPost})
}

// object makes a call whose answer is a JSON object.
func (c *Client) object(ctx context.Context, k call) (object, error) {
	raw, err := c.do(ctx, k)
	if err != nil {
		return nil, err
	}
	o, _ := parseObject(raw) // an empty answer has no fields
	return o, nil
}

// do makes a call. A refused token means that nothing was done, so the call is safe to send again with a new one.
func (c *Client) do(ctx context.Context, k call) (json.RawMessage, error) {
	var body []byte
	if k.body != nil {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(k.body); err != nil {
			return nil, &callError{call: k.name, err: err}
		}
		body = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	if _, ok := ctx.Deadline(); !ok && c.opts.CallTimeout > 0 {
		limit := c.opts.CallTimeout
		if k.limit > 0 {
			limit = k.limit
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for attempt := 0; ; attempt++ {
		token, err := c.tokens.get(ctx)
		if err != nil {
			return nil, &callError{call: k.name, err: err}
		}
		if err := c.limits.wait(ctx, k.route); err != nil {
			return nil, &callError{call: k.name, err: err}
		}
		raw, err := c.try(ctx, k, body, token)
		if kind, refused := KindOf(err); refused && kind == KindToken {
			c.tokens.reject(token)
			if attempt == 0 {
				continue
			}
		}
		return raw, err
	}
}

// try sends the request once.
func (c *Client) try(ctx context.Context, k call, body []byte, token string) (json.RawMessage, error) {
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { written.Store(true) }, // the platform may act on a request whose end it did not see
	})
	req, err := http.NewRequestWithContext(ctx, k.method, c.opts.BaseURL+k.path, bytes.NewReader(body))
	if err != nil {
		return nil, &callError{call: k.name, err: errors.New("invalid method or path")}
	}
	req.Header.Set("Authorization", "QQBot "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "hearth-qqbot")
	began := time.Now()
	resp, err := c.opts.HTTPClient.Do(req)
	if err != nil {
		c.health.countCall(0, err)
		return nil, &callError{k.name, k.visible && written.Load(), withoutURL(err)}
	}
	defer resp.Body.Close()
	raw, err := readAnswer(resp)
	c.health.countCall(time.Since(began), err)
	if err != nil && resp.StatusCode < 400 {
		return nil, &callError{k.name, k.visible, err}
	}
	answer, parseErr := parseObject(raw)
	code := answer.whole("code")
	if code == 0 {
		code = answer.whole("err_code")
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent || code != 0 {
		return nil, c.refusal(k, resp, answer, code)
	}
	if parseErr != nil && len(bytes.TrimSpace(raw)) > 0 && !json.Valid(raw) {
		return nil, &callError{k.name, k.visible, errors.New("the answer is not JSON")}
	}
	c.limits.accepted(k.route)
	return raw, nil
}

func (c *Client) refusal(k call, resp *http.Response, answer object, code int64) error {
	e := &APIError{Call: k.name, Status: resp.StatusCode, Code: int(code), Message: answer.text("message"), TraceID: traceID(resp, answer), visible: k.visible}
	if _, known := kinds[e.Code]; !known { // the second code may be the known one
		if second := int(answer.whole("err_code")); kinds[second] != KindOther {
			e.Code = second
		}
	}
	if e.Kind() == KindRateLimited {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		e.RetryAfter = c.limits.refused(time.Now(), k.route, time.Duration(min(max(seconds, 0), 3600))*time.Second)
	}
	return e
}

// readAnswer reads the body of an answer up to the limit.
func readAnswer(resp *http.Response) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit+1))
	if err == nil && len(raw) > answerLimit {
		return nil, errors.New("the answer is too large")
	}
	return raw, err
}

func traceID(resp *http.Response, answer object) string {
	if id := answer.text("trace_id"); id != "" {
		return id
	}
	return resp.Header.Get("X-Tps-Trace-Id")
}

// withoutURL removes the URL from an error, because it contains ids of people.
func withoutURL(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// pathID escapes an id for a path. It refuses ids that would lead to another path.
func pathID(id string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", fmt.Errorf("invalid id %q", id)
	}
	return url.PathEscape(id), nil
}
