package onebot

// queue holds the events of one conversation that wait for the handler, in order. Its dispatcher locks it.
type queue struct {
	conv    conversation
	items   []item // a ring
	head, n int
	bytes   int
	running bool     // a worker has an event of it
	lost    *Dropped // to be told before the first item; only what is in front is ever dropped
	lostBot *Bot
	next    *queue // in the list that it is on
}

// item is an event on its way to the handler.
type item struct {
	bot   *Bot
	e     Event
	size  int  // what it counts
	guest bool // a large one that is not counted
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

// newest is the event that was pushed last; q must not be empty.
func (q *queue) newest() *item { return &q.items[(q.head+q.n-1)%len(q.items)] }

// drop takes the oldest event out and notes the loss.
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

// empty tells that there is nothing to hand out.
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
