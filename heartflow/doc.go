// Package heartflow decides when a bot should speak in a group chat. It tracks the bot's attention, detects messages
// that address the bot, and enforces rate limits, cooldowns, quiet hours and a token budget.
//
// A bot in a group should not answer every message. It should answer messages to it, join in now and then, stay below
// its limits, and drop a reply that comes too late. An [Attention] makes these decisions. It calls no model and sends
// nothing.
//
//	attention, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}})
//	if err != nil {
//		return err
//	}
//	if attention.Observe(now, group, heartflow.Message{From: "42", Text: "小炉在吗"}).Addressed {
//		// somebody waits for an answer: shorten the debounce
//	}
//	if attention.Judge(now, group).Do == heartflow.Silent {
//		return
//	}
//	reply := ask(model) // no reply, or an error: attention.SkipTurn(now, group, heartflow.WhyModelError)
//	if err := attention.Speak(time.Now(), group, reply); err == nil {
//		send(group, reply)
//	}
//
// [Attention.Observe] takes every message. It reports at once whether the message addresses the bot: by an @, a
// reply, a name, a wake word or a keyword, or in a private chat. [Attention.Judge] judges the messages since the last
// verdict, for example one batch of package buffer. Its [Verdict] is Silent, Ask (let a model decide) or Speak. A
// verdict other than Silent opens a turn. When the reply is ready, [Attention.Speak] permits and counts it in one
// step, or refuses it. [Attention.SkipTurn] ends a turn without a reply.
//
// # Policies
//
// A [Policy] makes the verdict. [Interject], the default, asks a model about messages that address the bot, and by
// chance about those that follow a reply of the bot; such a reply is an interjection. [MentionOnly] makes none. Package heartflow/learned
// has a policy that was trained on group chats and needs no model. A custom policy has one method.
//
// A policy sees the [Energy] of the chat and the mood. Energy is a soft cooldown: replies cost energy, and time
// restores it. The caller sets the mood with [Attention.SetMood]. Interject joins in less if energy is low, and more
// if the mood is good, and if Options.Welcome says that people liked what it said. Package heartflow/feedback learns that. None changes the answers to messages that address the bot.
//
// # Limits
//
// No policy can bypass the [Caps], the [Budget], a mute or sleep. Judge checks all of them before it calls the
// policy. Speak checks all but the Budget again.
//
// In [QuietHours] the bot makes no interjections; optionally it answers nothing. [Attention.Configure] sets quiet
// hours, caps, words, policy and more for one chat, also at run time.
//
// A [Budget] counts model calls and tokens, per chat and in total, per hour and per day. Its [Level] restricts models
// as usage grows. From .5 of a limit on, interjections are fewer, and callers should make fewer and shorter calls. From
// .7 on, no model decides about interjections. From .9 on, only messages to the bot are answered. At 1 no model is asked. The caller reports the usage. A Budget has its own Snapshot.
//
// # Staleness
//
// Speak refuses a reply if its verdict is older than Options.MaxAge. [Staleness] has further rules. An interjection is
// dropped after ten newer messages, if somebody else addressed the same author, or if it repeats a recent message of the
// bot. A turn never says the same thing twice.
//
// Observe also reports that a new message supersedes the open turn, because the author it would answer continues. A
// caller can then cancel the model call, skip the turn with [WhySuperseded], and judge the batch again with the new
// message. After two times the batch is answered as it is. Messages by other authors never supersede a turn.
//
// # Beginning a talk
//
// With [Options].Begin the bot also begins talks: [Attention.Due] reports a chat that has been silent for longer than is usual there, or
// in which nobody has answered the bot's question. See [Begin] for the bounds.
//
// # States and traces
//
// A chat is Observing by default. It is Addressed while a message to the bot waits for an answer. A reply makes it
// Active for two minutes, and up to five further replies extend that period. Interject joins in only while the chat
// is Active. During sleep every chat is Offline.
//
// Every decision leaves a [Trace] with its gates, their values, thresholds and random draws, and the time of the next
// change. [Code.Text] gives the text of a reason in Chinese or English. [Attention.Traces] returns the newest traces of a
// chat.
//
// # Time
//
// This package has no clock and no goroutine. Methods that depend on time take it as a parameter and ignore its
// monotonic part. A time before the latest one, of any chat, counts as the latest one. Every method first applies the
// changes that are due: a window that ends exactly at the time of a message has ended before the message.
// [Attention.Next] returns the time of the next state change, and [Attention.Due] returns the changes. A program that
// does not need them calls neither. The same seed and the same calls give the same decisions, also across
// [Attention.Snapshot] and [Attention.Restore].
//
// # Concurrency
//
// All methods of [Attention] and [Budget] may be called concurrently. Policies and Options.OnTrace run without a
// lock. They may run concurrently with themselves, and may call the Attention. The cost of a message does not depend
// on the number of other chats.
//
// # Caveats
//
// Words are compared in folded text: case, full and half width, styled Latin letters and invisible characters make no
// difference. Words in scripts with spaces must stand alone. Chinese, Japanese, Korean and Thai words match anywhere,
// so a name of one common character matches often. Look-alike letters (Cyrillic а, Latin a), simplified and
// traditional forms, and composed and decomposed accents are different. Words inside links, e-mail addresses and
// @names of other people do not match. An @name ends at a space or a comma. If a name contains a space, the part
// after the space is searched.
//
// An idle chat takes less than a kilobyte. A chat that waits for a verdict takes some kilobytes. Traces take extra
// memory. With the policy of heartflow/learned, the last 64 messages take up to 26 kB more; they are kept as hashes
// of words and names, not as texts. Chats are never removed automatically: call [Attention.Forget].
//
// A bot without [Message].FromBot counts as a human, so only the window of the caps limits replies to it. If two bots
// answer each other more slowly than that window allows, only the Budget ends their conversation.
//
// The Budget counts only reported usage. Calls that are in flight at the limit may overdraw it.
package heartflow
