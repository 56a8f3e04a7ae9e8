// Package models wraps language models, so that a being keeps its head when a provider loses its own. A [Chain] is a model
// over several: it asks the first that is well, and the next when that fails. [Normalize] makes answers look the same, whoever
// gave them. [Meter] tells what every call costs, so that one budget can hold them all:
//
//	budget, err := heartflow.NewBudget(heartflow.BudgetOptions{})
//	web := &http.Client{Transport: &models.Transport{}}
//	deepseek, err := openai.New(openai.WithBaseURL("https://api.deepseek.com/v1"), openai.WithToken(key1), openai.WithModel("deepseek-chat"), openai.WithHTTPClient(web))
//	qwen, err := openai.New(openai.WithBaseURL("https://dashscope.aliyuncs.com/compatible-mode/v1"), openai.WithToken(key2), openai.WithModel("qwen-plus"), openai.WithHTTPClient(web))
//	chain, err := models.NewChain([]models.Link{
//		{Name: "deepseek", Model: models.Tidy(deepseek), Timeout: 20 * time.Second},
//		{Name: "qwen", Model: models.Tidy(qwen)},
//	}, models.ChainOptions{})
//	model := models.Meter(chain, func(_ context.Context, u models.Usage) {
//		budget.Call(time.Now(), "", u.Total())
//	})
//
// A model that writes its calls of tools as text gets script.Model of nit/script around it, inside: script.Model(models.Tidy(m), …) as
// the Model of a [Candidate], so that the others of the chain keep their native calls.
//
// # Failures
//
// [Classify] tells from an error what kind of failure it is, and each [FailureKind] says what follows: 429, 5xx and a network
// that does not reach the model are retried, twice, after a second or two, or when the provider says (Retry-After); everything else goes on to the
// next model at once, 400 and 401 among it, since another model may take the request or the key; only what was refused for its content goes
// nowhere else. Nothing is tried again once a chunk of an answer was streamed to the caller, or after a tool ran ([WithoutRetry]).
// The error of a chain is a [ChainError] that tells each failure, without keys.
//
// langchaingo's clients (v0.1.14) tell little: what HTTP said is a number in a sentence, Retry-After is lost, a canceled stream
// is a short answer without an error, and one that breaks off is an empty one. A [Transport] under the client tells the
// chain what HTTP said, and mends the streams. Prefer the OpenAI client for Ollama, too ("http://127.0.0.1:11434/v1"): Ollama's
// own drops the tools.
//
// # Time
//
// A [Chain] uses the wall clock for its limits and waits. persona.Turn has a limit of its own, 60 s for all that a turn does: give the
// links shorter ones, so that the next model still has time. A chain does not wait for what lies beyond its ctx's deadline.
// [Breaker] is a core: it takes the time.
//
// # Concurrency
//
// A wrapped model may be called concurrently if the model can. A [Chain] calls each model at most Slots times at once, and lets at
// most Queue callers wait. It calls models in goroutines that end with their calls; what ignores its ctx is let go, counted
// ([Chain.Stats]), and can be waited for ([Chain.Wait]).
//
// # Caveats
//
// Where a provider does not tell its figures (many do not when streaming), tokens are estimated from the text:
// [Usage].Estimated says so. Hidden reasoning that a provider neither shows nor counts is not seen. The unwrapped errors of
// clients may hold keys; only the texts of [ChainError] and [CallError] do not, as far as their patterns go.
// Reasoning is not sent back to the provider in later steps of a turn: langchaingo has no part for it.
package models
