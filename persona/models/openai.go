package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// Base URLs for [OpenAI] and the other clients.
const (
	OpenAIURL = "https://api.openai.com/v1"
	OllamaURL = "http://127.0.0.1:11434/v1" // Ollama on this machine. langchaingo's own client for Ollama drops tools
)

// OpenAIOptions are the options of [OpenAI], [OpenAIEmbedder], [OpenAITranscriber] and [OpenAISpeech].
type OpenAIOptions struct {
	Base http.RoundTripper // sends the requests; nil means http.DefaultTransport, which honors HTTPS_PROXY

	// NoSchema sends no response_format. By default a call whose answer must be JSON (see prompt.SchemaOf) asks the server
	// for it by a strict JSON schema. If the server rejects that with 400 or 422, the client asks for any JSON object, and
	// if the server rejects that, too, for text. It remembers what the server accepts. Set NoSchema for a server that
	// accepts a schema and answers badly.
	NoSchema bool

	// AudioFormat is the response_format of OpenAISpeech, such as "mp3", "wav" or "opus"; "" means "mp3". Groq and Zhipu
	// require "wav".
	AudioFormat string
}

// OpenAI returns a client for an OpenAI-compatible chat completions API, such as OpenAI, DeepSeek, Qwen (DashScope), Kimi,
// Zhipu, vLLM or Ollama. baseURL is the address without "/chat/completions", for example "https://api.deepseek.com/v1".
// name is the model's name at the service.
//
// key is the API key. It may be empty if the server is on this machine or in a private network. The client then sends no
// Authorization header. OpenAI reads no environment variables such as OPENAI_API_KEY. It makes no request, so a wrong key
// fails at the first call.
//
// The client is langchaingo's with the repairs of [Transport] and [Normalize]. A call also fails if the answer is empty and has
// no finish reason, or if ctx ends during streaming. langchaingo returns no error in these cases. The error is a
// *[CallError], or the error of the caller's streaming function. errors.Is finds the error of ctx if ctx ended the call.
//
// The client has no timeout and does not retry; use it in a [Chain] or with [Retry]. It may be called concurrently.
func OpenAI(baseURL, name, key string, o OpenAIOptions) (llms.Model, error) {
	client, err := newOpenAI(baseURL, name, key, o)
	if err != nil {
		return nil, fmt.Errorf("models: OpenAI: %w", err)
	}
	return Normalize(&openAI{name: name, generate: client.GenerateContent}), nil
}

// OpenAIEmbedder returns an embedder for a service with OpenAI's embeddings API. The arguments are those of [OpenAI].
func OpenAIEmbedder(baseURL, name, key string, o OpenAIOptions) (embeddings.Embedder, error) {
	client, err := newOpenAI(baseURL, name, key, o)
	if err != nil {
		return nil, fmt.Errorf("models: OpenAIEmbedder: %w", err)
	}
	return embeddings.NewEmbedder(client)
}

func newOpenAI(baseURL, name, key string, o OpenAIOptions) (*openai.LLM, error) {
	base, err := parseArguments(baseURL, name, key)
	if err != nil {
		return nil, err
	}
	var transport http.RoundTripper = &Transport{Base: o.Base}
	if !o.NoSchema {
		transport = &formatter{base: transport}
	}
	client := &http.Client{Transport: transport}
	options := []openai.Option{ // langchaingo reads those that are missing from the environment
		openai.WithBaseURL(base.String()), openai.WithModel(name), openai.WithEmbeddingModel(name),
		openai.WithToken(key), openai.WithOrganization(""), openai.WithHTTPClient(client),
	}
	if key == "" { // langchaingo requires a key
		options = append(options, openai.WithToken("none"), openai.WithHTTPClient(keyless{client}))
	}
	return openai.New(options...)
}

// parseArguments validates the arguments of a client and returns the base URL.
func parseArguments(baseURL, name, key string) (*url.URL, error) {
	base, err := parseBaseURL(baseURL)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, errors.New("the model's name is empty")
	case key == "" && !isPrivate(base.Hostname()):
		return nil, fmt.Errorf("the API key for %s is empty", base.Host)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the API key contains a space, a line break or a character outside ASCII")
	}
	return base, nil
}

// keyless is an HTTP client that sends no API key.
type keyless struct{ *http.Client }

// Do modifies req, which langchaingo's client created for this call.
func (k keyless) Do(req *http.Request) (*http.Response, error) {
	req.Header.Del("Authorization")
	return k.Client.Do(req)
}

// parseBaseURL validates a base URL. Its errors do not contain the URL, because it may be a key in the wrong argument.
func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return nil, fmt.Errorf("the base URL is empty; OpenAI's is %s", OpenAIURL)
	case err != nil:
		return nil, errors.New("the base URL cannot be parsed")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("the base URL must begin with http:// or https:// and a host, for example " + OpenAIURL)
	case u.User != nil:
		return nil, errors.New("the base URL contains a user name or a password")
	case u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, errors.New("the base URL contains a query or a fragment")
	}
	u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}
	for _, call := range []string{"/chat/completions", "/embeddings", "/models", transcriptionsPath, speechPath} {
		if strings.HasSuffix(u.Path, call) {
			return nil, fmt.Errorf("the base URL must not contain %s", call)
		}
	}
	return u, nil
}

// isPrivate reports whether a host is this machine or in a private network.
func isPrivate(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last == host || slices.Contains([]string{"localhost", "local", "lan", "home", "internal"}, last)
}

// openAI turns the incomplete answers of a client into errors, and wraps its errors in a [CallError].
type openAI struct {
	name     string
	generate func(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) // of the client
}

// Call implements [llms.Model].
func (m *openAI) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements [llms.Model].
func (m *openAI) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	var callerErr error
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		options = append(options[:len(options):len(options)], keepError(o, &callerErr))
	}
	status, ok := ctx.Value(httpStatusKey{}).(*httpStatus) // that of a chain
	if !ok {
		status = &httpStatus{}
		ctx = context.WithValue(ctx, httpStatusKey{}, status)
	}
	resp, err := m.generate(ctx, messages, options...)
	e := &CallError{Model: m.name, Err: err}
	switch {
	case callerErr != nil:
		return nil, callerErr
	case ctx.Err() != nil && (err != nil || o.StreamingFunc != nil || o.StreamingReasoningFunc != nil):
		e.Failure, e.Err = Classify(ctx.Err()), ctx.Err()
	case err != nil:
		e.Failure = status.refine(Classify(err), err)
		e.Kind, e.Err = status.explain(e.Kind, status.cause(e.Kind, err))
	default:
		if e.Kind, e.Err = status.explain(emptyAnswer(resp)); e.Err == nil {
			return resp, nil
		}
	}
	return resp, e // Meter counts the tokens of an empty answer in resp
}

// keepError stores the first error of the caller's streaming functions in first.
func keepError(o llms.CallOptions, first *error) llms.CallOption {
	keep := func(err error) error {
		if *first == nil {
			*first = err
		}
		return err
	}
	return func(inner *llms.CallOptions) {
		if f := o.StreamingFunc; f != nil {
			inner.StreamingFunc = func(ctx context.Context, text []byte) error { return keep(f(ctx, text)) }
		}
		if f := o.StreamingReasoningFunc; f != nil {
			inner.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
				return keep(f(ctx, reasoning, text))
			}
		}
	}
}
