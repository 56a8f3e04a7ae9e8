package onebot

// Stats are counters since the Client or Server was made. At any time
// Received = Handled + Dropped + Queued and Dropped = Overflowed + Unfinished.
type Stats struct {
	Received    uint64 // events that came in; the Dropped events that this package makes do not count
	Handled     uint64 // events whose handler has returned
	Dropped     uint64 // events that no handler saw
	Overflowed  uint64 // dropped because the queue was full
	Unfinished  uint64 // dropped because Run ended before their turn
	Queued      int    // events that wait or are being handled
	QueuedBytes int    // what they count for Options.QueueBytes: their frames, with some overhead each
	Malformed   uint64 // frames that are neither events nor answers
	Unmatched   uint64 // answers that nobody waited for any more
	Links       uint64 // links made
	Duplicates  uint64 // events that were posted to a Webhook again; they do not count as Received
}
