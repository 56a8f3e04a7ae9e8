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
// bot and then ending the lease. At shutdown it leaves the members and hands over all of its beings; the others see that when
// they list the members again, after Timing.Renew at most. After a crash they also wait until the leases have ended.
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
// A bot that does not end when its context ends keeps its being. A process whose machine was suspended notices it late, because
// its monotonic clock stood still; the fence holds nevertheless.
package owner
