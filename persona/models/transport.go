package models

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Transport is an [http.RoundTripper] for the HTTP client of a langchaingo client:
//
//	openai.New(openai.WithHTTPClient(&http.Client{Transport: &models.Transport{}}))
//
// It passes the HTTP status, the delay of Retry-After or retry-after-ms, and the host and the cause of a network error to the
// [Chain], because the client's errors lack them. It also repairs streams in OpenAI's format. langchaingo's client (v0.1.14) joins the parts of tool calls in the
// order of their arrival and ignores their index. It also ignores errors in the stream and returns a truncated stream as a
// complete answer. With a Transport each tool call arrives whole, in the order of the indexes, before the end of the stream.
// Reading the body fails if the stream contains an error or ends without [DONE], a finish_reason or message_stop.
//
// It may be used concurrently. It forwards a stream line by line and holds back the tool calls only, at most 1 MiB.
type Transport struct {
	Base http.RoundTripper // nil means http.DefaultTransport
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	seen, _ := req.Context().Value(httpStatusKey{}).(*httpStatus)
	resp, err := base.RoundTrip(req)
	if err != nil {
		if seen != nil {
			seen.fail(noAnswer(req.URL.Host, err))
		}
		return resp, err
	}
	seen.record(resp.StatusCode, retryAfterHeader(resp.Header, time.Now()))
	if seen != nil {
		resp.Body = &watchedBody{resp.Body, req.URL.Host, seen}
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" && resp.StatusCode == http.StatusOK {
		resp.Body = repair(resp.Body)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
	return resp, nil
}

// noAnswer returns the error of a request without a response. The host was reached unless the dial failed.
func noAnswer(host string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("cannot reach %s: %w", host, err)
	}
	return fmt.Errorf("%s did not answer: %w", host, err)
}

// A watchedBody records why reading the body of a response failed.
type watchedBody struct {
	io.ReadCloser
	host string
	seen *httpStatus
}

// Read reads the body.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.seen.fail(fmt.Errorf("%s was reached, but its answer broke off: %w", b.host, err))
	}
	return n, err
}

// retryAfterHeader reads retry-after-ms, or Retry-After in seconds or as a date. It returns at most a day.
func retryAfterHeader(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		return clampWait(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return clampWait(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return clampWait(float64(at.Sub(now)))
	}
	return 0
}

func clampWait(ns float64) time.Duration {
	const day = float64(24 * time.Hour)
	if !(ns > 0) || math.IsInf(ns, -1) {
		return 0
	}
	return time.Duration(min(ns, day))
}

type httpStatusKey struct{}

// An httpStatus holds the status and the Retry-After of the last request of one model call, and why the network failed.
type httpStatus struct {
	mu         sync.Mutex
	status     int
	retryAfter time.Duration
	err        error // nil if the network did not fail
}

func (s *httpStatus) record(status int, retryAfter time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.retryAfter, s.err = status, retryAfter, nil
}

func (s *httpStatus) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.retryAfter, s.err = 0, 0, err
}

// cause returns the error of the network, which names the host, in place of the client's text for it. For other kinds of
// failures it returns err.
func (s *httpStatus) cause(k FailureKind, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil && (k == Network || k == BadResponse || k == Timeout) {
		return s.err
	}
	return err
}

// refine returns f with the status and the Retry-After of the HTTP response, if that was an error.
func (s *httpStatus) refine(f Failure, err error) Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status < 400 {
		return f
	}
	f.Status = s.status
	f.Kind = kindOfStatus(s.status, strings.ToLower(err.Error()))
	if s.retryAfter > 0 {
		f.RetryAfter = s.retryAfter
	}
	return f
}

// A StreamError is an error that a provider sent inside a stream.
type StreamError struct {
	Status  int // the equivalent HTTP status; 0 if unknown
	Message string
}

// Error implements error.
func (e *StreamError) Error() string { return "error in the stream: " + e.Message }

// StatusCode returns Status; see [Classify].
func (e *StreamError) StatusCode() int { return e.Status }
