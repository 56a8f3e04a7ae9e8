// Package relay carries events and calls of an account between two processes: the gateway, which has the account's connection to
// its platform, and the owner, which runs the bot. It is for bots on many machines whose platform connects to any of them, through
// a load balancer.
//
//	platform ── connection ── Gateway ── relay ── Owner ── bot
//
// [Memory] is a relay within one process, for tests. Package memory/postgres has one over the database. Package onebot/remote uses a
// relay for OneBot. An implementation of your own must pass relaytest.Test.
//
// # Events
//
// The gateway stores an event before it reads the next one of the chat. An event remains until it was handled, so that each event
// is handled at least once, in order for each chat. A message is stored by the bot exactly once: package memory/postgres removes it
// in the transaction that stores it.
//
// # Calls
//
// A call is made at most once. The gateway marks it as taken before it makes it. If the gateway dies then, the error is
// [ErrUnclear]. A call that was not taken is withdrawn when its context ends, with [ErrNotCalled]. A gateway refuses calls of a
// process that was the owner once, even if that process was paused and does not know it.
//
// # Newest connection wins
//
// [Gateway].Attach takes an account over from any other gateway, because an older connection is most likely dead.
package relay
