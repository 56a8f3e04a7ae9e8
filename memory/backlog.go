package memory

import "sync"

// maxBacklog is the maximum number of listed records. Beyond it, the store is scanned.
const maxBacklog = 4096

// A backlog lists records that need a vector. It is only a hint; the store is authoritative.
type backlog struct {
	token chan struct{} // contains one token while a call embeds
	wake  chan struct{} // contains one token if there is new work

	mu         sync.Mutex
	list       []recordKey
	scanNeeded bool // the list is incomplete
}

func newBacklog() *backlog {
	return &backlog{token: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
}

func (b *backlog) add(as ...recordKey) {
	if len(as) == 0 {
		return
	}
	b.mu.Lock()
	if len(b.list)+len(as) > maxBacklog {
		b.list, b.scanNeeded = nil, true
	} else {
		b.list = append(b.list, as...)
	}
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take removes and returns up to n records of one space, oldest first.
func (b *backlog) take(n int) (s Space, ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.list {
		if len(ids) == n || a.base != b.list[0].base {
			break
		}
		s, ids = a.base, append(ids, a.id)
	}
	b.list = b.list[len(ids):]
	return s, ids
}

// len returns the number of listed records.
func (b *backlog) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.list)
}

// takeScanRequest reports whether a scan of the store was requested, and clears the request.
func (b *backlog) takeScanRequest() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	more := b.scanNeeded
	b.scanNeeded = false
	return more
}

// requestScan requests a scan of the store.
func (b *backlog) requestScan() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scanNeeded = true
}
