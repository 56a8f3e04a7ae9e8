package self

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// QueueOptions limit the reports to the owner. The zero value is ready for use. Negative numbers are errors.
type QueueOptions struct {
	PerMinute     int           // maximum deliveries in any minute; 0 means 1
	PerHour       int           // maximum deliveries in any hour; 0 means 10
	PerDay        int           // maximum deliveries in any 24 hours; 0 means 60
	DedupeWindow  time.Duration // period in which the same text from the same chat is deduplicated; 0 means 30 min
	MaxPending    int           // maximum number of waiting reports; 0 means 50
	MaxPerSession int           // maximum number of waiting reports from one chat; 0 means 10
}

func (o QueueOptions) withDefaults() (QueueOptions, error) {
	if o.PerMinute < 0 || o.PerHour < 0 || o.PerDay < 0 || o.DedupeWindow < 0 || o.MaxPending < 0 || o.MaxPerSession < 0 {
		return o, errors.New("self: QueueOptions has a negative limit")
	}
	o.PerMinute, o.PerHour, o.PerDay = cmp.Or(o.PerMinute, 1), cmp.Or(o.PerHour, 10), cmp.Or(o.PerDay, 60)
	o.DedupeWindow, o.MaxPending, o.MaxPerSession = cmp.Or(o.DedupeWindow, 30*time.Minute), cmp.Or(o.MaxPending, 50), cmp.Or(o.MaxPerSession, 10)
	return o, nil
}

// An Outcome is the result of submitting a report.
type Outcome string

const (
	Queued       Outcome = "queued" // it will be delivered
	Deduplicated Outcome = "folded" // a duplicate of a waiting or recent report
	QueueFull    Outcome = "full"   // rejected: the queue is full of reports that are at least as urgent
)

// A Queue decides when reports are delivered to the owner. It has no clock and no goroutine. Add a report with Add,
// wait until the time of Next, take the report with Due, deliver it, and call Answer with the result. A report stays in
// the queue until its delivery succeeds. If the clock goes back, the latest time seen counts. A Queue is not safe for
// concurrent use.
type Queue struct {
	o QueueOptions
	s queueState
}

type queueState struct {
	Now        time.Time      `json:"now"`               // latest time seen
	Count      uint64         `json:"count"`             // number of reports so far
	Pending    []Report       `json:"pending,omitempty"` // in order of arrival
	Deliveries []time.Time    `json:"told,omitempty"`    // deliveries of the last 24 hours, oldest first
	Recent     []recentReport `json:"folds,omitempty"`   // oldest first
	Failures   int            `json:"fails,omitzero"`    // consecutive failed deliveries
	RetryAt    time.Time      `json:"rest,omitzero"`     // no delivery before this time
}

// A recentReport identifies a recent report by a hash.
type recentReport struct {
	Key string    `json:"key"`
	At  time.Time `json:"at"`
	ID  string    `json:"id"`
}

const maxRecent = 512

// NewQueue returns an empty queue.
func NewQueue(o QueueOptions) (*Queue, error) {
	o, err := o.withDefaults()
	return &Queue{o: o}, err
}

func (q *Queue) advance(now time.Time) time.Time {
	if now = now.Round(0); now.After(q.s.Now) {
		q.s.Now = now
	}
	return q.s.Now
}

// Add adds a report. It sets ID, At and Times.
func (q *Queue) Add(now time.Time, r Report) Outcome {
	now = q.advance(now)
	q.s.Recent = slices.DeleteFunc(q.s.Recent, func(f recentReport) bool { return now.Sub(f.At) >= q.o.DedupeWindow })
	key := dedupeKey(&r)
	if i := slices.IndexFunc(q.s.Recent, func(f recentReport) bool { return f.Key == key }); i >= 0 {
		for j := range q.s.Pending {
			if p := &q.s.Pending[j]; p.ID == q.s.Recent[i].ID {
				p.Count++
				if r.Urgency.rank() > p.Urgency.rank() {
					p.Urgency = r.Urgency
				}
			}
		}
		return Deduplicated
	}
	if !q.makeRoom(&r) {
		return QueueFull
	}
	q.s.Count++
	r.ID, r.At, r.Count = fmt.Sprintf("report-%d-%d", now.Unix(), q.s.Count), now, 1
	q.s.Pending = append(q.s.Pending, r)
	q.s.Recent = append(q.s.Recent, recentReport{key, now, r.ID})
	q.s.Recent = slices.Delete(q.s.Recent, 0, max(0, len(q.s.Recent)-maxRecent))
	return Queued
}

// makeRoom makes room for r if necessary. It drops the least urgent report that is less urgent than r, oldest first. If the
// chat of r has too many reports, it drops one of this chat.
func (q *Queue) makeRoom(r *Report) bool {
	same := 0
	for i := range q.s.Pending {
		if q.s.Pending[i].sameSource(r) {
			same++
		}
	}
	crowded := same >= q.o.MaxPerSession
	if !crowded && len(q.s.Pending) < q.o.MaxPending {
		return true
	}
	worst := -1
	for i := range q.s.Pending {
		p := &q.s.Pending[i]
		if crowded && !p.sameSource(r) || p.Urgency.rank() >= r.Urgency.rank() {
			continue
		}
		if worst < 0 || p.Urgency.rank() < q.s.Pending[worst].Urgency.rank() {
			worst = i
		}
	}
	if worst >= 0 {
		q.s.Pending = slices.Delete(q.s.Pending, worst, worst+1)
	}
	return worst >= 0
}

