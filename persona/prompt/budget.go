package prompt

import (
	"cmp"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

const defaultBudget = 28000

// A segment is a piece of a context that may be dropped.
type segment struct {
	priority   priority
	id         string // of the message or memory that it shows; "" for other text
	start, end int
	cost       int // in quarters of a token, so that sums are exact
	dropped    bool
}

// A priority is the kind of a segment. Segments of a lower priority are dropped first.
type priority uint8

const (
	background priority = iota
	ownerMemory
	chatMemory
	people
	events
	pastTasks
	notes
	plannedTasks
	mind
	history
	summary
	inner
	documents
	priorities // number of priorities; also the priority of segments that are never dropped
)

// begin starts a segment. All text up to [contextWriter.end] belongs to it. Segments do not nest.
func (w *contextWriter) begin(r priority) {
	w.segments = append(w.segments, segment{priority: r, start: w.buf.Len(), cost: -w.cost()})
}

func (w *contextWriter) end() {
	p := &w.segments[len(w.segments)-1]
	p.end = w.buf.Len()
	p.cost += w.cost()
}

// trimToBudget returns the text after dropping as many segments as the budget requires.
func (w *contextWriter) trimToBudget(budget int, said []persona.Message, spare int) string {
	if !w.dropToBudget(budget, said, spare) {
		return w.buf.String()
	}
	text, from := w.buf.String(), 0
	var kept strings.Builder
	kept.Grow(len(text))
	for _, p := range w.segments {
		if p.dropped {
			kept.WriteString(text[from:p.start])
			from = p.end
		}
	}
	kept.WriteString(text[from:])
	return kept.String()
}

// dropToBudget marks the segments that the budget requires to drop, and reports whether there are any. budget is in tokens, and
// a negative one means no limit. The first spare messages of the history are the CachePrefix.
func (w *contextWriter) dropToBudget(budget int, said []persona.Message, spare int) bool {
	budget = cmp.Or(budget, defaultBudget)
	over := w.cost() - 4*budget
	if budget < 0 || over <= 0 {
		return false
	}
	if spare = min(spare, len(said)); spare > 0 {
		n := w.countOldest(over, len(said))
		if n > spare {
			n = max(spare, w.countOldest(over-w.costBeforeHistory(), len(said)))
		}
		over -= w.dropOldest(n, said)
	}
	for r := range priorities {
		if r == history {
			over -= w.dropOldest(w.countOldest(over, len(said)), said)
			continue
		}
		for i := range w.segments {
			if r != pastTasks { // of past tasks the oldest first, of all others the last first
				i = len(w.segments) - 1 - i
			}
			if p := &w.segments[i]; p.priority == r && over > 0 {
				over -= p.drop()
			}
		}
	}
	return true
}

// segmentID sets the id of the current segment.
func (w *contextWriter) segmentID(id string) { w.segments[len(w.segments)-1].id = id }

// costBeforeHistory returns the cost of all segments that are dropped before the history.
func (w *contextWriter) costBeforeHistory() (cost int) {
	for i := range w.segments {
		if p := &w.segments[i]; p.priority < history {
			cost += p.cost
		}
	}
	return cost
}

// countOldest returns the number of oldest history messages with a total cost of at least over.
func (w *contextWriter) countOldest(over, said int) (n int) {
	for ; over > 0 && n < said; n++ {
		over -= w.segments[w.firstMessage+n].cost
	}
	return n
}

// dropOldest drops the n oldest history messages, and up to a third of the rest to reach a stable start. It returns the
// saved cost.
func (w *contextWriter) dropOldest(n int, said []persona.Message) (saved int) {
	if 0 < n && n < len(said) {
		n = stableStart(n, n+(len(said)-n)/3, func(i int) time.Time { return said[i].At })
	}
	for i := range n {
		saved += w.segments[w.firstMessage+i].drop()
	}
	return saved
}

// drop drops a segment and returns the saved cost.
func (p *segment) drop() int {
	if p.dropped {
		return 0
	}
	p.dropped = true
	return p.cost
}
