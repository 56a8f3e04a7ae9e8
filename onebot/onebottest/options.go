package onebottest

import "time"

// Options say what kind of OneBot implementation a [Server] is. The zero value is an account
// 10000 without a token and without heartbeats, with NapCat's habits.
type Options struct {
	SelfID    int64         // the bot's account; 0 means 10000
	Nickname  string        // the bot's own nickname; "" means 炉边
	Token     string        // what a bot has to know; "" lets everybody in
	Heartbeat time.Duration // between two heartbeats on each link; 0 sends none
	Seed      uint64        // picks the message ids; the same seed gives the same ids
	Quirks    Quirks        // where implementations differ: NapCat, which is zero, LLBot, Lagrange, GoCQHTTP or your own mix
}
