package onebottest

import "time"

// Options are the settings of a [Server]. The zero value is NapCat with the account 10000, without a token and
// without heartbeats.
type Options struct {
	SelfID    int64         // the bot's account; 0 means 10000
	Nickname  string        // the bot's nickname; "" means 炉边
	Token     string        // required access token; "" accepts all bots
	Heartbeat time.Duration // interval of heartbeats on each link; 0 sends none, or SnowLuma's every 30 s
	Seed      uint64        // selects the message ids; equal seeds give equal ids
	Quirks    Quirks        // the implementation: NapCat (zero), LLBot, SnowLuma, Lagrange, GoCQHTTP or your own mix
}
