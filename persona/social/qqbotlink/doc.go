// Package qqbotlink connects a bot to QQ over the official bot API v2: groups and private chats (C2C) of a bot registered at
// q.qq.com. [New] returns a [social.Link] over a client of package qqbot.
//
//	client, err := qqbot.New(appID, secret, qqbot.Options{})
//	if err != nil {
//		return err
//	}
//	bot, err := social.New(social.Options{Profile: profile, Model: model, Link: qqbotlink.New(client, qqbotlink.Options{})})
//
// The platform of its chats and accounts is "qqbot". Ids are openids: one person has another id for each bot, and perhaps in
// each group. [Pairing] finds the owner's.
//
// # Replies
//
// The platform permits 5 replies to a message of a group within 5 minutes, and 4 to a message of a user within an hour. The link
// replies to the message that the bot answers, or to the newest one that has replies left. Else the bot speaks first, where the
// group's owner permits it, within the platform's quotas; users permit it unless they switch it off. Options.NoProactive never
// does. LinkFeatures.Permit tells the bot what is left: it does not think about what it cannot answer, and a reply in parts has
// no more parts than may be sent. Typing uses up a reply, too, so it is off by default.
//
// If a group or user switches the bot's messages off (GROUP_MSG_REJECT, C2C_MSG_REJECT), the bot is muted there until they
// are switched on. If the bot is away when that happens, the event is lost, and the bot stays muted there until they switch again.
//
// # What the platform lacks
//
// There are no histories, reactions, pokes, merged forwards or retractions. Messages that were lost while the link was
// down, and that resuming the session could not bring, are logged and stay unknown. Nothing tells how many they were in which
// chat, so there is no persona.MessagesLost. A send with an unknown outcome is not looked up: the owner is told once.
//
// A lost link is no persona.Disconnected, because messages are sent by HTTPS and do not need it. It is reported if the platform
// ends the link for good. Run then returns an error.
//
// Names come from messages. A person without a known name is "成员·" and the last four characters of the openid.
//
// # Concurrency
//
// A link belongs to one bot, which calls its methods concurrently.
//
// # Not verified against the live service
//
//   - Whether each message of a group can be replied to, or only those that mention the bot. If one is refused, the link tries
//     the next.
//   - Whether replies are still accepted after GROUP_MSG_REJECT and C2C_MSG_REJECT. The link sends none.
//   - Whether a refused message counts as a reply. Its msg_seq is not used again.
//   - Whether QQ shows mentions in plain text, and quotes by index.
//   - Whether 40054005 proves that a message arrived: see Options.ResendUnclear.
//   - Voice other than SILK, files in groups, and pictures other than PNG and JPEG.
//   - Whether own messages come back. They are dropped as far as the bot's id or the message is known.
//   - Whether the openid of a person is the same in all groups.
package qqbotlink
