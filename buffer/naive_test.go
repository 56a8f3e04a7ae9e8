package buffer_test

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
)

// naive is a simple model of the buffer: lists with linear search. Its times are durations since t0 without range
// limits.
type naive struct {
	quiet, summon, wait time.Duration // wait < 0: no limit
	full                int           // < 0: no limit
	now                 time.Duration
	seq                 int
	keys                map[int]*naiveKey
}

type naiveItem struct {
	at     time.Duration
	seq    int
	urgent bool
	v      int
}

type naiveKey struct {
	out, closed, open []naiveItem
	hold              time.Duration
	drops             []func(int) bool
}

type intBatch = buffer.Batch[int, int]

func newNaive(o buffer.Options) *naive {
	or := func(d, def time.Duration) time.Duration {
		if d == 0 {
			return def
		}
		return d
	}
	n := &naive{max(0, or(o.Debounce, 20*time.Second)), max(0, or(o.UrgentDelay, 2*time.Second)), or(o.MaxWait, time.Minute), o.MaxItems, 0, 0, map[int]*naiveKey{}}
	if n.full == 0 {
		n.full = 10
	}
	return n
}

func (n *naive) tick(now time.Time) time.Duration {
	n.now = max(n.now, now.Sub(t0))
	return n.now
}

func (k *naiveKey) window() []naiveItem {
	if len(k.closed) > 0 {
		return k.closed
	}
	return k.open
}

func (k *naiveKey) reopen() { k.open, k.closed = append(k.closed, k.open...), nil }

func (n *naive) due(k *naiveKey) (time.Duration, buffer.Reason, bool) {
	w := k.window()
	if len(k.out) > 0 || len(w) == 0 {
		return 0, 0, false
	}
	type cause struct {
		at  time.Duration
		why buffer.Reason
	}
	var causes []cause // in order of priority for ties
	for _, it := range w {
		if it.urgent {
			causes = append(causes, cause{it.at + n.summon, buffer.Urgent})
		}
	}
	if n.full > 0 && len(w) >= n.full {
		causes = append(causes, cause{w[n.full-1].at, buffer.Full})
	}
	causes = append(causes, cause{w[len(w)-1].at + n.quiet, buffer.Debounced})
	if n.wait >= 0 {
		causes = append(causes, cause{w[0].at + n.wait, buffer.MaxWaitReached})
	}
	first := slices.MinFunc(causes, func(a, b cause) int { return cmp.Compare(a.at, b.at) })
	return max(first.at, k.hold), first.why, true
}

func (n *naive) Add(now time.Time, key, v int, urgent bool) {
	at := n.tick(now)
	k := n.keys[key]
	if k == nil {
		k = &naiveKey{hold: math.MinInt64}
		n.keys[key] = k
	}
	if due, _, ok := n.due(k); ok && len(k.closed) == 0 && due <= at {
		k.closed, k.open = k.open, nil
	}
	n.seq++
	k.open = append(k.open, naiveItem{at, n.seq, urgent, v})
}

func (n *naive) Hold(now time.Time, key int, d time.Duration) {
	at := n.tick(now)
	if k := n.keys[key]; k != nil {
		k.hold = math.MinInt64
		if d > 0 {
			k.hold = at + d
			k.reopen()
		}
	}
}

func (n *naive) Drop(key int, drop func(int) bool) int {
	k := n.keys[key]
	if k == nil {
		return 0
	}
	if len(k.out) > 0 {
		k.drops = append(k.drops, drop)
	}
	before := len(k.closed) + len(k.open)
	is := func(it naiveItem) bool { return drop(it.v) }
	k.closed, k.open = slices.DeleteFunc(k.closed, is), slices.DeleteFunc(k.open, is)
	if due, _, ok := n.due(k); ok && len(k.closed) > 0 && due > n.now {
		k.reopen()
	}
	n.tidy(key)
	return before - len(k.closed) - len(k.open)
}

func (n *naive) tidy(key int) {
	if k := n.keys[key]; len(k.out)+len(k.closed)+len(k.open) == 0 {
		delete(n.keys, key)
	}
}

func (n *naive) Next() (next time.Time, some bool) {
	for _, k := range n.keys {
		if due, _, ok := n.due(k); ok && (!some || t0.Add(due).Before(next)) {
			next, some = t0.Add(due), true
		}
	}
	return next, some
}

// Due is one step of the loop over due batches; handed holds the keys that this loop has yielded.
func (n *naive) Due(now time.Time, handed map[int]bool) (intBatch, bool) {
	at := n.tick(now)
	best, bestDue, why := -1, time.Duration(0), buffer.Debounced
	for key, k := range n.keys {
		due, reason, ok := n.due(k)
		if !ok || due > at || handed[key] {
			continue
		}
		if best < 0 || due < bestDue || due == bestDue && k.window()[0].seq < n.keys[best].window()[0].seq {
			best, bestDue, why = key, due, reason
		}
	}
	if best < 0 {
		return intBatch{}, false
	}
	handed[best] = true
	k := n.keys[best]
	k.out = k.window()
	if len(k.closed) > 0 {
		k.closed = nil
	} else {
		k.open = nil
	}
	k.hold = math.MinInt64
	return naiveBatch(best, k.out, why), true
}

func naiveBatch(key int, items []naiveItem, why buffer.Reason) intBatch {
	b := intBatch{Key: key, Reason: why, FirstAt: t0.Add(items[0].at), LastAt: t0.Add(items[len(items)-1].at)}
	for _, it := range items {
		b.Items = append(b.Items, it.v)
	}
	return b
}

func (n *naive) Done(now time.Time, key int) {
	n.tick(now)
	if k := n.keys[key]; k != nil && len(k.out) > 0 {
		k.out, k.drops = nil, nil
		n.tidy(key)
	}
}

func (n *naive) Return(now time.Time, b intBatch) {
	at := n.tick(now)
	k := n.keys[b.Key]
	if k == nil {
		k = &naiveKey{hold: math.MinInt64}
		n.keys[b.Key] = k
	}
	k.reopen()
	back := k.out
	if len(back) != len(b.Items) {
		if len(k.open) > 0 {
			at = k.open[0].at
		}
		back = nil
		for i, v := range b.Items {
			it := naiveItem{at: min(b.FirstAt.Sub(t0), at), v: v, urgent: i == 0 && b.Reason == buffer.Urgent}
			if i == len(b.Items)-1 {
				it.at = max(it.at, min(b.LastAt.Sub(t0), at))
			}
			back = append(back, it)
		}
		for _, list := range [][]naiveItem{back, k.open} {
			for i := range list {
				n.seq++
				list[i].seq = n.seq
			}
		}
	}
	back = slices.DeleteFunc(slices.Clone(back), func(it naiveItem) bool {
		return slices.ContainsFunc(k.drops, func(drop func(int) bool) bool { return drop(it.v) })
	})
	k.out, k.drops, k.open = nil, nil, append(back, k.open...)
	n.tidy(b.Key)
}

func (n *naive) Close() (batches []intBatch) {
	for {
		best := -1
		for key, k := range n.keys {
			w := append(slices.Clone(k.closed), k.open...)
			if len(w) > 0 && (best < 0 || w[0].seq < n.keys[best].window()[0].seq) {
				best = key
			}
		}
		if best < 0 {
			return batches
		}
		k := n.keys[best]
		batches = append(batches, naiveBatch(best, append(slices.Clone(k.closed), k.open...), buffer.Drained))
		k.closed, k.open, k.hold = nil, nil, math.MinInt64
		n.tidy(best)
	}
}
