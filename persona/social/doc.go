// Package social puts the rooms of the house together: a being that hears through a [Link], journals what it hears,
// waits until people have finished, decides whether to speak, thinks with a model, and speaks. When to speak is not
// decided here but in heartflow: examples/compose wires the same rooms by hand, and decides alike. What it adds is what
// survives a crash, and that a turn is given up when its author writes on or takes the message back.
//
//	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{})
//	…
//	being, err := social.New(social.Options{
//		Profile: persona.Profile{Name: "小炉", About: "爱看番的大学生，说话简短。"},
//		Model:   model,
//		Link:    onebotlink.New(client, onebotlink.Options{}),
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
// # How it speaks
//
// A reply is one message, which leaves as soon as it may. With Options.Reply.Speech it is typed, in a few short parts, and a link
// with [LinkFeatures.Typing] shows that. They count as one reply; each is written down before it is sent, and after each wait it is
// looked at again whether the rest may still be said. A reply that holds <item>…</item> has those as parts, and with
// Speech.Stream they leave while the model still writes. [Bot.StreamOwnerMessage] delivers them to the owner so. Speech.Stickers follow
// some replies, or stand for one.
//
// # What survives a crash
//
// With a Store on disk, a message that was heard is never lost and one that was said is never said again, whenever the
// program is killed. After a start the messages behind a chat's cursor come back into the buffer while they are fresh;
// what was missed meanwhile is fetched from the platform's history, where the link has [LinkFeatures.RecentMessages]; a send whose result
// nobody knows is looked up there, and told to the owner when it is not found.
//
// # What it makes of what it hears
//
// Without Options.Background.Digest a being has the history of a chat and what recall finds in it. With them it also sums up each
// chat as it goes on, learns what to think of people there and what they are called, and dreams at night: facts that
// stay. How it stands to somebody reaches the willingness of Options.When.HFC, where its formula has a term for that. All this
// takes model calls of its own, in the background, which [Stats] counts apart. What is made of a chat lies in its space,
// and only its turns are shown it; what it was made from takes it along when it is taken back.
//
// # Its own tools
//
// With Options.Tools.Builtin a turn can look into the being's memory, and tell the owner something by notify_master, the one way
// from a chat to them: see nit/recall and nit/self. With OwnTools.Watch a message that looks for the owner, is urgent, or is
// of somebody under special watch asks for a turn though nobody called. That turn can report, and nothing of it is said in the
// chat. What the owner is told is for people: no turn reads it. When the owner's agent reads what was said in chats, the tools of tier L3
// are gone for the rest of that turn.
//
// # Models that only write
//
// A model without native calls gets them by Options.Tools.Scripts: the tools stand in its prompt, and what it writes as a NIT
// script or as <tool_call> becomes calls, by the same door. Turns do not learn of it.
//
// # Days of its own
//
// With Options.Background.Autonomy it acts though nobody spoke: timers that turns set, tasks that they planned, and, where nobody talks
// and nothing is planned, a talk with itself that plans ahead. Three minutes after the last word of a talk its session
// ends, and is thought over once more; after every ten messages it writes anew how it feels. [persona.Life] says when;
// each is an errand, done at most once over all crashes.
//
// What it does runs as the turn that set it going, in its mode, for its person, in its session, and with no more: a timer
// that somebody in a group talked it into sees no tool of the owner's computer. A turn of the owner's that had read what
// strangers may have written, and every talk of the background, leaves timers and tasks that can read, plan and tell
// the owner, and nothing else.
//
//	wake               whose turn it is, and what it sees beside its notes      what comes of its words
//	timer              its maker's, without the history                         said there, or silence
//	task               its maker's, with the history                            said there, or silence; what came of it is noted
//	task, too late     its maker's, in the background                           archived; memory is told
//	talk over          that session's, in the background                        archived
//	nobody talks       Life.Self's, in the background                           archived
//	ten messages       of the liveliest chats, each by itself                   the inner state of that chat
//
// A talk in the background gives way to [Bot.OwnerMessage], or to who calls the being there, as long as it has had no effect, and
// is held anew afterwards; the fourth time it is finished.
//
// What is archived is shown in no prompt. Inner states, slots and scratch lie in the space of the chat that they were made
// in, and its turns are shown them. The wider thought, which all turns but the owner's are shown, is made hourly at most, of
// how it feels in chats that ChatOptions.Public names. Its documents, the character and the history of tasks, are of the owner's side,
// and changed by patches alone. The owner's turns, which have every tool, are shown nothing that was made of what anybody
// can say in public. The owner sends it to sleep everywhere, over restarts; a turn in a chat does so there alone, for an
// hour at most. That something could not be said in a chat the owner is told once a day.
//
// # Requests
//
// Who asks to be a friend, or invites the account into a group, is judged by one model call, which reads the remark, what
// they said in the groups that they share with the being, and what it thinks of them there; Options.Access.Requests leaves it to
// the owner instead. It is answered 5 to 15 seconds after they asked, at most once over all crashes, and never approved
// by a failure: the owner is told. Of what was read in groups nothing leaves but the decision: the reason is for the owner,
// and a new friend is greeted by a turn that reads the private chat alone. Requests to join a group go to Options.Access.OnJoinRequest.
//
// # Commands
//
// With Options.Access.Commands owners and admins can have it keep quiet for a time, speak, sleep and wake, ask how it is, and be
// forgotten, by a message that is nothing else ([persona.ParseCommand]): in private, or in a group behind a mention of the
// bot or its name. Who they are follows from Options.Access.Owners and Admins; the same text of anybody else is a text like any other.
// A command is no turn, and what it changes outlives a restart.
//
// What the owner types in the app ([Bot.OwnerMessage], [Bot.StreamOwnerMessage]) may be a command, too ([persona.ParseOwnerCommand]): to list what
// others may have had a hand in, to endorse and to declassify it, and to revoke that. In a chat these are text.
//
// # Pictures
//
// A turn reads [图片] where somebody sent a picture. With Options.Reply.Pictures it looks at those of the messages that it
// answers: they are fetched under the guard that keeps strangers' URLs off the machine and the network around it, while
// the turn is under way, and are gone with it. A model that sees is given them; for one that does not, Pictures.Describe
// puts them into words. A picture that cannot be had changes nothing.
//
// # Forgetting
//
// [Bot.ErasePerson] and [Bot.EraseChat] reach everything that a being has of somebody, or of a chat, on disk and in
// mind. What the platform still tells of it afterwards is not heard.
//
// # Modes
//
// Everything that a link brings is persona mode, whoever wrote it. Agent mode, with every tool, is [Bot.OwnerMessage], which
// only code can call.
//
// # Time and concurrency
//
// [Bot.Run] is on the wall clock, and runs in a testing/synctest bubble; it returns after all that it started has
// ended. All methods may be called concurrently. A Store belongs to one being at a time.
package social
