package qqbot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// lastMinute is the time before its end in which the platform replaces a token. Before that it returns the same one.
	lastMinute = time.Minute
	// shortestUse is how long a token is used at least if the platform does not replace it in its last minute.
	shortestUse = 5 * time.Second
	// refusalPause separates fetches after the platform has refused one, because it limits them.
	refusalPause = time.Second
)

// tokens holds the access token. It fetches a new one in the last minute of the old one, for all waiting callers at once.
type tokens struct {
	appID  string
	secret string
	url    string
	http   *http.Client
	limit  time.Duration // for one fetch; 0: none

	turn chan struct{} // held while fetching; a channel, so that waiting ends with a context

	mu     sync.Mutex
	token  string
	ends   time.Time
	renew  time.Time // from then on a new token is fetched
	failed error     // of the last fetch
	at     time.Time // when the last fetch failed
}

func newTokens(appID, secret string, o *Options) *tokens {
	return &tokens{appID: appID, secret: secret, url: o.TokenURL, http: o.HTTPClient, limit: max(o.CallTimeout, 0),
		turn: make(chan struct{}, 1)}
}

// get returns a token that is valid now.
func (t *tokens) get(ctx context.Context) (string, error) {
	began := time.Now()
	if token, ok := t.current(began); ok {
		return token, nil
	}
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("qqbot: access token: %w", ctx.Err())
	}
	defer func() { <-t.turn }()
	// another caller may have fetched meanwhile
	if token, ok := t.current(time.Now()); ok {
		return token, nil
	}
	err := t.failedSince(began)
	if err == nil {
		err = t.refusedSince(time.Now().Add(-refusalPause))
	}
	if err != nil {
		return "", err
	}
	err = t.fetch(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); err != nil && now.Before(t.ends) {
		t.renew = now.Add(shortestUse) // the old token is valid to its end
		err = nil
	}
	if err != nil {
		if ctx.Err() == nil { // a caller that gives up says nothing about the platform
			t.failed, t.at = err, time.Now()
		}
		return "", err
	}
	return t.token, nil
}

func (t *tokens) current(now time.Time) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token, t.token != "" && now.Before(t.renew)
}

// failedSince returns the error of a fetch that failed after a time.
func (t *tokens) failedSince(began time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil && !t.at.Before(began) {
		return t.failed
	}
	return nil
}

// refusedSince returns the platform's refusal of a fetch after a time. A network that failed may be back.
func (t *tokens) refusedSince(since time.Time) error {
	if err := t.failedSince(since); errors.As(err, new(*APIError)) {
		return err
	}
	return nil
}

// reject forgets a token that the platform has refused, unless it was replaced meanwhile.
func (t *tokens) reject(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token, t.ends, t.renew = "", time.Time{}, time.Time{}
	}
}

// fetch gets a token. Its errors contain neither the secret nor the answer, which might hold a token.
func (t *tokens) fetch(ctx context.Context) error {
	if t.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.limit)
		defer cancel()
	}
	body, err := json.Marshal(map[string]string{"appId": t.appID, "clientSecret": t.secret})
	if err != nil {
		return errors.New("qqbot: access token: the app id or secret is not valid UTF-8")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("qqbot: access token: invalid URL")
	}
	req.Header.Set("Content-Type", "application/json")
	began := time.Now() // before the request, so that the token is never thought to live longer than it does
	resp, err := t.http.Do(req)
	if err != nil {
		return fmt.Errorf("qqbot: access token: %w", withoutURL(err))
	}
	defer resp.Body.Close()
	raw, err := readAnswer(resp)
	if err != nil {
		return fmt.Errorf("qqbot: access token: %w", err)
	}
	answer, _ := parseObject(raw)
	token, life := answer.text("access_token"), answer.whole("expires_in")
	if token == "" || life <= 0 { // a refusal has HTTP status 200, too
		return &APIError{Call: "getAppAccessToken", Status: resp.StatusCode, Code: int(answer.whole("code")),
			Message: answer.text("message"), TraceID: traceID(resp, answer)}
	}
	now := time.Now()
	ends := began.Add(time.Duration(min(life, 24*3600)) * time.Second)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token, t.ends, t.failed = token, ends, nil
	t.renew = ends.Add(-lastMinute)
	if soonest := now.Add(min(shortestUse, ends.Sub(now)/2)); t.renew.Before(soonest) {
		t.renew = soonest // the platform returned an old token: do not ask for each call
	}
	return nil
}
