// Package preset fills the options of package social for two kinds of bots: a member of group chats ([Group]) and a
// companion of one owner ([Companion]). Each turns on everything that this kind of bot has.
//
//	o, err := preset.Group(ctx, social.Options{
//		Profile: persona.Profile{Name: "小炉", About: "爱看番的大学生，说话简短。"},
//		Model:   model,
//		Link:    link,
//		Storage: social.Storage{Store: store},
//		Access:  social.Access{Owners: owners},
//	})
//	if err != nil {
//		return err
//	}
//	bot, err := social.New(o)
//
// A field that is set stays. What a preset sets can be changed before social.New: o.Reply.Speech = nil sends each reply at
// once. examples/groupbot and examples/companion are these presets with flags.
//
//	capability                  field                      Group         Companion     model calls
//	when it speaks              When.HFC                   Heart Flow    by policy     see below
//	how welcome it is           When.Feedback              on            on            none
//	talks that it begins        When.Attention.Begin       on            off           1 reply in 12 hours and group
//	how it finds its words      Reply.Strategy             three calls   one call      3 or 1 a reply
//	short parts, typed          Reply.Speech               on            on            none
//	summaries, people, dreams   Background.Digest          on            on            1 a reply, 1 per 20 messages, 1 a night and chat
//	facts about people          Background.Facts           on            on            none
//	expressions of groups       Background.Expressions     on            on            none
//	timers, tasks, reflections  Background.Autonomy        own rights    owner's       1 per 10 messages with it, 4 an hour for itself
//	memory, notes, reports      Tools.Builtin              on            on            in the calls of a turn
//	messages for the owner      Tools.Builtin.Watch        on            on            1 per such message
//	plugins on and off          Tools.Plugins              on            on            none
//	masked data of the owner    Access.Redact              memory/redact memory/redact none
//	commands in chats           Access.Commands            on            on            none
//	friend requests, invites    Access.Requests            judged        judged        1 a request
//
// Reports and Watch need somebody to report to: Access.Owners or Hooks.Notify.
//
// # Cost
//
// These are the calls and tokens of the demo of examples/groupbot: five minutes, two groups and 40 messages, four of which
// address the bot. Tokens are estimated from the length of the prompts.
//
//	When.HFC, three calls a reply     52 calls   110,000 tokens
//	When.HFC, one call a reply        28 calls    69,000 tokens
//	heartflow.Interject               19 calls    44,000 tokens
//	heartflow/learned                 18 calls    40,000 tokens
//	heartflow.MentionOnly             15 calls    34,000 tokens
//	the same without Digest            9 calls    26,000 tokens
//
// Three calls are the default of Group, because the thought and the plan are what Heart Flow Chat is: a thought continues
// the last one, and a plan says why the bot speaks or keeps silent. One call does not know either. The budget of
// When.Attention ends both before they become expensive, background work first.
//
// After 10,000 messages in 200 groups the process of examples/groupbot takes about 65 MB with all of this, and 59 MB without
// Heart Flow Chat and Digest.
//
// # Time
//
// [Scale] makes a bot live faster, for demonstrations and tests.
//
// # Concurrency
//
// The functions may be called concurrently, but each result is for one bot: it has a registry and plugins of its own.
//
// # Caveats
//
// Group and Companion set Access.Commands also if it is false, if there are owners or admins. Set it to false afterwards.
package preset
