// Package sqlite stores a bot's memory in one SQLite file. A [DB] is a [memory.Store] for records and a [memory.State] for rows.
// It needs no cgo.
//
//	db, err := sqlite.Open("xiaolu.db", sqlite.Options{})
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	mem, err := memory.New(db, memory.Options{})
//
// Use one file for each bot. Only one DB, in one process, may have a file open for writing. Open refuses a second one with an
// [InUseError]. It locks a file beside the memory file, with the suffix "-lock", by the operating system, so that the lock ends
// with the process. Do not delete that file. [Options.ReadOnly] reads a file beside its writer.
//
// A DB implements all optional interfaces of a store, too: [memory.VectorlessGetter],
// [memory.Tailer], [memory.DerivedFinder], [memory.AuthorCounter], [memory.Transactor] and [memory.Scrubber].
//
// # Durability
//
// When a call returns, state, deletions and all records except plain messages are on the disk (synchronous=FULL). They survive
// a power failure.
//
// Messages are handed to the operating system (synchronous=NORMAL). They survive a kill of the process at any point. A power
// failure may lose the last messages; the platform's history can restore them. [Options.SyncMessages] makes messages durable, too.
//
// Each call is atomic, even if the process dies during it.
//
// # Concurrency
//
// All methods may be called concurrently. One connection writes, and writers are serialized. Readers have separate connections
// and never wait for a writer (WAL mode). A scan reads in pages and holds no connection while its loop body runs.
//
// # Versions
//
// Open upgrades a file of an earlier version of this package in one transaction. It rejects a file of a later version with
// [ErrNewerVersion] and does not change it.
//
// # Caveats
//
// Only the file's owner may read it, but it is not encrypted.
//
// Deleted data is overwritten in the file. It leaves the write-ahead log at the next checkpoint, at the latest in [DB.Close].
// SQLite may keep fragments of rows that it has moved between pages. Only [DB.Scrub] removes all of them;
// [memory.Memory.ErasePerson] and [memory.Memory.EraseSpace] call it.
//
// Copy an open file with [DB.Backup] and not by hand, because recent writes are in its -wal file.
//
// Do not use a network file system. Its locks are not sufficient for WAL mode.
package sqlite
