// Package qqbottest is the official QQ bot platform in memory, to test and demonstrate bots, as net/http/httptest does for HTTP.
//
// A [Server] is one bot with its [Group]s, their [Member]s, and its [User]s. It serves access tokens, the API and the gateway
// over real sockets or over pipes inside the process. A test lets people say things and reads what the bot sent:
//
//	s := qqbottest.New(qqbottest.Options{})
//	defer s.Close()
//	ann := s.Group("G1").Member("M1", "Ann")
//	client := s.Client(qqbot.Options{})
//	said := ann.At("在吗")
//	_, err := client.Send(ctx, qqbot.GroupChat("G1"), qqbot.Out{Text: "在", MsgID: said.ID})
//	fmt.Println(s.Sent()[0].Text)
//
// [Server.Start] listens on loopback, [Server.StartTLS] does so with a certificate, and [Server.HTTPClient] dials through pipes,
// which works in a testing/synctest bubble. [Server.Post] pushes events to a webhook instead, signed as the platform signs them.
//
// # Rules
//
// The platform's rules apply: a reply needs a message of the same chat, at most 5 minutes old in a group and 60 minutes for a
// user, with 5 and 4 replies; a repeated msg_seq is refused as a duplicate; without msg_id the owner must have permitted it
// ([Group.AllowProactive]), 20 a minute and 1000 a day; texts above 5000 characters and URLs of unlisted domains
// ([Server.AllowURLs]) in groups are refused. A token lives for two hours and is replaced in its last minute. [Server.Advance]
// moves the clock.
//
// # Faults
//
// [Server.Fail], [Server.Delay] and [Server.Cut] make calls fail, [Server.DropLinks], [Server.CloseLinks], [Server.Reconnect],
// [Server.InvalidateSessions], [Server.KillSessions], [Server.StaleSessions], [Server.ReplayDelivered] and [Server.HalfOpen]
// disturb the gateway, and [Server.ExpireTokens] the tokens.
//
// # Other clients
//
// The tests run @satorijs/adapter-qq 4.11.0 against it: login, heartbeat, messages of groups and users, replies, upload, recall,
// buttons, refusals, resume, and the webhook with its signatures. Its address for tokens is fixed in its code, so its fetch is
// redirected. As a webhook it gets a small HTTP server in place of @cordisjs/plugin-server. After op 7 and op 9 it waits for the
// platform to close the link.
//
// qq-official-bot 1.0.13 was run by hand, with its requests redirected. qq-guild-bot 2.9.5, Tencent's own for Node, cannot run
// here: it knows neither access tokens nor groups and users.
//
// # Not verified against the live service
//
// Where sources disagree, the code chosen for a refusal is one of several: 40034128 for a reply that is too late, 22009 for one
// too many, 40034105 for a message without permission.
package qqbottest
