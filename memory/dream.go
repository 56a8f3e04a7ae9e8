package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A DreamInput is the input of one call of a [DreamFunc]: messages of one space since the last dream.
type DreamInput struct {
	Space    Space
	Day      string   // local date at the start of the night, "2026-03-01"
	Summary  string   // rolling summary of the space
	Messages []Record // oldest first; many messages are split into several inputs
	Known    []Record // facts and summaries of the space that may have the same subject, best first
}

// An Insight is a result of a dream. It becomes a permanent record of the same space.
type Insight struct {
	Text       string
	Kind       string   // "" means KindFact
	Person     string   // subject of the insight; "" for none
	Importance float64  // 0 to 1
	Tags       []string // tags of the record
	Sources    []string // IDs of source messages; unknown IDs are ignored; none means all messages of the input
	Replaces   []string // IDs of known records that it contradicts or summarizes: the first is updated, the others are deleted
}

// A DreamFunc derives insights from messages, for example with a language model. Its input comes from one space, and
// its insights are stored there.
type DreamFunc func(context.Context, DreamInput) ([]Insight, error)

// DreamOptions configures [Memory.Dream]. The zero value is ready to use.
type DreamOptions struct {
	Location  *time.Location        // time zone of the days; nil: that of now
	Hour      int                   // the night begins at this hour; 0 means 3; negative: midnight
	MaxRunes  int                   // runes of messages in one input; 0 means 50 000
	MaxInputs int                   // maximum inputs per space in one dream, the rest waits for the next dream; 0 means 20
	MaxKnown  int                   // maximum records in DreamInput.Known; 0 means 20; negative: none
	HalfLife  time.Duration         // half-life of records written by dreams; 0 means 30 days; negative: they never fade
	FadeBelow float64               // records of this importance or more never fade; 0 means .7
	Quota     Quota                 // applied to each space at the end; the zero Quota has no limits
	Progress  func(done, total int) // called after each space; nil: none
}

// DreamResult is the result of [Memory.Dream].
type DreamResult struct {
	Day      string // "" if no dream was due
	Added    int    // new records
	Updated  int    // records that an insight contradicted or repeated
	Deleted  int    // records that were summarized, faded or exceeded the quota
	Rejected int    // invalid insights
}

// dreamSchedule is the state row of all dreams.
type dreamSchedule struct {
	Day     string  `json:"day"` // the last completed day
	Backoff backoff `json:"rest,omitzero"`
}

func (o DreamOptions) withDefaults() DreamOptions {
	o.Hour, o.MaxKnown = cmp.Or(o.Hour, 3), cmp.Or(o.MaxKnown, 20)
	o.MaxRunes, o.MaxInputs = cmp.Or(max(o.MaxRunes, 0), 50_000), cmp.Or(max(o.MaxInputs, 0), 20)
	o.HalfLife, o.FadeBelow = cmp.Or(o.HalfLife, 30*24*time.Hour), cmp.Or(o.FadeBelow, .7)
	return o
}

// lastNight returns the local day of the last night, and its start.
func (o DreamOptions) lastNight(now time.Time) (day string, fell time.Time) {
	if o.Location != nil {
		now = now.In(o.Location)
	}
	y, m, d := now.Date()
	fell = time.Date(y, m, d, max(o.Hour, 0), 0, 0, 0, now.Location())
	if fell.After(now) {
		fell = time.Date(y, m, d-1, max(o.Hour, 0), 0, 0, 0, now.Location())
	}
	return fell.Format(time.DateOnly), fell
}

// NextDream returns the time at which Dream has work. It is not after now if Dream has work already.
func (m *Memory) NextDream(ctx context.Context, now time.Time, o DreamOptions) (time.Time, error) {
	opts := o.withDefaults()
	d, err := m.dreamSchedule(ctx)
	if err != nil {
		return time.Time{}, err
	}
	day, fell := opts.lastNight(now)
	if ahead := fell.AddDate(0, 0, 2).Format(time.DateOnly); d.Day >= day && d.Day <= ahead { // a later day means that the clock stepped back; a much later day was wrong
		y, m, d := fell.Date()
		return time.Date(y, m, d+1, max(opts.Hour, 0), 0, 0, 0, fell.Location()), nil
	}
	if d.Backoff.active(now) {
		return d.Backoff.Until, nil
	}
	return fell, nil
}

func (b backoff) active(now time.Time) bool {
	return now.Before(b.Until) && b.Until.Sub(now) <= time.Hour // a longer wait means that the clock stepped back
}

func (m *Memory) dreamSchedule(ctx context.Context) (d dreamSchedule, err error) {
	_, err = m.state.decodeRow(ctx, row("", "dream"), &d)
	return d, err
}

// Dream turns new messages and rolling summaries into permanent records, space by space. It runs once for each local
// day, after its night begins. At other times it returns without calling f.
//
// An insight that contradicts or repeats a known record updates that record, so facts do not pile up. Then unimportant
// records of earlier dreams fade. The half-life of a record is HalfLife × (1 + 9 × its importance). Below 1/20 of its
// initial strength it is deleted. Messages and records of other origin never fade. Rolling summaries start empty after
// a dream has read them.
//
// Each answer of f is stored as a plan before it is applied, and each step is idempotent. After a crash, the next call
// of Dream ends with the same records as an uninterrupted run, and does not call f again for a stored plan. If a source
// message is deleted while f runs, f is called again without it.
//
// If f fails for a space, Dream continues with the others. The day is not complete then, and Dream waits for a minute,
// doubled up to an hour. A second call during a running Dream does nothing.
func (m *Memory) Dream(ctx context.Context, now time.Time, f DreamFunc, o DreamOptions) (did DreamResult, err error) {
	if f == nil {
		return did, errors.New("memory: Dream needs a function")
	}
	if !m.dreamRunning.CompareAndSwap(false, true) {
		return did, nil
	}
	defer m.dreamRunning.Store(false)
	opts := o.withDefaults()
	at, err := m.NextDream(ctx, now, o)
	if err != nil || at.After(now) {
		return did, err
	}
	d, err := m.dreamSchedule(ctx)
	if err != nil {
		return did, err
	}
	run := dreamRun{Memory: m, dream: f, opts: opts}
	run.day, run.nightStart = opts.lastNight(now)
	run.result.Day = run.day
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return run.result, fmt.Errorf("memory: dream: %w", err)
	}
	var errs []error
	for i, s := range spaces {
		if err := run.dreamSpace(ctx, s); err != nil {
			errs = append(errs, fmt.Errorf("memory: dream of %q: %w", string(s), err))
			if ctx.Err() != nil {
				return run.result, ctx.Err() // not a failure of a space
			}
		}
		if opts.Progress != nil {
			opts.Progress(i+1, len(spaces))
		}
	}
	d = dreamSchedule{d.Day, d.Backoff.next(now)}
	if errs == nil {
		d = dreamSchedule{Day: run.day}
	}
	return run.result, errors.Join(append(errs, m.state.apply(ctx, map[string][]byte{row("", "dream"): encode(d)}))...)
}
