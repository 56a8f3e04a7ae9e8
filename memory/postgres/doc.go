// Package postgres stores the memory of many bots in one PostgreSQL database, so that they can run on many machines. A [DB] is
// the part of one bot, its being: a [memory.Store] for records and a [memory.State] for rows.
//
//	db, err := postgres.Open(ctx, postgres.Options{DSN: "postgres://hearth@db/hearth", Being: "xiaolu"})
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	mem, err := memory.New(db, memory.Options{})
//
// Use PostgreSQL if several machines run bots, or if one bot must be able to move from machine to machine. A bot on one machine
// needs only memory/sqlite.
//
// A DB implements all optional interfaces of a store, too: [memory.VectorlessGetter], [memory.Tailer], [memory.DerivedFinder],
// [memory.Transactor] and [memory.Scrubber]. An [Index] searches vectors with the extension pgvector.
//
// # Connections
//
// Keep the password in the password file of PostgreSQL (~/.pgpass or the file of PGPASSFILE) or in PGPASSWORD, and not in the DSN.
// [Options].Pool lets several DBs share their connections. A DB opens goroutines for its connections, and Close ends them.
//
// # Beings
//
// Each table has the being as its first key, and each statement names it. In addition, row-level security hides the rows of all
// other beings from each transaction, so that a wrong statement finds nothing. It protects against mistakes, not against a role
// that runs statements of its own. A superuser ignores it, so Open rejects a superuser with [ErrSuperuser].
//
// # Durability
//
// When a call returns, its data are durable, as far as the server's synchronous_commit says. Each call is one transaction. With
// [Options].AsyncMessages, plain messages do not wait for the disk; a crash of the server may lose the last of them.
//
// # Failures
//
// Each call is limited by [Options].Timeout, and so is each statement on the server. If the connection is lost, a read is repeated.
// A write is repeated if it surely was not committed. See [DB.Put] for a COMMIT whose answer is lost.
//
// # Several processes
//
// Any number of processes may open the same being. Their writes are serialized by a lock in the database, so that records become
// visible in the order of their Seq. A bot however must run in one process at a time. [DB.Claim] gives a lease to one of them, and
// with a [Fence] all writes of its former owner fail with [ErrFenced]. Package owner divides many bots among many processes in this way.
// A bot that has nothing to do may sleep as a row: see [DB.Sleep].
//
// # Accounts in other processes
//
// A platform that connects to the bots, such as by a reverse WebSocket through a load balancer, reaches any process. A [Relay] brings
// its events to the process that runs the bot, and the calls of the bot to the connection. Both are rows of tables, which NOTIFY
// announces. A message is removed from the table of events in the transaction that stores it as a record, so that it is stored exactly
// once. A call is marked as taken before it is made, and only if its caller has the lease, so that it is made at most once. Package
// onebot/remote uses a Relay for OneBot.
//
// # Versions
//
// Open upgrades tables of an earlier version in one transaction. When many processes start at once, one of them does it, and the
// others wait. Tables of a later version are rejected with [ErrNewerVersion].
//
// # Caveats
//
// The database must have the encoding UTF8. It is tested with PostgreSQL 15 and 17.
//
// Deleted data stay in the write-ahead log, replicas and backups of the server. See [DB.Scrub] for the tables, and [DB.Forget] for a whole
// being.
package postgres
