// Package onebotlink connects a bot to QQ over OneBot v11, with NapCat, LLOneBot, Lagrange, go-cqhttp or any other
// implementation. [New] returns a [social.Link] over a OneBot client (forward WebSocket) or server (reverse WebSocket).
//
//	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{Token: "secret"})
//	if err != nil {
//		return err
//	}
//	bot, err := social.New(social.Options{Profile: profile, Model: model, Link: onebotlink.New(client, onebotlink.Options{})})
//
// The link brings the tools of nit/qq. [Actor] lets them act without a bot of package social, too.
//
// A Source of package onebot/remote is for bots on many machines whose implementation connects to any of them.
//
// # Requirements
//
// The implementation must report messages and send them. The link also uses these features where the implementation has
// them: histories (get_group_msg_history, get_friend_msg_history), missed group requests (get_group_system_msg), names of
// accounts and groups, and the typing status.
//
// # Time
//
// The link uses the wall clock. Its limiter waits 3 s between messages to one chat and 1 s between messages of the account, by
// default.
//
// # Concurrency
//
// A link belongs to one bot, which calls its methods concurrently.
//
// # Caveats
//
// OneBot does not report which accounts are programs. List them in [Options].Bots, so that replies to them are limited. If a
// server has several accounts, set [Options].Self.
package onebotlink
