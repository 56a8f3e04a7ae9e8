package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	lifeSelf  = "life/self"
	lifeTalks = "life/talk/"
	lifeJobs  = "life/job/"
)

// A lifeRow is what a being counts by. Its times are of what has been, so that a clock that goes back can be told.
type lifeRow struct {
	Number   uint64      `json:"number,omitzero"`   // of the last job
	Heard    time.Time   `json:"heard,omitzero"`    // when somebody last spoke
	Messages int         `json:"messages,omitzero"` // since the last reflection began
	Tick     time.Time   `json:"tick,omitzero"`     // when timers last fired
	Beat     time.Time   `json:"beat,omitzero"`     // when a task was last given
	Began    []time.Time `json:"began,omitempty"`   // the last talks of the background; the slice is replaced, never changed
	Tasks    setback     `json:"tasks,omitzero"`
	Plans    setback     `json:"plans,omitzero"`
}

// A setback is how often something failed, one time after the other.
type setback struct {
	N  int       `json:"n,omitzero"`
	At time.Time `json:"at,omitzero"` // the last time
}

func (s setback) more(now time.Time) setback { return setback{s.N + 1, now} }

// after is what becomes of it when the thing was done, well or not.
func (s setback) after(now time.Time, failure error) setback {
	if failure == nil {
		return setback{}
	}
	return s.more(now)
}

// until is when to try again: a minute later, doubled up to an hour. It is the zero time when nothing failed.
func (s setback) until(now time.Time) time.Time {
	if s.N == 0 {
		return time.Time{}
	}
	return past(s.At, now).Add(min(time.Minute<<min(s.N-1, 6), time.Hour))
}

// A lifeJob is a wake that is kept until it is done: all kinds but timers and tasks, which have their own rows.
type lifeJob struct {
	Number   uint64       `json:"-"`
	Kind     WakeKind     `json:"kind"`
	Talk     Conversation `json:"talk,omitzero"`
	Messages int          `json:"messages,omitzero"`
	Made     time.Time    `json:"made"`
	Out      bool         `json:"out,omitzero"`    // it was given and is not done
	Starts   int          `json:"starts,omitzero"` // how often the program died of it, and the present time
	Tries    int          `json:"tries,omitzero"`  // how often it failed
	Wait     setback      `json:"wait,omitzero"`
}

// id tells one try from another, but not those that the program died of.
func (j *lifeJob) id() string {
	id := fmt.Sprintf("life/%s/%d", j.Kind, j.Number)
	if j.Tries > 0 {
		id += "/" + strconv.Itoa(j.Tries+1)
	}
	return id
}

// back takes times that are yet to come to now.
func back(now time.Time, times ...*time.Time) (changed bool) {
	for _, t := range times {
		if t.After(now) {
			*t, changed = now, true
		}
	}
	return changed
}

// A living is one change to a life.
type living struct {
	l     *Planner
	self  lifeRow
	jobs  map[uint64]*lifeJob      // changed; nil: removed
	talks map[string]*Conversation // the same
}

func (c *living) talk(key string) (Conversation, bool) {
	if t, ok := c.talks[key]; ok {
		if t == nil {
			return Conversation{}, false
		}
		return *t, true
	}
	t, ok := c.l.talks[key]
	return t, ok
}

func (c *living) put(t Conversation)    { c.talks[t.key()] = &t }
func (c *living) remove(t Conversation) { c.talks[t.key()] = nil }
func (c *living) set(j lifeJob)         { c.jobs[j.Number] = &j }
func (c *living) drop(number uint64)    { c.jobs[number] = nil }
func (c *living) new(j lifeJob) uint64 {
	c.self.Number++
	j.Number = c.self.Number
	c.set(j)
	return j.Number
}

