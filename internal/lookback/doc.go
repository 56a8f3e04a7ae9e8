// Package lookback extracts features from the last messages of a chat, and scores a message by them. Package
// heartflow/learned uses it to decide whether the bot should answer. A chat is kept as hashes of names and words. The
// package has neither a clock nor a lock.
//
//   - [Analyze] analyzes a text without its chat.
//   - [Chat] keeps the last messages and their authors. For each new message it estimates the earlier message that it
//     continues (a link). From the links it estimates whether the message addresses the bot, or belongs to a conversation
//     of the bot. It returns all that as [Features].
//   - [Model] holds the weights, and returns the chance that the bot answers a message with such features.
//   - [Source] and [View] connect a policy with the Attention of heartflow, which keeps the Chat.
//
// A link between messages of others is estimated, unless the platform states it, as with a quote. The caller may
// state the message that an own message answers. Otherwise that is estimated too.
package lookback
