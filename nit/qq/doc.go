// Package qq has the tools for acting on QQ: send messages, pictures and voice, react, poke, answer friend requests,
// manage groups.
//
// A model in a group chat must not message other groups, kick people or mention everyone because a chat message told it
// to. The tools therefore act only in the chat of the turn, except in agent mode, where the owner gives the orders.
//
//	qq_send_text(target_id?, content, type?, at?)       sends a text
//	qq_send_image(target_id?, image_path)               sends a picture; needs [Options].Images
//	qq_send_voice(target_id?, text)                     speaks a text; needs [Options].Voice
//	qq_send_forward(target_id?, messages)               sends own texts as one merged forward
//	qq_react(target_id?, message_id, face)              adds a face to a message
//	qq_poke(target_id?, user_id?)                       pokes a person
//	qq_get_stranger_info(user_id)                       reads a profile
//	qq_handle_friend_request(flag, approve?, remark?)   answers a friend request
//	qq_handle_group_invite(flag, approve?)              answers a group invitation
//	qq_delete_friend(user_id)                           ends a friendship
//
// In agent mode only:
//
//	qq_find_target(name, type?)                         finds groups and friends by name
//	qq_get_friend_list, qq_get_group_list, qq_get_group_member_list, qq_get_group_history
//	qq_get_requests()                                   lists open requests; needs [Options].Requests
//	qq_delete_message, qq_group_kick, qq_group_ban, qq_group_card, qq_group_title
//	qq_group_sign(group_id?)                            checks in for today
//	qq_essence(message_id, action), qq_get_essence_list(group_id?)
//	qq_send_announcement(group_id?, text), qq_get_announcements(group_id?)
//	qq_group_files(group_id?, folder_id?), qq_get_file_url(group_id?, file_id)
//	qq_send_file(target_id?, path)                      sends a file; needs [Options].Files
//
// [Tools] makes them from an [Actor], a struct of functions for a platform. For OneBot use
// persona/social/onebotlink. If a field of the actor is nil, the tools that need it are left out. [Plugin] makes a
// nit.Plugin with the same tools.
//
//	tools, err := qq.Tools(actor, qq.Options{})
//	…
//	err = registry.Add(tools...)
//	view := registry.View(nit.Principal{Tiers: nit.L1, Platform: "qq", Session: "group_123"})
//	res, err := view.Do(ctx, "qq_send_text", `{"content":"晚上好"}`) // to group 123
//
// # Targets
//
// A target_id is "group_123", "user_987", or digits with a type. If it is omitted, the target is the session of the
// nit.Principal. Other targets need agent mode. In other modes they give nit.ErrUnknownTool, and so does mentioning
// everyone. There the bot can delete a friend only in a conversation with that friend.
//
// In agent mode groups, friends and members can also be named by remark, card or nickname. Case, width and invisible
// characters do not matter. Anything that looks like an id is an id. If a name is ambiguous or only a part of a name, the
// tool fails and tells the model some ids, so that it can ask. The error contains no names, because people choose their
// names themselves.
//
// # Requests
//
// The flag of a request is a capability. In agent mode every flag works. For requests in [Options].Requests the user or
// group id works too. In other modes only the flags of the requests in [WithRequests] work.
//
// # Untrusted text
//
// Names, profiles, comments, histories, announcements and lists of files are untrusted. The tools that return them have
// nit.ResultIntegrity(nit.Untrusted), and their use revokes the tools of tier L3 that have effects (see
// nit.RevokesAfterUse). The results of the other tools contain ids only and are nit.Trusted.
//
// # Policies
//
// Tools with effects declare their target arguments and the words that people use to request them (nit.ActsOn). A policy
// can check with nit.ToolInfo.RequestedIn whether a message of the owner requests the call. For answers to requests these
// are words of approval only. The path of qq_send_file is a target too. With picture URLs allowed, qq_send_image is
// nit.OpenWorld.
//
// # Text and pictures
//
// Content is sent as plain text: CQ codes in it have no effect. Mentions come from the argument at. All messages in a
// merged forward are from the account itself.
//
// The id of a message does not tell its chat. Before qq_react reacts, it looks the message up and fails if it is in
// another chat.
//
// A picture is a file in a directory, opened with os.Root, so no path and no link leads out of it. In agent mode it may
// be a public URL, if the options allow it. Only pictures, by their first bytes, of limited size are sent. The bytes are
// sent, so the platform needs no access to the file. For files of qq_send_file the same holds for another directory.
//
// # Time
//
// The package uses no clock. Displayed times use Options.Location.
//
// # Concurrency
//
// The tools may run concurrently if the functions of the Actor may.
//
// # Caveats
//
// [PendingRequests] is not persistent: requests from before a restart are known by their flags only.
package qq
