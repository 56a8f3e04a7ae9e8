// Package persona is who a bot is and how it lives: its profile, the chats and messages of any platform, its two modes,
// what a model gets to read, the conversation with that model, and the errands that keep it from saying anything twice.
//
// A [Message] is what somebody said, on whatever platform. A [Scene] is everything that one turn may see of it;
// [Profile.System] and [Profile.Context] render the two halves of a prompt from it. A [Turn] asks a model and comes
// back with what to say, or with silence:
//
//	me := persona.Profile{Name: "小炉", About: "爱看番的大学生，说话随和。"}
//	scene := persona.Scene{Chat: chat, ChatName: "技术交流群", State: "summoned", History: before, Recent: batch}
//	turn := persona.Turn{Model: model, Toolbox: view}
//	reply, err := turn.Run(ctx, me.System(scene), me.Context(time.Now(), scene))
//	if err != nil || reply.Silent {
//		return err
//	}
//	say(chat, persona.Out{Text: reply.Text})
//
// Neighbouring turns begin alike, so that providers can cache what they begin with: see [Profile.Context], and [Window]
// for the history.
//
// Everything that people write is data. Names, texts, quotes and tool results enter a prompt through one writer, which
// escapes them, takes out what cannot be seen, and makes the markers of chat templates and tool calls harmless. Who
// somebody is follows from ids; which [Mode] the being is in follows from where input came in ([Router]): no text can
// change either. [Honesty] (it does not make things up, least of all about its owner) closes every system prompt,
// also one whose templates were replaced.
//
// Who a being is stands in no code: a [Character] is a directory that people edit, or a row of a database, and moves from
// one to the other.
//
// [Errands] makes acting safe: what is about to be said is written down first, and what was begun when the program died
// is told as unclear instead of being said again.
//
// It has days of its own: a [Schedule] holds what it means to do, one thing at a time, and [Timers] wake it, once or
// again and again. Both outlive the program, and what they start has the rights of the turn that asked for it, its
// [Maker]'s, and no more. A [Life] drives both and says when there is a reason to act: a timer, a task, a talk that fell
// silent, a reflection, or nothing planned and nobody there.
//
// # Time
//
// Nothing here reads a clock: what depends on time takes it as now. [Turn.Run] bounds itself by a context's deadline.
// [Life.Next], [Timers.Next] and [Schedule.Next] say when to ask for what is due; ask also when the clock was changed.
// Times of day need the zones of the machine, or of time/tzdata.
//
// # Concurrency
//
// [Profile], [Scene], [Turn] and the messages are values: read them from as many goroutines as you like. [Router],
// [Errands], [Schedule], [Timers] and [Life] may be used concurrently. No goroutine is started.
//
// # Caveats
//
// [Tokens] is an estimate, made to be on the safe side for Chinese. Emoji that are composed with joiners are shown to
// the model as their parts, because the joiner cannot be seen. A turn cannot leave a model that ignores its context.
package persona
