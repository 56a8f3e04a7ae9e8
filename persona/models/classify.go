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

// Classify returns the kind of a failed model call. It uses the methods StatusCode() int and RetryAfter() time.Duration of
// errors in the chain of err, and the codes of [llms.Error].
//
// langchaingo's clients (v0.1.14) return texts only, so Classify also searches the text. The clients for OpenAI and
// Anthropic return "API returned unexpected status code: 429: …". The one for Ollama returns the message of the body, often
// without the status. The one for OpenAI replaces network errors and canceled contexts by texts of its own. A [Transport]
// under the client provides the exact status.
func Classify(err error) Failure {
	if err == nil {
		return Failure{}
	}
	var call *CallError
	var chain *ChainError
	var known *kindError
	switch {
	case errors.As(err, &chain): // the chain has retried already
		return Failure{Kind: Unknown}
	case errors.As(err, &call):
		return call.Failure
	case errors.As(err, &known):
		return Failure{Kind: known.kind}
	}
	text := err.Error()
	f := Failure{Status: httpStatusIn(err, text), RetryAfter: retryAfterIn(err, text)}
	lower := strings.ToLower(text)
	if f.Status != 0 {
		f.Kind = kindOfStatus(f.Status, lower)
	} else {
		f.Kind = kindOfError(err, lower)
	}
	return f
}

// A kindError is an error of a client in this package that knows its kind.
type kindError struct {
	kind FailureKind
	error
}

func httpStatusIn(err error, text string) int {
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

// It matches "…status code: 429" and "googleapi: Error 429", and "429 Too Many Requests" at the start (Ollama).
var statusText = regexp.MustCompile(`(?:[Ss]tatus ?[Cc]ode:? |googleapi: Error )([1-5]\d\d)\b|^([45]\d\d) [A-Z]`)

func retryAfterIn(err error, text string) time.Duration {
	var delayed interface{ RetryAfter() time.Duration }
	if errors.As(err, &delayed) {
		return max(delayed.RetryAfter(), 0)
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

// kindOfStatus returns the kind of an HTTP status. lower is the error text in lower case; it may contain the reason.
func kindOfStatus(status int, lower string) FailureKind {
	switch {
	case status == 402, (status == 400 || status == 403 || status == 429) && containsAny(lower, quotaWords):
		return QuotaExceeded
	case (status == 400 || status == 403) && containsAny(lower, regionWords):
		return RegionBlocked
	case status == 429:
		return RateLimit
	case status == 503 && containsAny(lower, loadingWords):
		return Loading
	case status == 500 && containsAny(lower, lengthWords):
		return PromptTooLong
	case status >= 500, status == 408:
		return Overloaded
	case status == 401, status == 403 && !containsAny(lower, filterWords):
		return Unauthorized
	case status == 404:
		return NotFound
	case containsAny(lower, filterWords):
		return ContentFiltered
	case status == 413, containsAny(lower, lengthWords):
		return PromptTooLong
	case status == 400 && containsAny(lower, modelWords):
		return NotFound
	case status >= 400:
		return InvalidRequest
	}
	return BadResponse // an error despite a good status: the body could not be decoded
}

// Texts of providers and servers in lower case: messages, codes and types of errors.
var (
	quotaWords = []string{
		"insufficient_quota", "current quota", "exceeded_current_quota", "insufficient balance", "insufficient_balance", "credit balance", "billing hard limit",
		"arrear", "in good standing", "余额不足", "欠费", "1113: ", // 1113: Zhipu
	}
	regionWords = []string{"unsupported_country_region", "country, region, or territory not supported", "location is not supported", "not available in your country", "not available in your region"}
	filterWords = []string{
		"content_filter", "content filter", "content management policy", "content policy", "data_inspection_failed", "datainspectionfailed", "content exists risk",
		"high risk", "inappropriate content", "不安全或敏感", "1301: ", // 1301: Zhipu
	}
	lengthWords = []string{
		"context length", "context_length", "maximum context", "context window", "context size", "prompt is too long", "range of input length", "exceeds the max",
		"exceeds max length", "maximum prompt length", "model token limit", "exceed_context", "1261: ", // 1261: Zhipu
	}
	loadingWords = []string{"loading model", "model is loading", "loading the model"}                                                            // the first: llama.cpp
	modelWords   = []string{"supported api model names are", "model_not_found", "model not exist", "model does not exist", "invalid model name"} // the first: DeepSeek
)

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

func kindOfError(err error, lower string) FailureKind {
	var coded *llms.Error
	var link *url.Error
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	var network net.Error
	switch {
	case errors.As(err, &coded) && kindOfCode[coded.Code] != Unknown:
		return kindOfCode[coded.Code]
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
	}
	return kindOfWords(lower)
}

// kindOfWords returns the kind of an error of which only the text is known.
func kindOfWords(lower string) FailureKind {
	switch {
	case containsAny(lower, quotaWords):
		return QuotaExceeded
	case containsAny(lower, regionWords):
		return RegionBlocked
	case containsAny(lower, filterWords):
		return ContentFiltered
	case containsAny(lower, lengthWords):
		return PromptTooLong
	case containsAny(lower, loadingWords):
		return Loading
	}
	return Unknown
}

var kindOfCode = map[llms.ErrorCode]FailureKind{
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
