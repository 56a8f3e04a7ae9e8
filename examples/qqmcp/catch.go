package main

import (
	"cmp"
	"slices"
)

// begin is catch for the first message of a chat whose history nobody has asked for yet. Else it is false.
func (r *room) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live || r.seen.Gap() > 0 || r.catching {
		return false
	}
	r.catching = true
	return true
}

// catch makes what arrives wait for the history. It is false when other things wait for that already; what is being read then is read anew.
func (r *room) catch() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.catching, r.stale = true, r.catching
	return !r.stale
}

// read tells that the history is about to be asked for.
func (r *room) read() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stale = false
}

// caught ends a reading of the history. What that holds, oldest first, is put where it belongs: before what arrived meanwhile, but for
// what had arrived before the oldest that it holds of that. It tells how many messages were missing, and how many of them others had
// said. In a room whose first history it is it is no news: nothing of it counts as new. It is false, and changes nothing, when the
// history has to be read anew. With an error past is what came before that, and the room is still behind.
func (r *room) caught(past []message, err error) (missing, news int, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stale {
		return 0, 0, false
	}
	if err != nil && len(past) == 0 {
		r.seen.OpenGap()
		r.release()
		return 0, 0, true
	}
	first := !r.live
	r.live, r.catching, r.unheard = true, false, nil
	if err == nil {
		r.seen.CloseGap(r.seen.Gap())
	} else {
		r.seen.OpenGap()
	}
	early := max(0, slices.IndexFunc(r.held, func(h message) bool {
		return slices.ContainsFunc(past, func(m message) bool { return m.key() == h.key() })
	}))
	order := slices.Concat(r.held[:early], past)
	slices.SortStableFunc(order, byTime)
	lacked, fresh := map[uint32]bool{}, map[uint32]bool{} // to be put in, and to be counted
	for _, m := range r.held[:early] {
		r.seen.Add(m.key())
		lacked[m.key()], fresh[m.key()] = !m.self || !r.o.dropOwn, true
	}
	r.held = slices.Delete(r.held, 0, early)
	for _, m := range past {
		if r.seen.Has(m.key()) {
			continue
		}
		r.seen.Add(m.key())
		lacked[m.key()] = !m.self || !r.o.dropOwn
		if i := slices.IndexFunc(r.held, func(h message) bool { return h.key() == m.key() }); i >= 0 {
			fresh[m.key()] = !r.held[i].self
			r.held = slices.Delete(r.held, i, i+1)
			continue
		}
		missing++
		if !m.self && first {
			r.unheard = append(r.unheard, m.key())
		} else if !m.self {
			news++
			fresh[m.key()] = true
		}
	}
	for _, m := range order {
		if fresh[m.key()] {
			r.counted(m)
		}
	}
	r.insert(order, lacked, first)
	r.release()
	return missing, news, true
}

// insert puts what is lacked of what was said, oldest first, into the window: before what came after it in that order, which tells
// more than the times do, for those are whole seconds; else by its time. What was said before the first look counts as old, and only
// as much of it is taken as there is room for.
func (r *room) insert(order []message, lacked map[uint32]bool, old bool) {
	s := r.window.Snapshot()
	items, end := s.Items, len(s.Items)
	place := map[uint32]int{}
	for i := range items {
		place[items[i].key()] = i
	}
	left := len(order)
	if old {
		left = max(r.o.buffer-r.size, 0)
	}
	n, others, at, lowest := 0, 0, end, end
	for _, m := range slices.Backward(order) {
		if i, ok := place[m.key()]; ok {
			at = min(at, i)
		} else if lacked[m.key()] && n < left {
			for at > 0 && items[at-1].at > m.at {
				at--
			}
			items, lowest = slices.Insert(items, at, m), at
			if n++; !m.self {
				others++
			}
		}
	}
	switch {
	case n == 0:
		return
	case !old && lowest == end: // behind all that is there
		for _, m := range items[end:] {
			r.add(m)
		}
		return
	case !old:
		s.NewItems += n
		r.fresh += others
	}
	s.Items = items
	r.window.Restore(s)
	r.size, r.dirty = len(items), true
}

func byTime(a, b message) int { return cmp.Compare(a.at, b.at) }

// uncaught goes on without the history.
func (r *room) uncaught() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.OpenGap()
	r.release()
}

// release lets what waited into the window.
func (r *room) release() {
	r.catching = false
	for _, m := range r.held {
		r.counted(m)
		r.add(m)
	}
	r.held = nil
}
