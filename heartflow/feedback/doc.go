// Package feedback rates the messages of a bot by the reactions of people, without a model. Somebody answers, quotes, laughs, praises
// or complains; others talk over a message or ignore it; an admin deletes it or mutes the bot. From the ratings the package learns how
// welcome the bot is in each chat and to each person.
//
//	f, err := feedback.New[int64](feedback.Options{})
//	if err != nil {
//		return err
//	}
//	attention, err := heartflow.New[int64](heartflow.Options{Welcome: f.WelcomeIn})
//	f.Said(now, group, feedback.Said{ID: "17", To: "1001"})
//	f.Observe(now, group, feedback.Message{From: "1001", Text: "哈哈哈", QuoteID: "17"})
//	for _, r := range f.Due(now) {
//		log.Print(r) // 17 laughed quoted 1
//	}
//
// # Ratings
//
// Messages that the bot sends within 30 seconds, without one by somebody else between them, are one utterance. It is open until
// Options.Messages messages of others or Options.Wait have passed. Each message of others belongs to the utterance that it quotes,
// or to the latest one. [Tracker.Due] returns the closed utterances with a [Rating]. Its Score is from -1 to 1:
//
//   - A complaint, a mute by the platform: -1. A deletion by somebody else: -.8.
//   - A quote, an answer, a laugh, praise or an approving reaction: .5 each, at most 1.
//   - Otherwise, for an utterance that nobody asked for: -.5 if at least two messages of others came within 10 seconds, so that the
//     bot had interrupted them; -.3 if at least three came at all; 0 if the chat had nothing to say.
//   - Otherwise, for an answer to a message that addressed the bot: 0.
//
// # Welcome
//
// [Tracker.Welcome] is a mean of the ratings in a chat and of those by one person, from -.6 to .6. A new rating has a weight of
// Options.Rate, and without new ones the mean halves each Options.HalfLife. An [heartflow.Attention] with Options.Welcome changes
// the chance of unaddressed messages by it, and says so in the trace. Messages that address the bot are answered as before.
//
// # Time and concurrency
//
// A Tracker reads no clock and starts no goroutine. A time before the latest one counts as the latest one. All methods may be called
// concurrently.
//
// # Caveats
//
// Laughs, praise and complaints are lists of Chinese and English words. Irony counts as what it says. A complaint counts if it
// addresses the bot, or if it is the first or second message after the bot's.
package feedback
