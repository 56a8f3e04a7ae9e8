// Package sqlite keeps a being's memory in one SQLite file: records (a [memory.Store]), with or without their vectors (a
// [memory.Skimmer]), history by its end (a [memory.Tailer]), what was made of what (a [memory.Deriver]) and rows of state (a [memory.State]), in one step with records where that is wanted
// (a [memory.Transactor]). It needs no cgo.
//
//	db, err := sqlite.Open("xiaolu.db", sqlite.Options{})
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	mem, err := memory.New(db, memory.Options{})
//
// One file is one being: open as many as there are instances, each with a file of its own.
//
// # Durability
//
// State, deletions, and all records but plain messages are on the disk when a call returns (synchronous=FULL): they outlive a power cut.
// The message log is handed to the system (synchronous=NORMAL): it outlives the process being killed at any point,
// and a power cut may take the last messages, which the platform's history can bring back. [Options.SyncMessages] makes them durable, too.
// A call is all or nothing, also when the process dies in it.
//
// # Concurrency
//
// All methods may be called concurrently. There is one connection that writes, and writers take turns; readers have
// connections of their own and never wait for a writer (WAL). A scan reads in pages and holds no connection while its loop runs.
//
// # Versions
//
// A file of an earlier version of this package is brought up to date when it is opened, in one transaction; one of a later version is refused
// ([ErrNewerVersion]) and not touched. [DB.Backup] copies a file that is in use.
//
// # Caveats
//
// The file is readable by its owner only, but not encrypted. What is deleted is overwritten in the file, and is gone from the write-ahead
// log beside it after the next checkpoint, at the latest by [DB.Close]; but SQLite may have left pieces of it where it once moved rows about. Only [DB.Scrub] makes
// sure that nothing is left; [memory.Memory.ForgetPerson] and [memory.Memory.ForgetSpace] call it. A file that is open is copied by [DB.Backup],
// not by hand: its -wal file belongs to it.
// Network file systems do not lock well enough for WAL.
package sqlite
