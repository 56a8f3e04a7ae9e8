package models

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Classify tells how a model call failed. Errors that have a StatusCode() int or a RetryAfter() time.Duration somewhere
// in their chain are believed; so are the codes of [llms.Error]. langchaingo's clients (read in v0.1.14) give none of
// these but texts: OpenAI's and Anthropic's say "API returned unexpected status code: 429: …", Ollama's gives the body's
// message, often without the status, and OpenAI's replaces what the network said, a canceled context too, by a sentence
// of its own. With [Transport] under the client, what HTTP said is known exactly.
func Classify(err error) Failure {
	if err == nil {
		return Failure{}
	}
	var told *CallError
	var chain *ChainError
	switch {
	case errors.As(err, &chain): // it has tried what could be tried
		return Failure{Kind: Unknown}
	case errors.As(err, &told):
		return told.Failure
	}
	text := err.Error()
	f := Failure{Status: statusOf(err, text), RetryAfter: retryAfter(err, text)}
	lower := strings.ToLower(text)
	if f.Status != 0 {
		f.Kind = ofStatus(f.Status, lower)
	} else {
		f.Kind = ofError(err, lower)
	}
	return f
}

func statusOf(err error, text string) int {
	var coded interface{ StatusCode() int }
	if errors.As(err, &coded) {
		return coded.StatusCode()
	}
	m := statusText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1] + m[2])
	return n
}

// "…status code: 429", "StatusCode: 429", "googleapi: Error 429"; or "429 Too Many Requests", as Ollama's begins.
var statusText = regexp.MustCompile(`(?:[Ss]tatus ?[Cc]ode:? |googleapi: Error )([1-5]\d\d)\b|^([45]\d\d) [A-Z]`)

func retryAfter(err error, text string) time.Duration {
	var told interface{ RetryAfter() time.Duration }
	if errors.As(err, &told) {
		return max(told.RetryAfter(), 0)
	}
	m := retryText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	unit := time.Second
	switch m[2] {
	case "ms":
		unit = time.Millisecond
	case "m":
		unit = time.Minute
	}
	return time.Duration(min(n*float64(unit), float64(24*time.Hour)))
}

// OpenAI's "Please try again in 1.2s", "in 20 seconds", "in 350ms".
var retryText = regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s|m)`)

// ofStatus gives the kind of an HTTP status. What a request was refused for stands in the text.
func ofStatus(status int, lower string) FailureKind {
	switch {
	case status == 402, (status == 400 || status == 403 || status == 429) && has(lower, quotaWords):
		return QuotaExceeded
	case status == 429:
		return RateLimit
	case status >= 500, status == 408:
		return Overloaded
	case status == 401, status == 403 && !has(lower, filterWords):
		return Unauthorized
	case status == 404:
		return NotFound
	case has(lower, filterWords):
		return ContentFiltered
	case status == 413, has(lower, lengthWords):
		return PromptTooLong
	case status >= 400:
		return InvalidRequest
	}
	return BadResponse // a good status, and yet an error: the body was not what it should be
}

var (
	// What OpenAI, Azure, DeepSeek, DashScope, Moonshot and Zhipu say; all in lower case.
	quotaWords  = []string{"insufficient_quota", "current quota", "insufficient balance", "credit balance", "billing hard limit", "arrear", "in good standing", "余额不足", "欠费"}
	filterWords = []string{"content_filter", "content filter", "content management policy", "content policy", "data_inspection_failed", "content exists risk", "high risk", "inappropriate content", "不安全或敏感"}
	lengthWords = []string{"context length", "context_length", "maximum context", "context window", "prompt is too long", "range of input length", "exceeds the max", "exceed_context"}
)

func has(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

func ofError(err error, lower string) FailureKind {
	var coded *llms.Error
	var link *url.Error
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	var network net.Error
	switch {
	case errors.As(err, &coded) && codes[coded.Code] != Unknown:
		return codes[coded.Code]
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(), strings.HasPrefix(lower, "request timeout: "):
		return Timeout
	case errors.As(err, &link), errors.Is(err, syscall.ECONNREFUSED), strings.HasPrefix(lower, "network error: "):
		return Network
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &syntax), errors.As(err, &shape), errors.As(err, &network),
		strings.Contains(lower, "reading streaming response"), strings.Contains(lower, "issue scanning response"), strings.Contains(lower, "parse stream event"):
		return BadResponse
	case lower == "no response", lower == "empty response", strings.HasSuffix(lower, ": no response"):
		return EmptyAnswer
	case strings.Contains(lower, "overloaded_error"), strings.Contains(lower, "received error event") && strings.Contains(lower, "api_error"):
		return Overloaded
	case strings.Contains(lower, "rate_limit_error"):
		return RateLimit
	case strings.HasPrefix(lower, "model ") && strings.HasSuffix(lower, "not found"), strings.Contains(lower, "not found, try pulling it"):
		return NotFound
	case has(lower, quotaWords):
		return QuotaExceeded
	case has(lower, filterWords):
		return ContentFiltered
	case has(lower, lengthWords):
		return PromptTooLong
	}
	return Unknown
}

var codes = map[llms.ErrorCode]FailureKind{
	llms.ErrCodeAuthentication:      Unauthorized,
	llms.ErrCodeRateLimit:           RateLimit,
	llms.ErrCodeInvalidRequest:      InvalidRequest,
	llms.ErrCodeResourceNotFound:    NotFound,
	llms.ErrCodeTimeout:             Timeout,
	llms.ErrCodeCanceled:            Canceled,
	llms.ErrCodeQuotaExceeded:       QuotaExceeded,
	llms.ErrCodeContentFilter:       ContentFiltered,
	llms.ErrCodeTokenLimit:          PromptTooLong,
	llms.ErrCodeProviderUnavailable: Overloaded,
	llms.ErrCodeNotImplemented:      InvalidRequest,
}
