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
	counterRow       = "life/self"
	conversationRows = "life/talk/"
	archivedRows     = "life/past/"
	wakeRows         = "life/job/"
)

// counters are the stored counters of the planner. All its times are in the past. A time in the future means that the clock
// went back.
type counters struct {
	Number       uint64      `json:"number,omitzero"`    // number of the last job
	LastMessage  time.Time   `json:"heard,omitzero"`     // time of the last message
	Messages     int         `json:"messages,omitzero"`  // messages since the last reflection started
	LastTimers   time.Time   `json:"tick,omitzero"`      // time when timers last fired
	LastTask     time.Time   `json:"beat,omitzero"`      // time of the last task
	PlanStarts   []time.Time `json:"began,omitempty"`    // starts of the last planning turns; the slice is immutable
	ReviewStarts []time.Time `json:"reviewed,omitempty"` // starts of the last reviews; the slice is immutable
	TaskBackoff  backoff     `json:"tasks,omitzero"`
	PlanBackoff  backoff     `json:"plans,omitzero"`
}

// A backoff counts consecutive failures.
type backoff struct {
	N  int       `json:"n,omitzero"`
	At time.Time `json:"at,omitzero"` // time of the last failure
}

func (s backoff) next(now time.Time) backoff { return backoff{s.N + 1, now} }

// after returns the backoff after a success or a failure.
func (s backoff) after(now time.Time, failure error) backoff {
	if failure == nil {
		return backoff{}
	}
	return s.next(now)
}

// until returns the time of the next try. The delay is a minute and doubles up to an hour. Without a failure it is the
// zero time.
func (s backoff) until(now time.Time) time.Time {
	if s.N == 0 {
		return time.Time{}
	}
	return minTime(s.At, now).Add(min(time.Minute<<min(s.N-1, 6), time.Hour))
}

// A pendingWake is a wake that is not done. Timers and tasks have their own rows.
type pendingWake struct {
	Number       uint64       `json:"-"`
	Kind         WakeKind     `json:"kind"`
	Conversation Conversation `json:"talk,omitzero"`
	Messages     int          `json:"messages,omitzero"`
	Made         time.Time    `json:"made"`
	Running      bool         `json:"out,omitzero"`    // given out and not done
	Starts       int          `json:"starts,omitzero"` // number of crashes while it ran, plus one while it runs
	Failures     int          `json:"tries,omitzero"`  // number of failures
	Backoff      backoff      `json:"wait,omitzero"`
}

// id identifies one try. A retry after a crash has the same id.
func (j *pendingWake) id() string {
	id := fmt.Sprintf("life/%s/%d", j.Kind, j.Number)
	if j.Failures > 0 {
		id += "/" + strconv.Itoa(j.Failures+1)
	}
	return id
}

// clampTo moves times in the future to now.
func clampTo(now time.Time, times ...*time.Time) (changed bool) {
	for _, t := range times {
		if t.After(now) {
			*t, changed = now, true
		}
	}
	return changed
}

// An archived is an archived conversation.
type archived struct {
	Conversation
	number uint64 // of its job
}

// A plannerChange is one change of the planner.
type plannerChange struct {
	planner       *Planner
	counters      counters
	archived      []archived               // oldest first; the slice is immutable
	jobs          map[uint64]*pendingWake  // changed jobs; nil means removed
	conversations map[string]*Conversation // changed conversations; nil means removed
}

func (c *plannerChange) conversation(key string) (Conversation, bool) {
	if t, ok := c.conversations[key]; ok {
		if t == nil {
			return Conversation{}, false
		}
		return *t, true
	}
	t, ok := c.planner.conversations[key]
	return t, ok
}

func (c *plannerChange) setConversation(t Conversation)    { c.conversations[t.key()] = &t }
func (c *plannerChange) removeConversation(t Conversation) { c.conversations[t.key()] = nil }
func (c *plannerChange) setJob(j pendingWake)              { c.jobs[j.Number] = &j }
func (c *plannerChange) removeJob(number uint64)           { c.jobs[number] = nil }
func (c *plannerChange) addJob(j pendingWake) uint64 {
	c.counters.Number++
	j.Number = c.counters.Number
	c.setJob(j)
	return j.Number
}

