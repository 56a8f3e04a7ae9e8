// Package qqbot is a client of the official QQ bot API v2 for groups and private chats (C2C).
//
// It needs the app id and the secret of a bot registered at q.qq.com:
//
//	client, err := qqbot.New(appID, secret, qqbot.Options{})
//	if err != nil {
//		return err
//	}
//
// [Client.Run] connects to the gateway and passes events to a [Handler]. [Client.Webhook] receives the same events by HTTP. The
// console decides which of the two the platform uses.
//
//	err = client.Run(ctx, func(ctx context.Context, e qqbot.Event) {
//		if m, ok := e.(*qqbot.Message); ok && !m.Own && m.ToMe() {
//			client.Send(ctx, m.Chat, qqbot.Out{Text: "在", MsgID: m.ID, Seq: 1})
//		}
//	})
//
// [Client.Upload] and Out.Media send pictures, voice and files, [Client.Typing] shows that the bot is typing, and
// [Client.Recall] deletes a message. [Client.Call] calls everything that has no method here.
//
// # Replies
//
// A message with Out.MsgID is a reply. A group's message can be replied to for 5 minutes and 5 times, a user's message for 60
// minutes and 4 times. [Client.Typing] counts, an upload does not. Each reply to a message needs its own Out.Seq. A message
// without MsgID and EventID is proactive: the bot speaks first. Then the user or the owner of the group must permit it, and
// quotas of the platform apply. [Client.BotState] tells whether a group permits it.
//
// # Messages
//
// A [*Message] has its content as [Part]s, and [Message.Text] as plain text for people and models. The bot's own mention is cut
// out; [Message.ToMe] reports it. A group sends either all messages or those that mention the bot, as its owner decides. A
// message that comes as two events is delivered once. Whether the bot gets its own messages is not documented: Message.Own marks
// them once [Client.BotState] or a mention has told the bot's member_openid in the group. Ids are openids, which differ for each
// bot; a member_openid may differ for each group, and is never a user_openid.
//
// # Text
//
// Out.Text never mentions anybody and shows no face, whatever it contains: [EscapeText] replaces the bracket of such tags by
// ＜. Markdown is never guessed: only Out.Markdown is sent as markdown. To mention members, use Out.At.
//
// # Errors
//
// An [*APIError] is a refusal. Its Kind tells what the platform's code means, and its text what to do. If a message was
// written and no answer came, the error matches [ErrUnclear].
//
// The access token is fetched when needed, and again in its last minute. A refused token is replaced and the call is sent
// again, because the platform did nothing. If the platform says that calls come too fast, later calls of the same kind wait.
// Neither errors nor logs contain tokens or the secret.
//
// # Events
//
// Run sends heartbeats, and dials again when the link drops or goes silent. The platform then sends what was missed: it repeats
// events, also some that were delivered, and an event may come twice for other reasons. Each is passed to the handler once, as
// far as ids and the memory of an hour tell. If the session is lost, a [*Gap] says since when events are missing, because no
// call can read them. Events without a type arrive as [*Unknown].
//
// Close codes that retrying cannot change end Run with a [*GatewayError]. A session that is resumed three times without any
// event and breaks within seconds is replaced. The platform's limit of new sessions is respected.
//
// # Trust
//
// A [Webhook] checks signature and time of each request, and limits size, time and number before it does: see there. It proves
// to the console that it knows the secret, but signs nothing that could be an event. The gateway's address must be encrypted.
//
// # Concurrency
//
// All methods may be called concurrently. Events of one chat are handled one after the other, in order. Reading never waits for
// handlers, so handlers may call the API. Events wait in memory: see Options.QueueBytes. A panic in a handler ends the program.
// When Run returns, all goroutines that it started have ended. Without Run, the package starts no goroutine of its own.
//
// # Not verified against the live service
//
// Sources disagree about some things, or say nothing. This package has these defaults:
//
//   - The API is at api.sgroup.qq.com, because all known clients use it. [NewProductionURL] is the documented address.
//   - Out.At writes <qqbot-at-user id="…" />. Whether QQ shows it as a mention in plain text is disputed.
//   - Out.Quote takes the Index of a message (REFIDX_…), as the platform's own SDK does. One document shows a message's id.
//   - The number of replies to a user's message: 4 since January 2026, but some pages still say 5.
//   - Whether a duplicate (KindDuplicate) after [ErrUnclear] proves that the first message was delivered. It is likely.
//   - Whether a refused message uses up its Seq. Use the next one for a changed message.
//   - The largest text. [TextLimit] is on the safe side of the SDK's 5000 characters.
//   - Intents: whether every bot may get IntentMembers. Run asks for fewer if the gateway refuses.
//   - The token of a resume has the prefix "QQBot ", as in identify. One old SDK sends it without.
//   - A link that is left to reconnect is cut without a close frame, because a close code might end the session.
//   - The gateway closes with 4001 and 4002 for frames that it does not understand. After three in a row Run gives up.
//   - Whether the two events of a message that mentions the bot have a common id. If not, set [Options.MergeMentions].
//   - Whether the bot gets messages of other bots and its own, whether a username is a card or a nickname, and how long URLs of
//     attachments are valid.
//   - Whether &lt; and &amp; in Out.Text are shown as they are. They are sent as they are.
//   - Whether a validation of a webhook is signed. Without a signature it is answered, too; with a wrong one it is not.
//   - How long the platform waits for the answer of a webhook, and whether a repeat has a new timestamp: see
//     [Options.MaxEventAge].
//   - Uploads as data (base64) are undocumented, but widely used. Uploads in parts are not implemented.
package qqbot
