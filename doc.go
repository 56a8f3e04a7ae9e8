// Package hearth (炉边, the fireside where people gather and chat) gives a bot a social life: it sits in QQ groups
// through OneBot v11, waits until people have finished, decides for itself when to speak, remembers, and keeps its
// owner's secrets from strangers by construction.
//
// The module is six packages that know nothing of each other. Take one, or all:
//
//   - [github.com/hearth-bot/hearth/onebot] speaks OneBot v11: typed events, messages and actions over WebSocket.
//   - [github.com/hearth-bot/hearth/buffer] gathers what people say in pieces, and keeps the window of a conversation.
//   - [github.com/hearth-bot/hearth/heartflow] is attention: who is called, when to speak, and the caps that end it.
//   - [github.com/hearth-bot/hearth/memory] keeps what was said, by the place where it was said, and finds it again.
//   - [github.com/hearth-bot/hearth/nit] is a registry of tools that a stranger cannot reach.
//   - [github.com/hearth-bot/hearth/persona] is who the bot is: its modes, its prompt, its turns and its errands.
//
// [github.com/hearth-bot/hearth/persona/social] puts them together, and examples/compose does the same by hand in one
// file. Start with examples/groupbot, which needs neither QQ nor a model:
//
//	go run ./examples/groupbot
//
// # Time
//
// Whatever has rules about time or chance is a core that takes now and owns no goroutine; a runner drives it on the
// wall clock. So a day of chat runs in milliseconds in a test, and the same seed and input give the same trace.
//
// # Dependencies
//
// What you do not import is not linked: sub-packages keep SQLite, chromem-go and the like away from those who do
// without.
package hearth
