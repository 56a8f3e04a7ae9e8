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

// QueueOptions bound what reaches the owner. The zero value is ready; a negative number is refused.
type QueueOptions struct {
	PerMinute     int           // reports delivered in any minute; 0 means 1
	PerHour       int           // in any hour; 0 means 10
	PerDay        int           // in any 24 hours; 0 means 60
	DedupeWindow  time.Duration // the same words of the same chat are one report for this long; 0 means 30 min
	MaxPending    int           // reports that wait; 0 means 50
	MaxPerSession int           // of them, of one chat; 0 means 10
}

func (o QueueOptions) withDefaults() (QueueOptions, error) {
	if o.PerMinute < 0 || o.PerHour < 0 || o.PerDay < 0 || o.DedupeWindow < 0 || o.MaxPending < 0 || o.MaxPerSession < 0 {
		return o, errors.New("self: a bound of reports is negative")
	}
	o.PerMinute, o.PerHour, o.PerDay = cmp.Or(o.PerMinute, 1), cmp.Or(o.PerHour, 10), cmp.Or(o.PerDay, 60)
	o.DedupeWindow, o.MaxPending, o.MaxPerSession = cmp.Or(o.DedupeWindow, 30*time.Minute), cmp.Or(o.MaxPending, 50), cmp.Or(o.MaxPerSession, 10)
	return o, nil
}

// An Outcome says what became of a report that was handed in.
type Outcome string

const (
	Queued       Outcome = "queued" // it will be delivered
	Deduplicated Outcome = "folded" // the owner is told of it already, or was lately
	QueueFull    Outcome = "full"   // too much waits that is as urgent
)

// A Queue decides when reports reach the owner. It takes the time and does nothing itself: hand in by Add, ask Next when one is
// due, take it by Due, and say by Answer what became of it. A report stays until its delivery is answered with true.
// A step back of the clock counts as the latest time seen. It is not safe for concurrent use.
type Queue struct {
	o QueueOptions
	s queueState
}

type queueState struct {
	Now     time.Time    `json:"now"`               // the latest seen
	Count   uint64       `json:"count"`             // reports queued so far
	Pending []Report     `json:"pending,omitempty"` // in order of arrival
	Told    []time.Time  `json:"told,omitempty"`    // deliveries of the last day, oldest first
	Folds   []foldedText `json:"folds,omitempty"`   // oldest first
	Fails   int          `json:"fails,omitzero"`    // deliveries in a row that failed
	Rest    time.Time    `json:"rest,omitzero"`     // no delivery before
}

// A foldedText is what was handed in lately, by a hash.
type foldedText struct {
	Key string    `json:"key"`
	At  time.Time `json:"at"`
	ID  string    `json:"id"`
}

const maxFolds = 512

// NewQueue makes an empty queue.
func NewQueue(o QueueOptions) (*Queue, error) {
	o, err := o.withDefaults()
	return &Queue{o: o}, err
}

func (q *Queue) clock(now time.Time) time.Time {
	if now = now.Round(0); now.After(q.s.Now) {
		q.s.Now = now
	}
	return q.s.Now
}

// Add hands in a report. ID, At and Times are the queue's to give.
func (q *Queue) Add(now time.Time, r Report) Outcome {
	now = q.clock(now)
	q.s.Folds = slices.DeleteFunc(q.s.Folds, func(f foldedText) bool { return now.Sub(f.At) >= q.o.DedupeWindow })
	key := foldKey(&r)
	if i := slices.IndexFunc(q.s.Folds, func(f foldedText) bool { return f.Key == key }); i >= 0 {
		for j := range q.s.Pending {
			if p := &q.s.Pending[j]; p.ID == q.s.Folds[i].ID {
				p.Count++
				if r.Urgency.rank() > p.Urgency.rank() {
					p.Urgency = r.Urgency
				}
			}
		}
		return Deduplicated
	}
	if !q.room(&r) {
		return QueueFull
	}
	q.s.Count++
	r.ID, r.At, r.Count = fmt.Sprintf("report-%d-%d", now.Unix(), q.s.Count), now, 1
	q.s.Pending = append(q.s.Pending, r)
	q.s.Folds = append(q.s.Folds, foldedText{key, now, r.ID})
	q.s.Folds = slices.Delete(q.s.Folds, 0, max(0, len(q.s.Folds)-maxFolds))
	return Queued
}

