// Package onebot speaks OneBot v11 with NapCat, LLOneBot, Lagrange, go-cqhttp and others: it brings their events to
// a handler as typed values and calls their actions.
//
// There are four ways to an implementation, and each gives the same events and the same [Bot]:
//
//   - a [Client] dials it ("forward WebSocket"), over one link or, by [NewSplitClient], over one for calls and one for
//     events;
//   - a [Server] is dialled by it ("reverse WebSocket"), by any number of accounts;
//   - a [Webhook] gets its events by HTTP POST and may answer with a quick operation: [QuickHandler];
//   - an [HTTPClient] makes calls over HTTP, alone or for a Webhook.
//
// All but the last run until their context ends, make links anew when they drop, and hand each event to a [Handler]
// together with the Bot that it happened to:
//
//	client := onebot.NewClient("ws://127.0.0.1:3001", &onebot.Options{Token: token})
//	err := client.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
//		switch e := e.(type) {
//		case *onebot.GroupMessage:
//			if !e.Own() && e.Message.Mentions(e.SelfID) {
//				bot.SendGroupMsg(ctx, e.GroupID, onebot.Message{onebot.Reply(e.MessageID), onebot.Text("在")})
//			}
//		}
//	})
//
// What has no type arrives as [*Unknown], and actions without a method are called by [Bot.Call]; those that answer in
// several parts by [Bot.Stream].
//
// Handlers are put together from small functions, as those of net/http are: [Chain], [GroupOnly], [AtMe], [Command].
//
// # Messages
//
// A [Message] is a list of segments. A Go string is text: it is never read as CQ code, neither here nor, because
// messages are sent as arrays, by the implementation. [ParseCQ] and [Message.CQ] are for those who need the string
// form; messages that come as strings are parsed already.
//
// Parts that this package has no builder for are made by [Raw] and [Segment.With], and read by [Segment.Param].
// [Message.Text] is what a message says to people and models, [Classify] which events belong to a talk at all.
//
// # Names
//
// Types and methods say in parentheses or in tags what they are on the wire: whoever has a frame or another program's
// code before them finds card_new, lucky_king or set_group_whole_ban by a search of this page. Where implementations
// say one thing in several ways it is one thing here, and parameters go out under all the names that are in use.
//
// # Dependability
//
// A link that is silent for too long is taken for dead; a wrong token ends Run. A call ends with its context, with
// the link, or with its answer, whichever is first; a call that its context ended leaves the link alone. A send
// whose answer never came matches [ErrUnclear]: it may have been delivered, so it is not sent again. A [Filter] may
// change or refuse whatever others would see.
//
// Events wait in a queue for each conversation. When all queues together exceed [Options.QueueBytes], the oldest
// events of the longest go, and a [*Dropped] tells so in their place. [Stats] account for every event.
//
// # Time
//
// Times of events come from the implementation and may be anything; they are taken to the second, milliseconds are
// recognised. Waits between dials, watchdog and [Limiter] follow the wall clock; [Limiter.Try] takes the time from
// its caller.
//
// # Concurrency
//
// All methods of Client, Server, Webhook, HTTPClient, Bot and Limiter may be called concurrently. Handlers of one
// conversation run one after the other in the order of its events, those of different conversations at once, on at
// most [Options.Workers] goroutines. Reading never waits for handlers, so handlers may call the API. When Run returns,
// all goroutines that it started have ended, and no handler is called any more.
//
// # Caveats
//
// Strings, segments and raw JSON of an event share one copy of its frame, usually a kilobyte: strings.Clone what is
// kept for long. Frames above 16 kB share nothing but their large parts. None of the raw bytes may be changed.
//
// Message ids are hashes that repeat, and the same id comes signed and unsigned: see [MessageKey].
//
// A private message may carry a group id. Where to answer is told by its type alone.
package onebot
