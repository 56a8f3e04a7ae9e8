// Package social puts the rooms of the house together: a being that hears through a [Link], journals what it hears,
// waits until people have finished, decides whether to speak, thinks with a model, and speaks. When to speak is not
// decided here but in heartflow: examples/compose wires the same rooms by hand, and decides alike. What it adds is what
// survives a crash, and that a turn is given up when its author writes on or takes the message back.
//
//	being, err := social.New(social.Options{
//		Profile: persona.Profile{Name: "小炉", About: "爱看番的大学生，说话简短。"},
//		Model:   model,
//		Link:    social.OneBot(onebot.NewClient("ws://127.0.0.1:3001", nil), nil),
//		Store:   db,
//	})
//	…
//	err = being.Run(ctx) // until ctx ends
//
// # The way of a message
//
// What a [Link] brings is known again when it comes twice, journaled, and only then looked at: does it call? It goes
// into the buffer of its chat. A batch that is due is judged, without a model. What is not silent becomes an errand and
// one model conversation, with the tools that a stranger may see and with nothing of any other chat. What the model, or
// a tool, wants to say leaves by one mouth: wait for the link's pace, then fresh and within the caps, then committed,
// then sent, and its result kept.
//
// # What survives a crash
//
// With a Store on disk, a message that was heard is never lost and one that was said is never said again, whenever the
// program is killed. After a start the messages behind a chat's cursor come back into the buffer while they are fresh;
// what was missed meanwhile is fetched from the platform's history, where the link is a [Rememberer]; a send whose result
// nobody knows is looked up there, and told to the owner when it is not found.
//
// # Modes
//
// Everything that a link brings is persona mode, whoever wrote it. Agent mode, with every tool, is [Being.Owner], which
// only code can call.
//
// # Time and concurrency
//
// [Being.Run] is on the wall clock, and runs in a testing/synctest bubble; it returns after all that it started has
// ended. All methods may be called concurrently. A Store belongs to one being at a time.
package social
