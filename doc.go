// Package hearth (炉边, the fireside) is a library for QQ bots that take part in group chats. A bot joins groups over OneBot v11,
// waits until people have finished typing and decides when to speak. It remembers people and chats. Its owner's data stays
// out of reach of strangers, because access is decided in code and not by the model.
//
// The module has six root packages that do not import each other. Use one alone or all of them:
//
//   - [github.com/hearth-bot/hearth/onebot] connects to QQ over OneBot v11. Events and actions are typed.
//   - [github.com/hearth-bot/hearth/buffer] debounces messages into batches and keeps the message window of a chat.
//   - [github.com/hearth-bot/hearth/heartflow] decides when to speak within rate limits and a token budget.
//   - [github.com/hearth-bot/hearth/memory] stores messages and memories by chat and searches them.
//   - [github.com/hearth-bot/hearth/nit] gives tools to models and checks every call.
//   - [github.com/hearth-bot/hearth/persona] describes the bot and its chats. Its sub-packages build prompts and run turns,
//     keep durable jobs, and schedule timers and tasks.
//
// [github.com/hearth-bot/hearth/persona/social] combines them into one bot. examples/quickstart is a complete program, and
// examples/compose combines the packages by hand in one file. Start with examples/groupbot. It needs neither QQ nor a model:
//
//	go run ./examples/groupbot
//
// # Time
//
// Types with rules about time or chance take the time as an argument and start no goroutine. A runner calls them on the
// wall clock. A test can therefore simulate a day of chat in milliseconds, and the same seed and input give the same trace.
//
// # Dependencies
//
// SQLite, chromem-go and other large modules are used by sub-packages only. A program links them only if it imports these
// sub-packages.
package hearth