func (r *Report) sameSource(o *Report) bool {
	return r.Platform == o.Platform && r.Session == o.Session
}

// Next returns the time of the next delivery. ok is false if no report waits.
func (q *Queue) Next() (at time.Time, ok bool) {
	if len(q.s.Pending) == 0 {
		return time.Time{}, false
	}
	at = q.s.RetryAt
	for _, l := range []struct {
		n   int
		per time.Duration
	}{{q.o.PerMinute, time.Minute}, {q.o.PerHour, time.Hour}, {q.o.PerDay, 24 * time.Hour}} {
		if i := len(q.s.Deliveries) - l.n; i >= 0 {
			if t := q.s.Deliveries[i].Add(l.per); t.After(at) {
				at = t
			}
		}
	}
	return at, true
}

// Due returns the report to deliver at now: the most urgent one, oldest first. It stays in the queue until Answer.
func (q *Queue) Due(now time.Time) (Report, bool) {
	now = q.advance(now)
	if at, ok := q.Next(); !ok || at.After(now) {
		return Report{}, false
	}
	return q.first()
}

// first returns the most urgent report, oldest first.
func (q *Queue) first() (Report, bool) {
	if len(q.s.Pending) == 0 {
		return Report{}, false
	}
	best := 0
	for i := range q.s.Pending {
		if q.s.Pending[i].Urgency.rank() > q.s.Pending[best].Urgency.rank() {
			best = i
		}
	}
	return q.s.Pending[best], true
}

// Answer records the result of the delivery of report id. After a failure the queue waits for a minute. The delay
// doubles up to an hour.
func (q *Queue) Answer(now time.Time, id string, arrived bool) {
	now = q.advance(now)
	if !arrived {
		q.s.RetryAt = now.Add(min(time.Hour, time.Minute<<min(q.s.Failures, 6)))
		q.s.Failures++
		return
	}
	q.s.Failures, q.s.RetryAt = 0, time.Time{}
	q.s.Pending = slices.DeleteFunc(q.s.Pending, func(r Report) bool { return r.ID == id })
	q.s.Deliveries = slices.DeleteFunc(append(q.s.Deliveries, now), func(t time.Time) bool { return now.Sub(t) >= 24*time.Hour })
	q.s.Deliveries = slices.Delete(q.s.Deliveries, 0, max(0, len(q.s.Deliveries)-max(q.o.PerMinute, q.o.PerHour, q.o.PerDay)))
}

// Retry ends the delay after failures. Call it when the owner is reachable again.
func (q *Queue) Retry() { q.s.Failures, q.s.RetryAt = 0, time.Time{} }

// Remove removes the waiting reports for which gone returns true, and their hashes.
func (q *Queue) Remove(gone func(Report) bool) {
	for _, r := range q.s.Pending {
		if gone(r) {
			q.s.Recent = slices.DeleteFunc(q.s.Recent, func(f recentReport) bool { return f.ID == r.ID })
		}
	}
	q.s.Pending = slices.DeleteFunc(q.s.Pending, gone)
}

// Pending returns the waiting reports, oldest first.
func (q *Queue) Pending() []Report { return slices.Clone(q.s.Pending) }

// Snapshot returns the state of the queue as JSON.
func (q *Queue) Snapshot() ([]byte, error) { return json.Marshal(q.s) }

// Restore replaces the state with a snapshot. Times in the future become now.
func (q *Queue) Restore(now time.Time, snapshot []byte) error {
	var s queueState
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("self: parse the report queue: %w", err)
	}
	now = now.Round(0)
	past := func(t *time.Time) {
		if t.After(now) {
			*t = now
		}
	}
	past(&s.Now)
	for i := range s.Deliveries {
		past(&s.Deliveries[i])
	}
	for i := range s.Recent {
		past(&s.Recent[i].At)
	}
	if most := now.Add(time.Hour); s.RetryAt.After(most) {
		s.RetryAt = most
	}
	s.Failures = max(s.Failures, 0)
	q.s = s
	return nil
}

func (q *Queue) clone() *Queue {
	c := *q
	c.s.Pending, c.s.Deliveries, c.s.Recent = slices.Clone(q.s.Pending), slices.Clone(q.s.Deliveries), slices.Clone(q.s.Recent)
	return &c
}

// dedupeKey returns a hash of the chat and the words. It ignores case, character width, spaces and punctuation.
func dedupeKey(r *Report) string {
	words := strings.Map(func(c rune) rune {
		if 0xFF01 <= c && c <= 0xFF5E {
			c -= 0xFEE0
		}
		if !unicode.IsLetter(c) && !unicode.IsNumber(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, r.Content)
	words = cmp.Or(words, r.Content)
	sum := sha256.Sum256([]byte(r.Platform + "\x00" + r.Session + "\x00" + words))
	return hex.EncodeToString(sum[:12])
}
