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
// [Model.Err] and [Model.Left] tell at the end of a test whether the script was used up, and not more than that.
//
// # Time
//
// A step's Delay ends early with the caller's context, and passes at once in a testing/synctest bubble.
//
// # Concurrency
//
// A [Model] may be called concurrently.
//
// # Caveats
//
// Prompts are kept for the model's whole life. Streaming passes the text only: calls are in the final response.
package modeltest
