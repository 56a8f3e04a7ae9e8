// Package persona has the types that describe a chat bot and its chats. They are independent of any platform. A
// [Profile] and a [Character] describe the bot. [Chat] and [Message] describe the input. A [Router] knows the owners.
//
//	me := persona.Profile{Name: "小炉", About: "爱看番的大学生，说话随和。"}
//	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}
//	message := persona.Message{ID: "1", Chat: chat, From: "10001", Name: "小满", Text: "在吗", AtMe: true, At: time.Now()}
//
// A message may have [Part]s: text, mentions, pictures, voice, files, forwards, cards and more. [TextOf] shows them as text. An
// [Event] is a message or something else that happened, such as a poke. An [Outgoing] is what the bot sends.
//
// The sub-packages contain the logic. Each can be used alone:
//
//   - persona/prompt builds prompts, runs a turn with a model and parses the answers.
//   - persona/jobs is a durable job queue with an outbox. It prevents duplicate messages after a crash.
//   - persona/schedule keeps timers and planned tasks, and decides when the bot acts without being asked.
//   - persona/social assembles all of hearth into a bot.
//
// Names and message texts are untrusted data. A person's identity is the platform's id. The [Mode] is derived from the
// connection of a message. No text can change either.
//
// A [Character] is a directory that people edit, or a row of a database. A new personality needs no code.
//
// # Time
//
// No function reads a clock. Pass the time as now.
//
// # Concurrency
//
// All types are values without locks, except [Router]. The methods of a Router may be called concurrently.
//
// # Caveats
//
// A [Message].ID may repeat in other chats. A name may change, and two people may have the same one: compare ids.
package persona
