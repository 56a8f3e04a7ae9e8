package main

import (
	"cmp"
	"slices"
)

// beginFirstBackfill starts the back-fill at the first message of a chat without history. It returns false for other chats.
func (r *chatState) beginFirstBackfill() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.initialized || r.seen.Gap() > 0 || r.backfilling {
		return false
	}
	r.backfilling = true
	return true
}

// beginBackfill makes new messages wait for the history. It returns false if a back-fill is running already; the history is
// then read again.
func (r *chatState) beginBackfill() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.backfilling, r.readAgain = true, r.backfilling
	return !r.readAgain
}

// readingBegins notes that the history is about to be requested.
func (r *chatState) readingBegins() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readAgain = false
}

// finishBackfill merges the history, oldest first, into the window. Messages of the history go before the pending ones,
// except those that arrived before the oldest pending message of the history. It returns the number of missing messages, and
// how many of them are from others. The first history of a chat does not count as new. done is false, and nothing changes,
// if the history has to be read again. If err is not nil, past is the part before the error, and the chat still needs its
// history.
func (r *chatState) finishBackfill(past []message, err error) (missing, news int, done bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readAgain {
		return 0, 0, false
	}
	if err != nil && len(past) == 0 {
		r.seen.OpenGap()
		r.releasePending()
		return 0, 0, true
	}
	first := !r.initialized
	r.initialized, r.backfilling, r.uncounted = true, false, nil
	if err == nil {
		r.seen.CloseGap(r.seen.Gap())
	} else {
		r.seen.OpenGap()
	}
	early := max(0, slices.IndexFunc(r.pending, func(h message) bool {
		return slices.ContainsFunc(past, func(m message) bool { return m.key() == h.key() })
	}))
	order := slices.Concat(r.pending[:early], past)
	slices.SortStableFunc(order, byTime)
	lacked, fresh := map[uint32]bool{}, map[uint32]bool{} // messages to insert, and messages to count
	for _, m := range r.pending[:early] {
		r.seen.Add(m.key())
		lacked[m.key()], fresh[m.key()] = !m.self || !r.o.dropOwn, true
	}
	r.pending = slices.Delete(r.pending, 0, early)
	for _, m := range past {
		if r.seen.Has(m.key()) {
			continue
		}
		r.seen.Add(m.key())
		lacked[m.key()] = !m.self || !r.o.dropOwn
		if i := slices.IndexFunc(r.pending, func(h message) bool { return h.key() == m.key() }); i >= 0 {
			fresh[m.key()] = !r.pending[i].self
			r.pending = slices.Delete(r.pending, i, i+1)
			continue
		}
		missing++
		if !m.self && first {
			r.uncounted = append(r.uncounted, m.key())
		} else if !m.self {
			news++
			fresh[m.key()] = true
		}
	}
	for _, m := range order {
		if fresh[m.key()] {
			r.countMessage(m)
		}
	}
	r.insertMissing(order, lacked, first)
	r.releasePending()
	return missing, news, true
}

// insertMissing inserts the missing messages, oldest first, into the window. A message goes before its successor in order,
// because times have a resolution of a second; without a successor its time decides. Messages from before the first history
// count as old, and only as many are inserted as fit.
func (r *chatState) insertMissing(order []message, lacked map[uint32]bool, old bool) {
	s := r.window.Snapshot()
	items, end := s.Items, len(s.Items)
	place := map[uint32]int{}
	for i := range items {
		place[items[i].key()] = i
	}
	left := len(order)
	if old {
		left = max(r.o.buffer-r.window.Len(), 0)
	}
	n, at, lowest := 0, end, end
	for _, m := range slices.Backward(order) {
		if i, ok := place[m.key()]; ok {
			at = min(at, i)
		} else if lacked[m.key()] && n < left {
			for at > 0 && items[at-1].at > m.at {
				at--
			}
			items, lowest = slices.Insert(items, at, m), at
			n++
		}
	}
	switch {
	case n == 0:
		return
	case !old && lowest == end && len(items) < r.o.overfull(): // after all messages of the window, so an open summary stays valid
		for _, m := range items[end:] {
			r.addToWindow(m)
		}
		return
	}
	s.Items = items
	r.window.Restore(s)
	r.dirty = true
}

func byTime(a, b message) int { return cmp.Compare(a.at, b.at) }

// abortBackfill continues without the history.
func (r *chatState) abortBackfill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.OpenGap()
	r.releasePending()
}

// releasePending moves the pending messages into the window.
func (r *chatState) releasePending() {
	r.backfilling = false
	for _, m := range r.pending {
		r.countMessage(m)
		r.addToWindow(m)
	}
	r.pending = nil
}
