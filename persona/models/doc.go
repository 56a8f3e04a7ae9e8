// Package models makes calls to language models reliable: an OpenAI-compatible client without langchaingo's bugs, clients for
// speech, retries, fallback to another model, a circuit breaker for each model, and counting of tokens. All models are [llms.Model] of
// langchaingo. [OpenAI] returns a client, a [Chain] calls the first of several models that works, and [Meter] reports the
// cost of each call, for example to a budget:
//
//	budget, err := heartflow.NewBudget(heartflow.BudgetOptions{})
//	deepseek, err := models.OpenAI("https://api.deepseek.com/v1", name1, key1, models.OpenAIOptions{})
//	qwen, err := models.OpenAI("https://dashscope.aliyuncs.com/compatible-mode/v1", name2, key2, models.OpenAIOptions{})
//	chain, err := models.NewChain([]models.Candidate{
//		{Name: "deepseek", Model: deepseek, Timeout: 20 * time.Second},
//		{Name: "qwen", Model: qwen},
//	}, models.ChainOptions{})
//	model := models.Meter(chain, func(_ context.Context, u models.Usage) {
//		budget.AddCall(time.Now(), "", u.Total())
//	})
//
// Names of models are retired after months. Keep them in the configuration. GET /models of the service lists the current ones.
//
// [Retry] is a chain of one model. For other clients of langchaingo, set a [Transport] in their HTTP client and wrap them
// with [Normalize]. Use OpenAI for Ollama, too, with [OllamaURL]: langchaingo's own client for Ollama drops the tools. For a
// model without native tool calls, set script.Model of nit/script as the Model of a [Candidate]. The other models of the chain
// keep their native calls.
//
// # Voice
//
// [OpenAITranscriber] turns speech into text, and [OpenAISpeech] turns text into speech. Both are models, too, so that a Chain, Retry,
// Meter and Observe wrap them as they are. [Transcribe] and [Speak] call such a model. A transcript without a report of
// its usage counts as 1,000 tokens, and speech counts as its text. A voice message of QQ is silk or amr, which most services refuse: convert it to
// mp3 first, for example with get_record of OneBot.
//
// # Purposes and records
//
// [WithPurpose] says what a call is for, and [PurposeOf] lets the report of a Meter sum by it. Package social gives each of its calls
// a purpose. [Observe] reports more than Meter: the model that answered, each attempt with the kind of its failure, and the time to the
// first token.
//
// # Failures
//
// [Classify] returns the [FailureKind] of an error, and the kind decides what follows. The chain retries a model after 429, 5xx and
// network errors. It retries twice, after one or two seconds or after the time in Retry-After. After any other failure it
// calls the next model immediately. That includes 400 and 401 because another model may accept the request or has another
// key. [Failure.Advice] says what a person can do. A request that a provider's content filter rejects goes to no other model. The chain never retries after a chunk of
// the answer was streamed to the caller, or after a tool ran (see [WithoutRetry]). Its error is a [ChainError] that lists each
// failure, without keys.
//
// A [Breaker] stops the calls of a model that fails. The first call after five seconds tries the model again. It waits for as
// long as Retry-After says, and for a minute after 401, 402, 403 and 404, which a person has to repair. The chain logs the cause
// and the end. [Cause] returns the failure behind an error, also behind that of an open breaker.
//
// langchaingo's clients (v0.1.14) hide failures. The HTTP status is part of an error text, and Retry-After is lost. A
// canceled stream is a short answer without an error, and a truncated one is an empty answer. [Transport] passes the status,
// Retry-After and the start of the body to the chain and repairs the streams.
//
// # Local servers
//
// Ollama, vLLM and llama.cpp load a model for seconds or minutes. A chain waits for them, see [Loading] and [Chain]. Ollama cuts a prompt
// above its context length without an error, from the start of the conversation. Its default length is 4096 tokens on small
// machines: set OLLAMA_CONTEXT_LENGTH to 16384 or more, and limit prompts to three quarters of it.
//
// # Time
//
// A [Chain] uses the wall clock for timeouts and delays. A persona.Turn has its own timeout, 60 s for the whole turn: use
// shorter timeouts in the chain, to leave time for the next model. A chain does not start a delay that ends after the
// deadline of its ctx. [Breaker] takes the time as an argument.
//
// # Concurrency
//
// A wrapped model may be called concurrently if the model can. A [Chain] limits the concurrent calls of each model
// ([Candidate.MaxConcurrent]) and the callers that wait for one ([Candidate.MaxQueued]). Each call runs in a goroutine that ends with the call. The
// chain abandons a call that ignores its ctx: [Chain.Stats] counts such calls, and [Chain.Wait] waits for them.
//
// # Caveats
//
// If a provider reports no token counts, as many do for streams, the counts are estimated from the text and
// Usage.Estimated is true. Reasoning that a provider neither shows nor counts is not included. Errors of the clients may
// contain keys. The texts of [ChainError] and [CallError] remove strings that look like keys.
//
// langchaingo cannot send reasoning back to a thinking model. [Transport] does so within a turn: while the messages of a
// conversation are only appended and the model calls tools. If the earlier messages are changed meanwhile, or after the final
// answer, the tool calls go out without their reasoning, and a strict provider may answer 400.
package models
