// Package prompt builds the prompts of a chat bot, runs one turn with a language model and parses the model's answers.
// It prevents prompt injection through names, messages and tool results. It keeps prompts stable, so that providers can
// cache them.
//
// A [Scene] holds everything that one turn may see. [System] and [Context] render the two halves of the prompt. A
// [Turn] sends them to the model, runs the requested tool calls, and returns a reply or silence:
//
//	me := persona.Profile{Name: "小炉", About: "爱看番的大学生，说话随和。"}
//	scene := prompt.Scene{Chat: chat, ChatName: "技术交流群", State: "summoned", History: before, Recent: batch}
//	turn := prompt.Turn{Model: model, Toolbox: view}
//	reply, err := turn.Run(ctx, prompt.System(me, scene), prompt.Context(me, time.Now(), scene))
//	if err != nil || reply.Silent {
//		return err
//	}
//	send(chat, reply.Text)
//
// All text written by people is data. Names, messages, quotes and tool results pass through one writer. It escapes
// them, removes invisible characters, and neutralizes the markers of chat templates and tool calls. Every system prompt
// ends with [Honesty], even with a custom template.
//
// Consecutive prompts of a chat start with the same text: see [Context], and [StableStart] for the history.
//
// # Time
//
// No function reads a clock. [Turn.Run] is bounded by its Timeout and by the context's deadline.
//
// # Concurrency
//
// [Scene] and [Turn] are values. Several goroutines may use them at once. No goroutine is started.
//
// # Caveats
//
// [Tokens] is an estimate on the safe side for Chinese. Joiners are invisible characters and are removed. Therefore the
// model sees a joined emoji as its parts. A turn cannot abort a model that ignores its context.
package prompt
