package memory

import "sync"

// maxBacklog is how many records are listed; where more wait, the store is looked through.
const maxBacklog = 4096

// A backlog lists records that wait for a vector. It is a hint: the store tells which records have one.
type backlog struct {
	turn chan struct{} // holds one token while somebody makes vectors
	wake chan struct{} // holds one token when something came

	mu   sync.Mutex
	list []address
	more bool // the list is not all
}

func newBacklog() *backlog {
	return &backlog{turn: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
}

func (b *backlog) add(as ...address) {
	if len(as) == 0 {
		return
	}
	b.mu.Lock()
	if len(b.list)+len(as) > maxBacklog {
		b.list, b.more = nil, true
	} else {
		b.list = append(b.list, as...)
	}
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take hands out up to n of one space, oldest first.
func (b *backlog) take(n int) (s Space, ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.list {
		if len(ids) == n || a.plain != b.list[0].plain {
			break
		}
		s, ids = a.plain, append(ids, a.id)
	}
	b.list = b.list[len(ids):]
	return s, ids
}

// whole reports whether the store is to be looked through, and takes that as done.
func (b *backlog) whole() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	more := b.more
	b.more = false
	return more
}

// look says that the store is to be looked through.
func (b *backlog) look() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.more = true
}
