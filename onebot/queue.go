package onebot

// queue holds the events of one conversation that wait for the handler, in order. The dispatcher locks it.
type queue struct {
	conv    conversation
	items   []item // a ring buffer
	head, n int
	bytes   int
	running bool     // a worker is handling one of its events
	lost    *Dropped // to be delivered before the first item; only events at the front are dropped
	lostBot *Bot
	next    *queue // in the list that contains it
	rank    int    // in the heap longest
	place   int    // in the heap longest
}

// item is a queued event.
type item struct {
	bot       *Bot
	e         Event
	size      int  // accounted size
	oversized bool // a large event that is not counted
}

func (q *queue) push(it item) {
	if q.n == len(q.items) {
		grown := make([]item, max(8, 2*q.n))
		for i := range q.n {
			grown[i] = q.items[(q.head+i)%len(q.items)]
		}
		q.items, q.head = grown, 0
	}
	q.items[(q.head+q.n)%len(q.items)] = it
	q.n++
	q.bytes += it.size
}

func (q *queue) pop() item {
	it := q.items[q.head]
	q.items[q.head] = item{}
	q.head = (q.head + 1) % len(q.items)
	q.n--
	q.bytes -= it.size
	return it
}

// newest returns the event that was pushed last; q must not be empty.
func (q *queue) newest() *item { return &q.items[(q.head+q.n-1)%len(q.items)] }

// drop removes the oldest event and records the loss.
func (q *queue) drop() item {
	it := q.pop()
	t := it.e.EventTime()
	if q.lost == nil {
		q.lost = &Dropped{
			Common:       Common{Time: t, SelfID: q.conv.self},
			Conversation: q.conv.String(), GroupID: q.conv.group, UserID: q.conv.user,
			Since: t, Until: t,
		}
	}
	q.lostBot = it.bot
	q.lost.Count++
	q.lost.Until = t
	q.lost.Time = t
	return it
}

// empty reports whether there is nothing to deliver.
func (q *queue) empty() bool { return q.n == 0 && q.lost == nil }

// list is a first-in first-out list of queues.
type list struct{ first, last *queue }

func (l *list) push(q *queue) {
	q.next = nil
	if l.last == nil {
		l.first = q
	} else {
		l.last.next = q
	}
	l.last = q
}

func (l *list) pop() *queue {
	q := l.first
	if q == nil {
		return nil
	}
	if l.first = q.next; l.first == nil {
		l.last = nil
	}
	q.next = nil
	return q
}
