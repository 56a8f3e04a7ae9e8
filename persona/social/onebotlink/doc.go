// Package onebotlink connects a being to QQ over OneBot v11: it makes a [social.Link] of a OneBot client or server. The
// tools of nit/qq come with it; [Actor] lets them act without a being, too.
//
//	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{})
//	…
//	being, err := social.New(social.Options{Profile: profile, Model: model, Link: onebotlink.New(client, onebotlink.Options{})})
//
// # What it needs of the implementation
//
// Messages and sends are all that it must have. Histories (get_group_msg_history, get_friend_msg_history), requests that
// were missed (get_group_system_msg), names and the typing status are used where the implementation has them.
package onebotlink
