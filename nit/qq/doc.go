// Package qq is the social plugin: the tools by which a model acts on QQ.
//
//	qq_send_text(target_id?, content, type?)   says something
//	qq_poke(target_id?, user_id?)              pokes somebody
//	qq_get_stranger_info(user_id)              looks at a profile
//
// [Tools] makes them over two narrow interfaces: an [Account], which *onebot.Bot is, and a [Mouth], through which all
// text leaves, so that limits, freshness and the outbox hold for tools as for replies.
//
//	tools, err := qq.Tools(bot, mouth, nil)
//	…
//	err = registry.Add(tools...)
//
// # Targets
//
// A target_id is "group_123", "user_987", or digits with a type. Left out, it is the session of the turn, as
// nit.Principal says. Only the agent's mode reaches other targets. In any other mode a call that aims elsewhere
// is answered as if there were no such tool.
//
// # Text
//
// What a model writes is text: it leaves as one text segment, whatever CQ codes stand in it.
//
// # Concurrency
//
// Tools may run concurrently if the Account and the Mouth may.
package qq
