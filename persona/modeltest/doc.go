// Package modeltest is a fake language model for tests: an [llms.Model] that answers from a script or with a function, and
// that records every prompt. Unlike langchaingo's own fake it supports tools, options and streaming.
//
//	m := modeltest.New(
//		modeltest.Call("weather", map[string]string{"city": "杭州"}),
//		modeltest.Say("杭州今天有雨。"),
//	)
//	turn := persona.Turn{Model: m, Toolbox: tools}
//	…
//	m.Prompts()[1].ToolResults() // the tool's result
//
// At the end of a test, [Model.Err] and [Model.Remaining] show whether the code under test used exactly the script.
//
// Steps can fail as real models do. [HTTPError], [ErrorBody] and [RateLimited] return an HTTP status and a Retry-After. [CutStream] cuts the stream,
// [Hang] never ends, and [IgnoreContext] ignores its context. [Raw] returns invalid responses, and tool calls may have arguments that
// are not JSON. [Model.Handler] serves the same script over HTTP in OpenAI's format, to test a real client. [Body] is a
// complete HTTP body. [Model.HandlerWith] serves a thinking model that refuses tool results without its reasoning.
//
// A model may stand for one of speech: [Say] is a transcript, and [Voice] is speech. Over HTTP their requests and answers were written by hand
// from the documentation of OpenAI, Groq, SiliconFlow and vLLM. Nothing in them was recorded from a real service.
//
// # Time
//
// Step.Delay ends early if the caller's context ends. It takes no real time in a testing/synctest bubble. Servers on real
// sockets do not work in a bubble, but a handler over net.Pipe does.
//
// # Concurrency
//
// A [Model] may be called concurrently.
//
// # Caveats
//
// A model keeps all prompts. In process, only text is streamed, and tool calls are in the final response. Over HTTP, tool
// calls are streamed in parts as OpenAI does it.
package modeltest
