// Package heartflow is a bot's attention in chats: who calls it, when it may speak, and that it always ends.
//
// An [Attention] is fed with every message by [Attention.Observe] and says at once whether that calls the bot: by an @,
// a reply, its name, a wake word, a keyword, or because the chat is private. When some messages have gathered (package
// buffer of this module does that, or anything else), [Attention.Judge] gives a [Verdict]: Silent, Ask a model, or
// Speak. When the words are ready, [Attention.Speak] permits them and counts them in the same step, or refuses them: a
// cap is reached, the verdict has become too old, the chat was muted meanwhile. Who ends a turn without words says why
// by [Attention.SkipTurn].
//
// Words are also refused that are not right any more by [Staleness]: an uncalled reply when more than ten newer messages have
// come, when somebody else has turned to the one whom it would answer, or when the bot has just said nearly the same.
// Hear also tells when the one who is being answered writes on: who can stops the model, skips the turn with
// [WhySuperseded], and judges it again with the new message. Nobody else's messages do that, and after two times the
// batch is answered as it is.
//
//	heart, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}})
//	if err != nil {
//		return err
//	}
//	if heart.Hear(now, group, heartflow.Message{From: "42", Text: "小炉在吗"}).Called {
//		// somebody wants an answer: do not wait for the talk to become quiet
//	}
//	if heart.Judge(now, group).Do == heartflow.Silent {
//		return
//	}
//	reply := ask(model)
//	if err := heart.Speak(time.Now(), group, reply); err == nil {
//		send(group, reply)
//	}
//
// What a verdict depends on is a [Policy]: [MentionOnly] comes when called, [Interject] also goes on with a talk that
// it takes part in, and package heartflow/learned has one that was trained on group chat and needs no model. One of your
// own is one method. No policy gets around the [Caps], the [Budget], mutes and sleep: they are tested before it is asked
// and again in Speak.
//
// A policy also knows the [Energy] that the bot has for a chat, which replies take and time gives back, and its mood,
// which the caller gives ([Attention.SetMood]). Interject joins less when it is tired and more in a good mood; who calls
// is answered in any case.
//
// In [QuietHours] hours nothing is answered but who calls, or nobody. They, the caps, the words, the policy and more may
// differ by chat and change while it runs: [Attention.Configure].
//
// A [Budget] counts model calls and tokens, of each chat and of all, per hour and per day. The more of a limit is used,
// the less a model is asked, by [Level]: from .7 on not whether to join in uncalled, from .9 on only where somebody
// calls, and then not at all. It is spent by whoever meters the models, and has a Snapshot of its own.
//
// A chat is Observing until something calls (Summoned) or the bot speaks. It is then Active for two minutes, and each
// further reply renews that, five times at most: as long as it is, Interject may join in uncalled. Asleep, the bot is
// Offline everywhere.
//
// Every decision leaves a [Trace]: each gate with its value, threshold and draw, the reasons as codes with a text in
// Chinese and English, and when something changes by itself. The newest are kept per chat ([Attention.Traces]).
//
// # Time
//
// There is no clock and no goroutine here. What depends on the time takes it; its monotonic part is ignored, and a step
// back counts as the latest time seen in any chat. Whatever was due by then happens first: a window that ends at the
// very time of a message has ended before it. [Attention.Next] says when a state changes by itself and [Attention.Due] what
// has changed; a program that does not care for that calls neither. The same seed and the same calls give the same
// decisions, also over [Attention.Snapshot] and [Attention.Restore].
//
// # Concurrency
//
// All methods of [Attention] and [Budget] may be called concurrently. Policies and Options.Trace run without a lock,
// and so may run at the same time as themselves, and may call the Attention. The cost of a message does not depend on
// how many other chats there are.
//
// # Caveats
//
// Words are looked for in folded text: case, full and half width, styled Latin letters and invisible characters make no
// difference. Words in scripts with spaces must stand alone, Chinese, Japanese, Korean and Thai ones may stand anywhere;
// so a name of one common character calls often. Letters that merely look alike (Cyrillic а, Latin a), simplified and
// traditional forms, and composed and decomposed accents are different. Links, e-mail addresses and the @names of others
// hold no words. An @name is taken to end at a space or a comma: where somebody's name goes on after a space, that part
// is searched.
//
// A chat takes under a kilobyte while it is idle, some kilobytes while it waits for a verdict, and its ring of traces.
// With the policy of heartflow/learned, the last 64 messages take up to 26 kB more, as hashes of words and names, not as
// texts.
// Nothing forgets a chat by itself: [Attention.Forget] does.
//
// Whoever is a bot and is not known to be one ([Message].Bot) is held by the window of the caps alone. Two that answer
// each other more slowly than it fills go on until the Budget ends it.
//
// The Budget counts what its users report. Calls that were under way when it ran out may overdraw it.
package heartflow
