// Package social runs a chat bot with a language model (LLM) in group chats and private chats, such as QQ groups. It
// assembles the packages of hearth and solves these problems:
//
//   - When to answer. Messages are debounced into batches. Package heartflow decides about each batch without a model.
//   - How much to send. Caps, cooldowns, quiet hours, a token budget and rate limits apply to replies and tools alike.
//   - Crashes. Messages are deduplicated and journaled. Replies go through an outbox, so that nothing is lost or sent twice.
//   - Strangers. A turn sees only the data and tools of its chat. Labels track provenance, against prompt injection.
//   - Memory. The bot recalls messages, sums up chats, remembers people, and erases both on request.
//
// A bot needs a profile, a model and a [Link] to a platform:
//
//	func run(ctx context.Context, model llms.Model, link social.Link, store social.Store) error {
//		bot, err := social.New(social.Options{
//			Profile: persona.Profile{Name: "小炉", About: "爱看番的大学生，说话简短。"},
//			Model:   model,                        // persona/models has constructors
//			Link:    link,                         // onebotlink.New connects to QQ
//			Storage: social.Storage{Store: store}, // memory/sqlite has one on disk
//		})
//		if err != nil {
//			return err
//		}
//		return bot.Run(ctx) // until ctx ends
//	}
//
// # Options
//
//	group       fields                                                         purpose
//	(required)  Profile, Model, Link                                           name, model, platform
//	Storage     Store, Indexes, Embedder, EmbedderID, Quota                    database and vector search
//	Tools       Registry, Plugins, Builtin, Scripts                            tools of the model
//	Access      Owners, Admins, Commands, Requests, OnJoinRequest,             commands, requests
//	            Redact, Labels                                                 and rights to read data
//	When        Buffer, Attention, HFC, Chats, Banned, MaxAge                  when the bot speaks
//	Reply       Prompts, Strategy, Turn, History, Pictures, Transcriber, Quote how it makes and sends replies
//	            Speech, Excuses
//	Background  Digest, Autonomy, Facts                                        summaries, timers, tasks, people
//	Hooks       Notify, Trace, Logger                                          calls to the host
//
// The zero value of each group is a working default. The comment of each field says what its zero value means.
//
// # Path of a message
//
// The bot deduplicates each message of the [Link], journals it, and checks whether it addresses the bot. The message then
// waits in the buffer of its chat. When the batch is due, heartflow judges it: silence, or a turn. A turn is a durable job
// with one conversation of the model. Its prompt has the history and memories of this chat, messages of public chats, and
// the owner's memories after Access.Redact. It has nothing of other chats. Its tools are those of tiers L1 and L2.
//
// Replies and messages of tools take the same path. The bot waits for the link's rate limit. It checks that the
// message is not stale and within the caps. Then it commits the job, sends, and stores the result. The turn is cancelled if its author
// sends another message or retracts the first one before that commit. The batch is then judged again.
//
// A message of the link always runs in persona mode. Agent mode, with every tool, is [Bot.OwnerMessage], and only code
// can call that.
//
// # Replies
//
// A reply is one message, sent at once. With Options.Reply.Speech it is split into short parts and typed at a human pace, and
// a link with [LinkFeatures.Typing] shows that. Stickers and streaming are options of [Speech]. [Bot.StreamOwnerMessage]
// streams an answer to the owner.
//
// A reply quotes the message that addressed the bot if others stand between or wait: see [Quote]. With [Speech].Voice short
// replies to voice messages are spoken. A long reply, or one with a table, is sent as a merged forward or as a picture: see
// [Long]. A plan may react with a face, or poke.
//
// A model without native tool calls uses Options.Tools.Scripts.
//
// # Messages with more than text
//
// A model reads a message as [persona.TextOf] shows its parts: "[语音]", "[聊天记录]", "[小程序：标题 · 来源]". When a turn
// answers messages, the bot first opens their parts, and those of the messages that they quote, within limits of time, number
// and size. The opened text also replaces the one in the journal:
//
//   - voice: the platform's transcript, or that of Options.Models.Hear or Reply.Transcriber
//   - forwards: up to 100 messages and 32 kB of all forwards of a turn, three levels deep
//   - text files: the first 4 kB
//   - pictures: shown to the model with Reply.Pictures, or described by Models.See
//
// A part that cannot be opened stays as it is. The rest of a card, a file or a location is in the message itself.
//
// Pokes, reactions, joins and changes of members are journaled as messages that tell what somebody did
// ([persona.Message].Action), at most 10 a minute in a chat. A poke at the bot calls it, once per person in ten minutes, and so
// do reactions to its messages with When.ReactionsCall. All others are context only.
//
// # Crash recovery
//
// With a Store on disk no received message is lost and no sent message is sent again, even if the program is killed.
// After a start the fresh messages behind each chat's cursor return to the buffer. The bot fetches messages that it missed
// from the platform's history if the link has [LinkFeatures.RecentMessages]. It also looks up sends with an unknown
// outcome there. If it does not find one, it notifies the owner.
//
// # Background work
//
// Without Options.Background.Digest a prompt has the history of the chat and recalled memories. With it the bot also keeps
// rolling summaries, impressions of people, and facts. Options.Background.Autonomy lets the bot act unprompted: timers,
// tasks, plans and reflections. Both cost model calls, which [Stats] counts separately. Options.Background.Facts keeps what people say
// about themselves and each other, in versions and without model calls.
//
// # Owner
//
// The owner and the admins are known by their accounts, never by text. With Options.Access.Commands they give commands in
// chats. [Bot.OwnerMessage] and [Bot.StreamOwnerMessage] accept further commands ([persona.ParseOwnerCommand]): to list
// untrusted data, to endorse or declassify it, and to revoke that. In a chat these are ordinary text. [Bot.Endorse] and
// [Bot.Declassify] do the same in code.
//
// With Options.Tools.Builtin the model searches the bot's memory, and sends reports to the owner. [BuiltinTools].Watch reports
// urgent messages that do not address the bot. Friend requests and group invites are judged by the model or left to the
// owner: see [Requests].
//
// [Bot.ErasePerson] and [Bot.EraseChat] erase all data about a person or a chat, on disk and in memory. When the platform's
// history returns an erased message, the bot ignores it.
//
// # Changes at run time
//
// [Bot.Configure] changes the settings of one chat: names, keywords, policy, caps and more. [Bot.Mute] closes a chat,
// [Bot.Sleep] makes the bot Offline, and [Bot.Say] sends a text of yours within the limits of replies. All but Say survive
// a restart. Settings from a file are Options.When.Settings, and [Bot.Reload] replaces them while the bot runs.
//
// # Time
//
// [Bot.Run] uses the wall clock, and works in a testing/synctest bubble. heartflow and buffer decide without a clock:
// examples/compose assembles the same packages by hand and makes the same decisions.
//
// # Concurrency
//
// All methods may be called concurrently. Run returns after all goroutines that it started have ended. A Store belongs to
// one bot at a time.
//
// # Other platforms
//
// Implement [Link] to connect another platform: examples/webchat does so in one file. [LinkFeatures] are optional. [Links] joins
// links of several platforms, and onebotlink and qqbotlink are two of them.
//
// # Caveats
//
// Turns of chats see only tools in tiers L1 and L2. Tools in tier L3 are for the owner's turns.
//
// Without Options.Storage.Store all data is lost at exit.
//
// An error that matches [ErrUnclear] may hide a message that was delivered. The bot never sends such a message again.
//
// [Bot.Run] adds the tools of the link to Options.Tools.Registry, so use one registry for each bot.
//
// A [Link] that wraps another one loses its features unless it has a method Features: see [FeaturesOf].
package social
