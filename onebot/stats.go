package onebot

// Stats are counters since a Client, Server or Webhook was created. At any time Received = Handled + Dropped + Queued
// and Dropped = Overflowed + Unfinished.
type Stats struct {
	Received    uint64 // received events, without the *Dropped events of this package
	Handled     uint64 // events whose handler has returned
	Dropped     uint64 // events that no handler received
	Overflowed  uint64 // dropped because the queue was full
	Unfinished  uint64 // dropped because Run ended first
	Queued      int    // events that wait or are being handled
	QueuedBytes int    // their memory as counted for Options.QueueBytes
	QueueLimit  int    // Options.QueueBytes with its default; negative: no limit
	Malformed   uint64 // frames that are neither events nor responses, or have too many items
	Unmatched   uint64 // responses without a waiting call
	Links       uint64 // links established
	Duplicates  uint64 // events posted to a Webhook again; not counted as Received
}
