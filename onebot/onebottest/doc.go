// Package onebottest is a fake OneBot v11 implementation in memory, to test and demonstrate bots, as
// net/http/httptest does for HTTP.
//
// A [Server] is one QQ account with its [Group]s, their [Member]s, and its [Friend]s. It speaks the protocol like
// NapCat or another implementation, over real sockets or over pipes inside the process. A test simulates users and
// checks the bot's calls:
//
//	s := onebottest.New(onebottest.Options{})
//	defer s.Close()
//	g := s.Group(100, "炉边夜话")
//	g.Member(1, "张三").WithCard("三哥")
//	client, err := onebot.NewClient(s.Start(), onebot.Options{}) // ws://127.0.0.1:…
//	go client.Run(ctx, yourHandler)
//	err = s.WaitLink(ctx)
//	g.Say(1, onebot.Message{onebot.At(s.SelfID()), onebot.Text(" 在吗")})
//	sent, err := s.WaitSent(ctx, 1)
//	fmt.Println(sent[0].Message.Text())
//
// Methods that set up state ([Server.Group], [Group.Member], [Member.WithCard], …) push no events. Methods that simulate
// users ([Group.Say], [Group.Join], [Member.SetCard], [Server.Recall], [Server.FriendRequest], …) push an event to
// every connected bot. Without a connected bot they only change the state, and messages appear in the chat's history,
// as after an outage of a bot. A user who sends a message to a group becomes a member.
//
// Users send anything that people send: [Server.Image], [Server.Voice], [Server.Forward] and [Card] return messages for
// them, [Group.Upload] and [Friend.Upload] send files. The test reads what the bot did: [Server.Sent] (its quotes by
// Message.ReplyID), [Server.Forwarded], [Server.Files], [Server.Pokes], [Server.Reactions], [Group.Essences],
// [Group.Announcements], [Group.Signed], [Server.Requests]. [Server.Wait] waits for any of it.
//
// # Implementations
//
// Options.Quirks selects the simulated implementation: [NapCat] (the zero value), [LLBot], [SnowLuma], [Lagrange] or
// [GoCQHTTP]. They differ in paths, headers, refusals, retcodes, HTTP statuses, message ids, CQ strings or segments, missing
// fields, and events. [Presets] iterates over all of them, so that one test runs against each.
//
// # Transports
//
// [Server.Start] listens on loopback for forward WebSocket clients and for the HTTP API. [Server.Client] returns an
// onebot.Client over a pipe, and [Server.HTTPClient] lets any other client dial the pipe. [Server.Connect] is reverse
// WebSocket: it dials a bot's server. [Server.Post] is HTTP POST: it sends events to a bot's webhook and performs the
// operations in the responses. Any number of bots may be connected. Each gets every event.
//
// # Actions
//
//	send_msg send_group_msg send_private_msg delete_msg get_msg mark_msg_as_read send_like
//	get_group_msg_history get_friend_msg_history
//	send_forward_msg send_group_forward_msg send_private_forward_msg get_forward_msg
//	forward_group_single_msg forward_friend_single_msg
//	get_login_info get_status get_version_info can_send_image can_send_record
//	get_stranger_info get_friend_list
//	get_group_info get_group_list get_group_member_info get_group_member_list
//	send_poke group_poke friend_poke
//	set_group_ban set_group_whole_ban set_group_kick set_group_card set_group_leave set_group_admin
//	set_group_name set_group_special_title
//	set_essence_msg delete_essence_msg get_essence_msg_list
//	set_msg_emoji_like unset_msg_emoji_like set_group_reaction
//	_send_group_notice _get_group_notice _del_group_notice send_group_sign set_group_sign
//	set_friend_add_request set_group_add_request get_group_system_msg
//	get_image get_record get_file fetch_ptt_text get_ptt_text get_record_text voice_msg_to_text
//	upload_group_file upload_private_file get_group_file_url get_private_file_url
//	get_group_root_files get_group_files_by_folder delete_group_file
//	create_group_file_folder delete_group_folder delete_group_file_folder rename_group_file_folder
//	upload_file_stream download_file_stream clean_stream_temp_file
//	.handle_quick_operation
//
// Each may end in _async or _rate_limited, which NapCat and LLBot ignore. go-cqhttp ignores only the first, SnowLuma and
// Lagrange neither. All except NapCat lack some actions. [Server.Handle] adds actions.
//
// Actions enforce the rules of QQ. A bot that is muted, is not in the group, or is not a friend cannot send there
// (retcode 1200). Only an owner or admin ([Member.WithRole]) can mute, kick and recall messages of others. Unknown
// actions fail with 1404, bad parameters with 1400. These are NapCat's retcodes over WebSocket; other implementations
// have their own.
//
// # Events
//
// Simulated users cause messages, requests, meta events and all notices of the standard. They also cause the most
// common extensions: [Group.Essence], [Group.React], [Group.SetName], [Group.Dismiss], [Member.SetCard],
// [Member.SetTitle], [Friend.Typing], [Friend.Upload], [Server.Like], [Server.SetOnline]. Each event has the form of
// the implementation. An implementation without such an event pushes nothing. [Server.Emit] pushes any other event.
//
// # Faults
//
// These methods inject faults:
//
//   - Links: [Server.DropLinks], [Server.RefuseConnections], [Server.HalfOpen], [Server.StopReading], [Server.SetOnline].
//   - Responses: [Server.DelayResponse], [Server.WithholdResponse], [Server.UnconfirmSends], [Server.Fail].
//   - Responses over WebSocket: [Server.WrongEcho], [Server.DuplicateResponse], [Server.ReorderResponses], [Server.TruncateResponse].
//   - Frames: [Server.SendRaw], [Server.SendRawTruncated], [Server.SendLargeEvent], [Server.RepeatMessage].
//
// # Concurrency
//
// All methods of all types may be called concurrently. Each bot gets the events in order. [Server.Connect] and
// [Server.Post] run on their caller's goroutine. All other goroutines of the server have ended when [Server.Close]
// returns.
//
// # Time
//
// A Server uses the wall clock. In a testing/synctest bubble it uses the bubble's clock. It must be created in the
// bubble and reached by [Server.Client], [Server.HTTPClient] or the Handler of [ConnectOptions] or [PostOptions],
// because sockets, and so [Server.Start], do not work in bubbles. Message ids come from Options.Seed. Nothing else is
// random.
//
// # Caveats
//
// The server keeps all messages and files in memory and serves the files by HTTP: see [File]. It converts no voice
// messages, and it does not fetch pictures or voice that the bot sends.
//
// The simulation covers the differences that matter to bots and is not complete. Most error texts of LLBot are NapCat's.
// There is no JSON5, no server-sent events, no long polling, and no guilds. The simulated versions are NapCat 4, LLBot
// 8.1.7, SnowLuma 1.11.1, Lagrange.OneBot 0.0.3 and go-cqhttp 1.2.
package onebottest