// all returns the jobs after the change, by number.
func (c *plannerChange) all() []pendingWake {
	if len(c.jobs) == 0 {
		return c.planner.jobs
	}
	list := make([]pendingWake, 0, len(c.planner.jobs)+len(c.jobs))
	for _, j := range c.planner.jobs {
		if _, ok := c.jobs[j.Number]; !ok {
			list = append(list, j)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.jobs)) {
		if j := c.jobs[n]; j != nil {
			list = append(list, *j)
		}
	}
	slices.SortFunc(list, func(a, b pendingWake) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// change calls f to collect changes and writes them in one transaction. Only one change runs at a time.
func (p *Planner) change(ctx context.Context, now time.Time, f func(*plannerChange) error) error {
	select {
	case p.writer <- struct{}{}:
		defer func() { <-p.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now = now.Round(0)
	if err := p.load(ctx, now); err != nil {
		return err
	}
	c := &plannerChange{planner: p, counters: p.counters, archived: p.archived, jobs: make(map[uint64]*pendingWake), conversations: make(map[string]*Conversation)}
	c.clampTimes(now)
	if err := f(c); err != nil {
		return err
	}
	p.mu.Lock()
	p.seen = maxTime(p.seen, now) // a Due with an earlier time must notice that the clock went back
	p.mu.Unlock()
	return p.apply(ctx, c)
}

// clampTimes moves all times of the planner that are in the future to now.
func (c *plannerChange) clampTimes(now time.Time) {
	s := &c.counters
	for _, starts := range []*[]time.Time{&s.PlanStarts, &s.ReviewStarts} {
		if slices.ContainsFunc(*starts, now.Before) {
			*starts = slices.Clone(*starts)
			for i := range *starts {
				clampTo(now, &(*starts)[i])
			}
		}
	}
	clampTo(now, &s.LastMessage, &s.LastTimers, &s.LastTask, &s.TaskBackoff.At, &s.PlanBackoff.At)
	for _, j := range c.planner.jobs {
		if clampTo(now, &j.Made, &j.Backoff.At) {
			c.setJob(j)
		}
	}
	for _, t := range c.planner.conversations {
		if clampTo(now, &t.From, &t.To) {
			c.setConversation(t)
		}
	}
}

// starts returns the starts of the last background turns of a kind.
func (s *counters) starts(kind WakeKind) *[]time.Time {
	if kind == WakeReview {
		return &s.ReviewStarts
	}
	return &s.PlanStarts
}

func (s *counters) equal(o *counters) bool {
	return s.Number == o.Number && s.Messages == o.Messages && s.LastMessage.Equal(o.LastMessage) && s.LastTimers.Equal(o.LastTimers) && s.LastTask.Equal(o.LastTask) &&
		s.TaskBackoff == o.TaskBackoff && s.PlanBackoff == o.PlanBackoff &&
		slices.EqualFunc(s.PlanStarts, o.PlanStarts, time.Time.Equal) && slices.EqualFunc(s.ReviewStarts, o.ReviewStarts, time.Time.Equal)
}

func (p *Planner) apply(ctx context.Context, c *plannerChange) error {
	rows := make(map[string][]byte, len(c.jobs)+len(c.conversations)+1)
	var err error
	write := func(key string, v any, gone bool) {
		if rows[key] = nil; !gone {
			row, e := json.Marshal(v)
			rows[key], err = row, cmp.Or(err, e)
		}
	}
	for n, j := range c.jobs {
		write(wakeRows+strconv.FormatUint(n, 10), j, j == nil)
	}
	for name, t := range c.conversations {
		write(conversationRows+name, t, t == nil)
	}
	c.diffArchived(func(t archived, gone bool) {
		write(archivedRows+strconv.FormatUint(t.number, 10), t.Conversation, gone)
	})
	if !c.counters.equal(&p.counters) {
		write(counterRow, &c.counters, false)
	}
	if err != nil {
		return fmt.Errorf("schedule: encode the planner: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	if err := p.state.Apply(ctx, rows); err != nil {
		p.ready = false // the write may have succeeded
		return fmt.Errorf("schedule: write the planner: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs, p.counters, p.archived = c.all(), c.counters, c.archived
	for name, t := range c.conversations {
		if t == nil {
			delete(p.conversations, name)
		} else {
			p.conversations[name] = *t
		}
	}
	return nil
}

// load reads the rows once, and again after a failed write.
func (p *Planner) load(ctx context.Context, now time.Time) error {
	if p.ready {
		return nil
	}
	rows, err := p.state.Load(ctx, "life/")
	if err != nil {
		return fmt.Errorf("schedule: read the planner: %w", err)
	}
	var counts counters
	var jobs []pendingWake
	talks := make(map[string]Conversation)
	var past []archived
	var broken []*RowError
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var err error
		switch {
		case key == counterRow:
			if err = json.Unmarshal(rows[key], &counts); err != nil {
				counts = counters{}
			}
		case strings.HasPrefix(key, conversationRows):
			var t Conversation
			if err = json.Unmarshal(rows[key], &t); err == nil {
				talks[t.key()] = t
			}
		case strings.HasPrefix(key, archivedRows):
			var t archived
			var malformed error
			t.number, malformed = strconv.ParseUint(strings.TrimPrefix(key, archivedRows), 10, 64)
			if err = cmp.Or(malformed, json.Unmarshal(rows[key], &t.Conversation)); err == nil {
				past = append(past, t)
			}
		case strings.HasPrefix(key, wakeRows):
			var j pendingWake
			var malformed error
			j.Number, malformed = strconv.ParseUint(strings.TrimPrefix(key, wakeRows), 10, 64)
			if err = cmp.Or(malformed, json.Unmarshal(rows[key], &j)); err == nil {
				jobs = append(jobs, j)
			}
		}
		if err != nil {
			broken = append(broken, &RowError{key, err})
		}
	}
	slices.SortFunc(jobs, func(a, b pendingWake) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortFunc(past, func(a, b archived) int { return cmp.Compare(a.number, b.number) })
	for _, j := range jobs {
		counts.Number = max(counts.Number, j.Number)
	}
	for _, t := range past {
		counts.Number = max(counts.Number, t.number)
	}
	p.mu.Lock()
	p.counters, p.jobs, p.conversations, p.archived, p.broken = counts, jobs, talks, past, broken
	p.mu.Unlock()
	c := &plannerChange{planner: p, counters: counts, archived: past, jobs: make(map[uint64]*pendingWake), conversations: make(map[string]*Conversation)}
	for _, j := range jobs {
		if j.Running && !p.isStarted(j.Number) {
			c.interrupted(j, now)
		}
	}
	if err := p.apply(ctx, c); err != nil {
		return err
	}
	p.ready = true
	return nil
}
