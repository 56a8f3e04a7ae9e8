// Package persona describes a chat bot with a personality, and the chats that it takes part in, independent of any platform:
// its [Profile], its [Character], [Chat], [Message] and the other events, and the [Router] that knows its owners.
//
//	me := persona.Profile{Name: "小炉", About: "爱看番的大学生，说话随和。"}
//	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}
//	message := persona.Message{ID: "1", Chat: chat, From: "10001", Name: "小满", Text: "在吗", AtMe: true, At: time.Now()}
//
// Its sub-packages do the work, and each can be used alone:
//
//   - persona/prompt builds prompts, runs a turn with a model and parses the answers.
//   - persona/jobs is a durable job queue with an outbox, so that nothing is sent twice after a crash.
//   - persona/schedule keeps timers and planned tasks, and decides when the bot acts without being asked.
//   - persona/social assembles all of hearth into a bot.
//
// Names and message texts are untrusted data. A person's identity is the platform's id, and the [Mode] follows from the
// connection that a message came in by. No text can change either.
//
// A [Character] is a directory that people edit, or a row of a database. No code is needed to give a bot another personality.
//
// # Time
//
// No function reads a clock. Pass the time as now.
//
// # Concurrency
//
// All types are values without locks, except [Router]: its methods may be called concurrently.
package persona