// all gives the jobs as they are after the change, by number.
func (c *living) all() []lifeJob {
	if len(c.jobs) == 0 {
		return c.l.jobs
	}
	list := make([]lifeJob, 0, len(c.l.jobs)+len(c.jobs))
	for _, j := range c.l.jobs {
		if _, ok := c.jobs[j.Number]; !ok {
			list = append(list, j)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.jobs)) {
		if j := c.jobs[n]; j != nil {
			list = append(list, *j)
		}
	}
	slices.SortFunc(list, func(a, b lifeJob) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// change lets f look at all and say what to change, and does that in one step. One change at a time is under way.
func (l *Planner) change(ctx context.Context, now time.Time, f func(*living) error) error {
	select {
	case l.writer <- struct{}{}:
		defer func() { <-l.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now = now.Round(0)
	if err := l.load(ctx, now); err != nil {
		return err
	}
	c := &living{l: l, self: l.self, jobs: make(map[uint64]*lifeJob), talks: make(map[string]*Conversation)}
	c.back(now)
	if err := f(c); err != nil {
		return err
	}
	l.mu.Lock()
	l.seen = latest(l.seen, now) // of a Due that comes by an earlier clock
	l.mu.Unlock()
	return l.apply(ctx, c)
}

// back takes what a clock wrote that was ahead to now.
func (c *living) back(now time.Time) {
	s := &c.self
	if slices.ContainsFunc(s.Began, now.Before) {
		s.Began = slices.Clone(s.Began)
		for i := range s.Began {
			back(now, &s.Began[i])
		}
	}
	back(now, &s.Heard, &s.Tick, &s.Beat, &s.Tasks.At, &s.Plans.At)
	for _, j := range c.l.jobs {
		if back(now, &j.Made, &j.Wait.At) {
			c.set(j)
		}
	}
	for _, t := range c.l.talks {
		if back(now, &t.From, &t.To) {
			c.put(t)
		}
	}
}

func (s *lifeRow) equal(o *lifeRow) bool {
	return s.Number == o.Number && s.Messages == o.Messages && s.Heard.Equal(o.Heard) && s.Tick.Equal(o.Tick) && s.Beat.Equal(o.Beat) &&
		s.Tasks == o.Tasks && s.Plans == o.Plans && slices.EqualFunc(s.Began, o.Began, time.Time.Equal)
}

func (l *Planner) apply(ctx context.Context, c *living) error {
	rows := make(map[string][]byte, len(c.jobs)+len(c.talks)+1)
	var err error
	write := func(key string, v any, gone bool) {
		if rows[key] = nil; !gone {
			row, e := json.Marshal(v)
			rows[key], err = row, cmp.Or(err, e)
		}
	}
	for n, j := range c.jobs {
		write(lifeJobs+strconv.FormatUint(n, 10), j, j == nil)
	}
	for name, t := range c.talks {
		write(lifeTalks+name, t, t == nil)
	}
	if !c.self.equal(&l.self) {
		write(lifeSelf, &c.self, false)
	}
	if err != nil {
		return fmt.Errorf("persona: life: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	if err := l.state.Apply(ctx, rows); err != nil {
		l.ready = false // it may have been written all the same
		return fmt.Errorf("persona: write life: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs, l.self = c.all(), c.self
	for name, t := range c.talks {
		if t == nil {
			delete(l.talks, name)
		} else {
			l.talks[name] = *t
		}
	}
	return nil
}

// load reads the rows, once and after every failure to write.
func (l *Planner) load(ctx context.Context, now time.Time) error {
	if l.ready {
		return nil
	}
	rows, err := l.state.Load(ctx, "life/")
	if err != nil {
		return fmt.Errorf("persona: read life: %w", err)
	}
	var self lifeRow
	var jobs []lifeJob
	talks := make(map[string]Conversation)
	var broken []*RowError
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var err error
		switch {
		case key == lifeSelf:
			if err = json.Unmarshal(rows[key], &self); err != nil {
				self = lifeRow{}
			}
		case strings.HasPrefix(key, lifeTalks):
			var t Conversation
			if err = json.Unmarshal(rows[key], &t); err == nil {
				talks[t.key()] = t
			}
		case strings.HasPrefix(key, lifeJobs):
			var j lifeJob
			var malformed error
			j.Number, malformed = strconv.ParseUint(strings.TrimPrefix(key, lifeJobs), 10, 64)
			if err = cmp.Or(malformed, json.Unmarshal(rows[key], &j)); err == nil {
				jobs = append(jobs, j)
			}
		}
		if err != nil {
			broken = append(broken, &RowError{key, err})
		}
	}
	slices.SortFunc(jobs, func(a, b lifeJob) int { return cmp.Compare(a.Number, b.Number) })
	for _, j := range jobs {
		self.Number = max(self.Number, j.Number)
	}
	l.mu.Lock()
	l.self, l.jobs, l.talks, l.broken = self, jobs, talks, broken
	l.mu.Unlock()
	c := &living{l: l, self: self, jobs: make(map[uint64]*lifeJob), talks: make(map[string]*Conversation)}
	for _, j := range jobs {
		if j.Out && !l.isOut(j.Number) {
			c.interrupted(j, now)
		}
	}
	if err := l.apply(ctx, c); err != nil {
		return err
	}
	l.ready = true
	return nil
}
