package qqbot_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// rewrite replaces wss by ws in answers.
type rewrite struct {
	next func(*http.Request) (*http.Response, error)
}

func (r rewrite) RoundTrip(q *http.Request) (*http.Response, error) {
	resp, err := r.next(q)
	if err != nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	b = bytes.ReplaceAll(b, []byte("wss://"), []byte("ws://"))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	resp.Header.Set("Content-Length", strconv.Itoa(len(b)))
	return resp, nil
}
