package models

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net"
	"net/http"
	"regexp"
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
// # Reasoning
//
// In OpenAI's format, a Transport also gives a thinking model its reasoning back. DeepSeek and Gemini reject tool results
// without the reasoning that led to the calls, and Kimi, GLM, Qwen and others answer worse. The Transport keeps the fields
// reasoning_content, reasoning and reasoning_details of a message with tool calls, and the extra_content of its calls, where
// Gemini puts a signature. It inserts them into the same message of the next requests. It inserts nothing else: answers
// without tool calls and providers that return no reasoning need none.
//
// A message is the same if the request begins with exactly the messages that the model answered, goes to the same URL with the same
// API key and model, and if each call has the same id, or the same name and arguments. Another conversation, provider or model
// never gets the reasoning. The Transport forgets it when the model answers with text and no call, after ten minutes
// without a request of the turn, or, least recently used first, above 1 MiB. It never logs it, and cuts an error of the provider
// that repeats it. A request without a GetBody function passes unchanged.
//
// A Transport may be used concurrently. It forwards a stream line by line and holds back the tool calls only, at most 1 MiB.
type Transport struct {
	Base http.RoundTripper // nil means http.DefaultTransport

	reasoning reasoningStore
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	seen, _ := req.Context().Value(httpStatusKey{}).(*httpStatus)
	if seen != nil {
		seen.begin(isPrivate(req.URL.Hostname()))
	}
	turn := t.reasoning.converse(req, time.Now())
	resp, err := base.RoundTrip(turn.apply(req))
	if err != nil {
		if seen != nil {
			seen.fail(noAnswer(req.URL.Host, err))
		}
		return resp, err
	}
	if resp.StatusCode != http.StatusOK {
		turn.hideReasoning(resp)
	}
	seen.record(resp.StatusCode, retryAfterHeader(resp.Header, time.Now()))
	if seen != nil {
		resp.Body = &watchedBody{resp.Body, req.URL.Host, seen}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode != http.StatusOK:
	case kind == "text/event-stream":
		resp.Body = repair(resp.Body, turn)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	case turn != nil:
		resp.Body = turn.read(resp.Body, time.Now())
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
	b.seen.keep(p[:n])
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
	err        error  // nil if the network did not fail
	body       []byte // the start of the body
	private    bool   // the server is on this machine or in a private network
	waiting    bool   // the request was sent, and no response has begun
}

func (s *httpStatus) begin(private bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.private, s.waiting = private, true
}

func (s *httpStatus) record(status int, retryAfter time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.retryAfter, s.err, s.body, s.waiting = status, retryAfter, nil, nil, false
}

func (s *httpStatus) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.retryAfter, s.err = 0, 0, err
}

// cause returns the error of the network, which names the host, in place of the client's text for it. For other kinds of
// failures it returns err, with the provider's text if err lacks it.
func (s *httpStatus) cause(k FailureKind, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil && (k == Network || k == BadResponse || k == Timeout):
		return s.err
	case k == WebPage:
		return errPage
	}
	if text := errorText(s.body); s.status >= 400 && text != "" && statusOnly.MatchString(err.Error()) {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// statusOnly matches the error of langchaingo's client for a body in another form than OpenAI's.
var statusOnly = regexp.MustCompile(`status code: \d+(: )?$`)

// refine returns f with the status and the Retry-After of the HTTP response, if that was an error.
func (s *httpStatus) refine(f Failure, err error) Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	page := s.isPage()
	if s.status < 400 && !page {
		return f
	}
	f.Status = s.status
	f.Kind = kindOfStatus(s.status, strings.ToLower(err.Error()+" "+errorText(s.body)))
	if page {
		f.Kind = WebPage
	}
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
