// Package qq is the social plugin: the tools by which a model acts on QQ.
//
//	qq_send_text(target_id?, content, type?, at?)       says something
//	qq_send_image(target_id?, image_path)               sends a picture; with [Options].Images
//	qq_poke(target_id?, user_id?)                       pokes somebody
//	qq_get_stranger_info(user_id)                       looks at a profile
//	qq_handle_friend_request(flag, approve?, remark?)   answers somebody who wants to be a friend
//	qq_handle_group_invite(flag, approve?)              answers an invitation into a group
//	qq_delete_friend(user_id)                           ends a friendship
//
// and in the agent's mode only
//
//	qq_find_target(name, type?)                         finds groups and friends by name
//	qq_get_friend_list, qq_get_group_list, qq_get_group_member_list, qq_get_group_history
//	qq_get_requests()                                   lists what can be answered; with [Options].Requests
//	qq_delete_message, qq_group_kick, qq_group_ban, qq_group_card
//
// [Tools] makes them over an [Actor], a struct of functions that a platform fills; persona/social/onebotlink does so for
// OneBot. What the platform cannot do is nil there, and has no tool.
//
//	tools, err := qq.Tools(actor, qq.Options{})
//	…
//	err = registry.Add(tools...)
//
// [Plugin] makes them as a plugin, which is loaded and unloaded while the program runs.
//
// # Targets
//
// A target_id is "group_123", "user_987", or digits with a type. Left out, it is the session of the turn, as
// nit.Principal says. Only the agent's mode reaches other targets. In any other mode a call that aims elsewhere, or
// that mentions everybody, is answered as if there were no such tool; a friend is deleted there only by talking to
// them.
//
// In the agent's mode a group, a friend or a member is found by name, too: by remark, card or nickname, equal but for
// case, width and what cannot be seen. What can be an id is one. A name that several bear, or that is only a part of
// one, finds nobody: the model is told a few ids, and to ask. It is told no names: those are chosen by those who bear
// them, and decide nothing else.
//
// # Requests
//
// The flag of a request is a capability. In the agent's mode any flag can be answered, and a request that [Options].Requests
// remembers by the number of who asks or of the group, too; elsewhere only the flags of the requests that the turn was
// shown, as [WithRequests] says.
//
// # What others wrote
//
// Names, profiles, comments and histories are data that anybody may have written. The tools that give them are
// nit.Gives(nit.Untrusted), and once one was called the tools of tier L3 that act are shed from the view: see nit.Sheds.
// What the others give is made here, of ids alone: nit.Gives(nit.Trusted).
//
// # On whom they act
//
// Tools that act say on whom, and with which words people order it (nit.ActsOn): target_id, group_id, user_id,
// message_id, flag. So a policy can tell by nit.Info.NamedIn whether a message of the owner's orders the call; what
// answers requests is named by words of approving alone. With [Options].ImageURLs qq_send_image is of the
// nit.OpenWorld.
//
// # Text and pictures
//
// What a model writes is text: it is sent as text, whatever CQ codes stand in it. Mentions come from the argument at
// alone.
//
// A picture is a file below a root, opened with os.Root: no path and no link leads out. In the agent's mode it can be
// a URL of the public internet, where [Options].ImageURLs allows it. What is not a picture by its first bytes, or too
// large, is not sent. Pictures are sent by their bytes, so they need not lie on the platform's machine.
//
// # Concurrency
//
// Tools may run concurrently if the functions of the Actor may.
package qq
