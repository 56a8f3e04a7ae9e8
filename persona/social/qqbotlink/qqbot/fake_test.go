package qqbot

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A platform answers requests in memory, so tests of time can run in a synctest bubble.
type platform struct {
	mu     sync.Mutex
	token  func() string // the answer to getAppAccessToken
	serve  func(r *http.Request, body string) (status int, answer string)
	tokens int
	calls  []string // method, path and body
}

func (p *platform) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, answer := 200, ""
	p.mu.Lock()
	if strings.HasSuffix(r.URL.Path, "getAppAccessToken") {
		p.tokens++
		answer = p.token()
	} else {
		p.calls = append(p.calls, r.Method+" "+r.URL.EscapedPath()+" "+string(body))
		status, answer = p.serve(r, string(body))
	}
	p.mu.Unlock()
	return &http.Response{StatusCode: status, Header: http.Header{"X-Tps-Trace-Id": {"t-1"}}, Body: io.NopCloser(bytes.NewReader([]byte(answer))), Request: r}, nil
}

func (p *platform) client(tb testing.TB) *Client {
	if p.token == nil {
		p.token = func() string { return `{"access_token":"hush","expires_in":"7200"}` }
	}
	if p.serve == nil {
		p.serve = func(*http.Request, string) (int, string) { return 200, `{"id":"m","ext_info":{"ref_idx":"REFIDX_1"}}` }
	}
	c, err := New("102", "geheim", Options{HTTPClient: &http.Client{Transport: p}})
	require.NoError(tb, err)
	return c
}
