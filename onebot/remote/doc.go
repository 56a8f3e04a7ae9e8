// Package remote uses an account of OneBot in another process than the one that has its connection. It is for bots on many machines
// with reverse WebSockets: an implementation connects through a load balancer to any process, and its bot runs in another one.
//
// Each process runs a [Gateway] for the accounts that connect to it. The process that runs the bot of an account has a [Source],
// which stands where a *onebot.Server would stand, with all events and calls. A [relay.Gateway] and a [relay.Owner] connect
// both. Package memory/postgres has them over its database. It works the same way if both are in one process.
//
// Bots with forward WebSockets need none of it: the process that runs the bot dials.
//
// # Calls
//
// A call is made at most once. [onebot.ErrDisconnected] means that the account is not connected, or that no gateway took the
// call. [onebot.ErrUnclear] means that a send was taken and not answered. The gateway waits for the rate limit of the account, see
// [Source.Limiter].
//
// # Events
//
// Events wait in the relay until the bot has handled them. The Source makes the lifecycle event "connect" itself, when the account
// connects to any gateway, and when the Source begins while the account is connected. Of the heartbeats, it passes one a minute and
// each that changes the status.
//
// # Caveats
//
// [onebot.Bot.Stream] yields only the first part of a response. The interval of the rate limit starts over when the account
// connects to another gateway.
package remote
