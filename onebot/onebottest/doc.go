// Package onebottest is a OneBot v11 implementation in memory, for tests and demonstrations of
// bots, as net/http/httptest is for HTTP.
//
// A [Server] is one QQ account in a small world of [Group]s with [Member]s, and [Friend]s. It
// speaks the protocol as NapCat does, or as another implementation, over real sockets or over pipes
// inside the process. A test lets people of the world do things, and looks at what the bot did:
//
//	s := onebottest.New(onebottest.Options{})
//	defer s.Close()
//	g := s.Group(100, "炉边夜话")
//	g.Member(1, "张三").Card("三哥")
//	go yourBot(ctx, s.Start()) // ws://127.0.0.1:…
//	s.WaitLink(ctx)
//	g.Say(1, onebot.Message{onebot.At(s.SelfID()), onebot.Text(" 在吗")})
//	sent, err := s.WaitSent(ctx, 1)
//
// What sets the world up ([Server.Group], [Group.Member], [Member.WithCard], …) is quiet. What people
// do ([Group.Say], [Group.Join], [Member.SetCard], [Server.Recall], [Server.FriendRequest], …) is
// pushed as an event to every connected bot; while none is connected it just happens, and messages
// are found in the chat's history, as after a bot was down. Anybody may speak in a group: who was
// no member becomes one.
//
// # Implementations
//
// [Options] with the Habits [NapCat], which is the zero value, [LLBot], [Lagrange] or [GoCQHTTP]
// make a Server behave as that implementation: paths, headers, refusals, retcodes and HTTP
// statuses, message ids, CQ strings or segments, fields that are missing, events that others do
// not push. [Presets] ranges over all of them, so that one test runs against each.
//
// # Transports
//
// [Server.Start] listens on loopback for forward WebSocket clients and for the HTTP API.
// [Server.Client] is an onebot.Client over a pipe, and [Server.HTTPClient] lets any other client
// dial the pipe. [Server.Connect] is reverse WebSocket: it dials a bot's server. [Server.Post] is
// HTTP POST: it brings events to a bot's webhook and does what the answers say. Any number of
// bots may be connected; each gets every event.
//
// # Actions
//
// send_msg, send_group_msg, send_private_msg, delete_msg, get_msg, mark_msg_as_read, send_like,
// get_group_msg_history, get_friend_msg_history; send_forward_msg, send_group_forward_msg,
// send_private_forward_msg, get_forward_msg; get_login_info, get_status, get_version_info,
// can_send_image, can_send_record, get_stranger_info, get_friend_list, get_group_info,
// get_group_list, get_group_member_info, get_group_member_list; send_poke, group_poke,
// friend_poke, set_group_ban, set_group_whole_ban, set_group_kick, set_group_card,
// set_group_leave, set_group_admin, set_group_name, set_group_special_title, set_essence_msg,
// delete_essence_msg, set_msg_emoji_like, set_group_reaction, set_friend_add_request,
// set_group_add_request, get_group_system_msg; upload_group_file, upload_private_file;
// .handle_quick_operation; the streams upload_file_stream, download_file_stream and clean_stream_temp_file. Each may end in _async or
// _rate_limited, which changes nothing, with NapCat's habits; others know neither, or the first,
// and lack some actions. [Server.Handle] adds actions.
//
// The world is held to. A bot that is muted, or not in a group, or no friend, cannot send there
// (retcode 1200); it must be made an admin ("owner" or "admin", [Member.WithRole]) to mute, to kick,
// and to recall what others said. Unknown actions are answered by 1404, bad parameters by 1400.
// These are NapCat's retcodes over WebSocket; others have others.
//
// # Events
//
// Messages, requests, meta events and all notices of the standard come about by what people of
// the world do, and so do the extensions that bots meet most: [Group.Essence], [Group.React],
// [Group.SetName], [Group.Dismiss], [Member.SetCard], [Member.SetTitle], [Friend.Typing],
// [Friend.Upload], [Server.Like], [Server.SetOnline]. Each is pushed in the implementation's form,
// and by those not at all that have no such event. [Server.Emit] pushes any other.
//
// # Faults
//
// [Server.DropLinks], [Server.RefuseConnections], [Server.HalfOpen], [Server.StopReading], [Server.DelayResponse],
// [Server.WithholdResponse], [Server.UnconfirmSends], [Server.Fail], [Server.WrongEcho], [Server.DuplicateResponse],
// [Server.ReorderResponses], [Server.TruncateResponse], [Server.SendRaw], [Server.SendRawTruncated], [Server.SendLargeEvent],
// [Server.RepeatMessage] and [Server.SetOnline] make things go wrong, on demand and exactly.
//
// # Time
//
// A Server runs on the wall clock. In a testing/synctest bubble that is the bubble's, if the
// server is made in it and reached by [Server.Client], [Server.HTTPClient] or the Handler of
// [ConnectOptions] or [PostOptions]: sockets, and so [Server.Start], are not for bubbles. Message ids
// come from the Options' Seed, and nothing else is drawn.
//
// # Concurrency
//
// All methods of all types may be called concurrently. Events reach each bot in the order in
// which they happened. [Server.Connect] and [Server.Post] run in their caller's goroutine; what else the server
// started has ended when [Server.Close] returns.
//
// # Caveats
//
// Everything is kept until the server is garbage: a chat of a million lines needs its memory.
// Files in messages are passed on as they came, not fetched and not stored.
//
// The implementations are mirrored where bots stumble over them, not in full. What goes wrong is
// mostly said in NapCat's words; JSON5 is refused; there are no server-sent events, no long
// polling, and no guilds. The habits are those of NapCat 4, LLBot 7,
// Lagrange.OneBot 0.0.3 and go-cqhttp 1.2.
package onebottest
