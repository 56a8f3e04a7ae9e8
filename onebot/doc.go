// Package onebot is a OneBot v11 SDK for QQ bots: it connects to NapCat, LLBot (LuckyLilliaBot, once LLOneBot),
// SnowLuma, Lagrange, go-cqhttp (no longer maintained) and other implementations, delivers their events as typed values,
// and calls their actions. SnowLuma's licence forbids commercial use. Nothing of it is contained here.
//
// There are four transports. All deliver the same events and the same [Bot]:
//
//   - A [Client] dials the implementation (forward WebSocket, 正向 WS). [NewSplitClient] uses one link for calls and
//     one for events.
//   - A [Server] is dialed by the implementation (reverse WebSocket, 反向 WS), for any number of accounts.
//   - A [Webhook] receives events by HTTP POST. It may respond with a quick operation: see [QuickHandler].
//   - An [HTTPClient] calls actions over HTTP, alone or together with a Webhook.
//
// Client, Server and Webhook run until their context is done. They pass each event to a [Handler], together with the
// Bot of its account:
//
//	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{Token: token})
//	if err != nil {
//		return err
//	}
//	err = client.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
//		if m, ok := e.(*onebot.GroupMessage); ok && !m.Own() && m.Message.Mentions(m.SelfID) {
//			bot.SendGroupMsg(ctx, m.GroupID, onebot.Message{onebot.Reply(m.MessageID), onebot.Text("在")})
//		}
//	})
//
// Events without a type arrive as [*Unknown]. [Bot.Call] calls actions without a method, and [Bot.Stream] calls
// actions that respond in several parts. Handlers are composed of small functions, as in net/http: [Chain],
// [GroupOnly], [AtMe], [Command].
//
// # Messages
//
// A [Message] is a list of segments. Text in a Go string is never parsed as CQ code: this package sends messages as
// arrays, so implementations do not parse it either. [ParseCQ] and [Message.CQ] convert from and to the string form.
// Messages received as strings are already parsed.
//
// [Raw] and [Segment.With] build segments that have no builder here, and [Segment.Param] reads any parameter.
// [Message.Text] returns a message as plain text for people and models. [Classify] separates chat messages from all
// other events.
//
// # Names
//
// Comments and tags contain each name of the protocol, so a search of this page finds card_new, lucky_king or
// set_group_whole_ban. If implementations use different names for one thing, it has one name here, and parameters are
// sent under all names in use. A few actions are tried by one name after the other: see [Bot.FetchPTTText].
//
// Two actions of SnowLuma have no method on purpose: request_decrypt_key returns the key of QQ's local database, and
// .get_word_slices always fails. [Bot.Call] calls them.
//
// # Reliability
//
// A link without traffic for too long is closed and dialed again. A rejected token ends Run. A call ends with its
// response, with its context, or with the link. A cancelled call does not close the link. If a send was written and
// its response never came, the error matches [ErrUnclear]: the message may have been delivered, so do not send it
// again. A [Filter] may change or refuse everything that other users would see.
//
// Events wait in one queue for each conversation. If all queues together exceed [Options.QueueBytes], the oldest
// events of the longest queue are dropped, and a [*Dropped] event takes their place. [Stats] count every event.
//
// # Trust
//
// Give Server and Webhook a token if anything but loopback reaches them. Without one they trust every peer, except that
// over loopback they refuse requests with the name of another host: see [Options.Hosts]. A Webhook with a token checks
// the signature and the time of each event: see [Options.MaxEventAge]. Before it trusts a request, it limits size, time
// and number: see [Webhook].
//
// # Concurrency
//
// All methods of Client, Server, Webhook, HTTPClient, Bot and Limiter may be called concurrently. Events of one
// conversation are handled one after the other, in order. Events of different conversations are handled concurrently,
// on at most [Options.Workers] goroutines. Reading never waits for handlers, so handlers may call the API. When Run
// returns, all goroutines that it started have ended, and no handler is running.
//
// A panic in a handler ends the program. Wrap the handler by [Recover] to log the panic and go on.
//
// # Time
//
// The time of an event comes from the implementation and may be wrong. It has a resolution of one second; values in
// milliseconds are recognized. Reconnects, the watchdog and the [Limiter] use the wall clock. [Limiter.Try] takes the
// time from its caller.
//
// # Caveats
//
// Strings, segments and raw JSON of an event share one copy of its frame, usually a kilobyte. Use strings.Clone for
// strings that you keep for long. Frames above 16 kB share only their large parts. Do not modify the raw bytes.
//
// Message ids are hashes and may repeat, and the same id comes signed and unsigned: see [MessageKey].
//
// A private message may have a group id. Only its type says where to reply.
package onebot
