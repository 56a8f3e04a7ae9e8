// Package inspect shows running bots in a browser. Its pages show
//   - messages and decisions with their reasons, as they happen,
//   - the prompt of each model call by part,
//   - the memory, with people, summaries, notes and documents,
//   - plans, waiting requests, tools and settings,
//   - the health of the links, the budget and the cost,
//   - the day of the bot, with a box in which the owner talks to it.
//
// Its [Handler] is an http.Handler:
//
//	pages, err := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: "小炉", Bot: bot}}, Token: token})
//	if err != nil {
//		return err
//	}
//	defer pages.Close()
//	return http.ListenAndServe("127.0.0.1:8081", pages)
//
// A *social.Bot is a [Bot]. One handler shows many bots. The pages are in Chinese and English, for phones and desktops, light and
// dark. They load nothing from elsewhere.
//
// # Access
//
// Every page needs a token. Browsers send it once, by a form, and get a cookie that scripts cannot read; other clients send
// "Authorization: Bearer …". The token is never part of a URL. With Options.Token all is shown and may be changed. With
// Options.ReadToken nobody's private chat, no prompt and no memory is shown, and nothing may be changed.
//
// Requests that another page makes are refused, and so are requests whose Host is a name that Options.Hosts does not list. Listen on
// loopback, or behind a proxy with TLS.
//
// # What is kept
//
// A Handler watches its bots until Close: 2000 events, 500 turns and 200 prompts of each, in memory only. When a bot erases a person
// or a chat, all of them are dropped, because prompts may quote anybody. A retracted message is dropped with the prompts that show it.
//
// # Concurrency
//
// A Handler may be used concurrently. Its goroutines end before Close returns. A turn of the owner goes on when the page is closed.
package inspect