// room makes room for r: where there is none, the least urgent one goes, if it is less urgent than r, the oldest first; of the same chat
// where that has too many.
func (q *Queue) room(r *Report) bool {
	same := 0
	for i := range q.s.Pending {
		if q.s.Pending[i].from(r) {
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
		if crowded && !p.from(r) || p.Urgency.rank() >= r.Urgency.rank() {
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

func (r *Report) from(o *Report) bool { return r.Platform == o.Platform && r.Session == o.Session }

// Next is when a report is due; not ok when none waits.
func (q *Queue) Next() (at time.Time, ok bool) {
	if len(q.s.Pending) == 0 {
		return time.Time{}, false
	}
	at = q.s.Rest
	for _, l := range []struct {
		n   int
		per time.Duration
	}{{q.o.PerMinute, time.Minute}, {q.o.PerHour, time.Hour}, {q.o.PerDay, 24 * time.Hour}} {
		if i := len(q.s.Told) - l.n; i >= 0 {
			if t := q.s.Told[i].Add(l.per); t.After(at) {
				at = t
			}
		}
	}
	return at, true
}

// Due gives the report to deliver now, the most urgent first and then the oldest. It stays until Answer says that it arrived.
func (q *Queue) Due(now time.Time) (Report, bool) {
	now = q.clock(now)
	if at, ok := q.Next(); !ok || at.After(now) {
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

// Answer says whether the report of that id arrived. After a failure the queue rests for a minute, doubled up to an hour.
func (q *Queue) Answer(now time.Time, id string, arrived bool) {
	now = q.clock(now)
	if !arrived {
		q.s.Rest = now.Add(min(time.Hour, time.Minute<<min(q.s.Fails, 6)))
		q.s.Fails++
		return
	}
	q.s.Fails, q.s.Rest = 0, time.Time{}
	q.s.Pending = slices.DeleteFunc(q.s.Pending, func(r Report) bool { return r.ID == id })
	q.s.Told = slices.DeleteFunc(append(q.s.Told, now), func(t time.Time) bool { return now.Sub(t) >= 24*time.Hour })
	q.s.Told = slices.Delete(q.s.Told, 0, max(0, len(q.s.Told)-max(q.o.PerMinute, q.o.PerHour, q.o.PerDay)))
}

// Retry ends the rest after failures: the owner can be reached again.
func (q *Queue) Retry() { q.s.Fails, q.s.Rest = 0, time.Time{} }

// Remove takes out reports that wait, and what they were folded by.
func (q *Queue) Remove(gone func(Report) bool) {
	for _, r := range q.s.Pending {
		if gone(r) {
			q.s.Folds = slices.DeleteFunc(q.s.Folds, func(f foldedText) bool { return f.ID == r.ID })
		}
	}
	q.s.Pending = slices.DeleteFunc(q.s.Pending, gone)
}

// Pending are the reports that wait, oldest first.
func (q *Queue) Pending() []Report { return slices.Clone(q.s.Pending) }

// Snapshot is all that a queue must know again after a restart.
func (q *Queue) Snapshot() ([]byte, error) { return json.Marshal(q.s) }

// Restore takes up a snapshot. Times of it that lie ahead count as now.
func (q *Queue) Restore(now time.Time, snapshot []byte) error {
	var s queueState
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("self: reports: %w", err)
	}
	now = now.Round(0)
	past := func(t *time.Time) {
		if t.After(now) {
			*t = now
		}
	}
	past(&s.Now)
	for i := range s.Told {
		past(&s.Told[i])
	}
	for i := range s.Folds {
		past(&s.Folds[i].At)
	}
	if most := now.Add(time.Hour); s.Rest.After(most) {
		s.Rest = most
	}
	s.Fails = max(s.Fails, 0)
	q.s = s
	return nil
}

func (q *Queue) clone() *Queue {
	c := *q
	c.s.Pending, c.s.Told, c.s.Folds = slices.Clone(q.s.Pending), slices.Clone(q.s.Told), slices.Clone(q.s.Folds)
	return &c
}

// foldKey is the same for words of a chat that differ in case, width, spaces and signs alone.
func foldKey(r *Report) string {
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
