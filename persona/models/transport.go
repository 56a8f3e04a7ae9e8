package models

import (
	"math"
	"mime"
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
// It tells a [Chain] what the client's errors do not: the status and how long to wait (Retry-After, retry-after-ms). And
// it mends streams of OpenAI's format, for langchaingo's client (v0.1.14) glues the parts of tool calls together in the
// order in which they come, whatever their index, takes an error in the stream for nothing, and one that breaks off without a
// word for a complete answer: here each call of a tool comes whole and in the order of the indexes, before the stream's
// end; an error in the stream, or its end without one of [DONE], a finish_reason or message_stop, fails the body.
//
// It may be used concurrently. What is streamed passes on by lines; only calls of tools are kept back, at most 1 MiB.
type Transport struct {
	Base http.RoundTripper // nil means http.DefaultTransport
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	w, _ := req.Context().Value(wireKey{}).(*wire)
	w.note(resp.StatusCode, waitOf(resp.Header, time.Now()))
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" && resp.StatusCode == http.StatusOK {
		resp.Body = mend(resp.Body)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
	return resp, nil
}

// waitOf reads how long to wait: retry-after-ms, or Retry-After in seconds or as a date; at most a day.
func waitOf(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		return bounded(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return bounded(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return bounded(float64(at.Sub(now)))
	}
	return 0
}

func bounded(ns float64) time.Duration {
	const day = float64(24 * time.Hour)
	if !(ns > 0) || math.IsInf(ns, -1) {
		return 0
	}
	return time.Duration(min(ns, day))
}

type wireKey struct{}

// A wire is what a Transport saw of the last request of one call.
type wire struct {
	mu     sync.Mutex
	status int
	wait   time.Duration
}

func (w *wire) note(status int, wait time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status, w.wait = status, wait
}

// better gives f, with what is known from HTTP.
func (w *wire) better(f Failure, err error) Failure {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status < 400 { // it failed elsewhere
		return f
	}
	f.Status = w.status
	f.Kind = ofStatus(w.status, strings.ToLower(err.Error()))
	if w.wait > 0 {
		f.RetryAfter = w.wait
	}
	return f
}

// A StreamError is an error that a provider sent in the middle of a stream.
type StreamError struct {
	Status  int // as HTTP would have it; 0 if it cannot be told
	Message string
}

// Error gives Message.
func (e *StreamError) Error() string { return "error in the stream: " + e.Message }

// StatusCode gives Status.
func (e *StreamError) StatusCode() int { return e.Status }
