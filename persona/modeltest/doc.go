// Package modeltest is a language model for tests: an [llms.Model] that answers by script, by a function, or with its
// own prompt, and that keeps every prompt it got. langchaingo's own fake ignores tools, options and streaming.
//
//	m := modeltest.New(
//		modeltest.Call("weather", map[string]string{"city": "杭州"}),
//		modeltest.Say("杭州今天有雨。"),
//	)
//	turn := persona.Turn{Model: m, Toolbox: tools}
//	…
//	m.Prompts()[1].Results() // what the tool answered
//
// [Model.Err] and [Model.Remaining] tell at the end of a test whether the script was used up, and not more than that.
//
// Steps fail as models do: [HTTPError] and [RateLimited] with an HTTP status and a Retry-After, [CutStream] half way, [Hang] never ends,
// [IgnoreContext] does not look at its context, [Raw] returns what no interface promises, and calls may hold arguments that are no JSON.
// [Model.Handler] plays the same script over HTTP, in OpenAI's format, to a real client; [Body] is an answer as it stands.
//
// # Time
//
// A step's Delay ends early with the caller's context, and passes at once in a testing/synctest bubble. Servers on real
// sockets do not work in a bubble; a handler does over net.Pipe.
//
// # Concurrency
//
// A [Model] may be called concurrently.
//
// # Caveats
//
// Prompts are kept for the model's whole life. In process, streaming passes the text only: calls are in the final response;
// over HTTP they are streamed in parts, as OpenAI does it.
package modeltest
