// Package owner divides bots among the processes of many machines that share one PostgreSQL database. Each being has a lease in
// memory/postgres. The processes that live are known by leases, too.
//
// [Core] is the pure part: it decides what one process claims, renews, hands over and gives up. [Run] drives it with a
// database and runs a function for each being that the process owns.
//
// # Who owns a being
//
// Each process renews a membership and lists the members. [Prefer] then says which member should have a being, without any
// talk between them. A process claims the free beings that it should have, a few at once. It hands a being over by stopping its
// bot and then ending the lease: when the other process asks for it, or after Timing.Retry if none does. At shutdown it leaves the
// members and hands over all of its beings. After a crash the others wait until the leases have ended.
//
// # Sleep
//
// If Act returns the error of [SleepUntil], one transaction ends the lease and stores until when the being sleeps. Until then it costs a
// row and its name: no goroutine, no renewal, no query of its own. Each process lists all sleepers together with the members, and claims
// those that it should have and whose time has come. An event in the inbox of a [postgres.Relay] and a new connection of the account
// end the sleep in their own transaction, and a hint tells it at once. No event is missed: it is either seen by the transaction that
// stores the sleep, or sees it. A process that joins or leaves wakes nobody.
//
// # Hints
//
// Processes announce by NOTIFY that they join or leave, that they have ended a lease, and which being they want. Each process has a
// connection of its own for that, besides those of the pool. A process asks for two beings at a time (Timing.Moves / 4), and for
// the next one when a bot has called [Ready], so that each bot is away for about as long as it takes to start. The tables are the
// truth. Without hints, such as through a connection pooler, everything happens after Timing.Renew and Timing.Retry.
//
// # Failures
//
// The clock of the database decides when a lease ends. A process that cannot renew stops acting before the lease can end, by its
// own monotonic clock, counted from when it sent the last renewal that succeeded. That keeps two processes from acting at once.
// It cannot do so for a process that is paused. What keeps the data right in any case is [postgres.Fence]: each write checks the
// epoch of the lease in its own transaction, so that a process that wakes up commits nothing after another one has claimed.
//
// # Caveats
//
// Each lease is renewed by a statement of its own, so that 10 000 beings that are awake take 2 000 statements a second with the default
// Timing. If they all wake at the same time, they all start: give bots different times for what they do once a day.
//
// A bot that does not end when its context ends keeps its being. A process whose machine was suspended notices it late, because
// its monotonic clock stood still; the fence holds nevertheless.
package owner
