package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A DreamInput is what a dream is made from: what was said in one space since the last one.
type DreamInput struct {
	Space    Space
	Day      string   // the local day that the night ends, "2026-03-01"
	Summary  string   // the hot summary of the space
	Messages []Record // oldest first; a long stretch is dreamed of in several Nights
	Known    []Record // facts and summaries of the space that may be about the same, best first
}

// An Insight is what a night came to: it becomes a permanent record of the same space.
type Insight struct {
	Text       string
	Kind       string   // "" means Fact
	Person     string   // whom it is about; "" nobody in particular
	Importance float64  // 0 to 1
	Tags       []string //
	Sources    []string // IDs of the messages that it was made from; others are left out, and none at all means all of the night
	Replaces   []string // IDs of known records that it contradicts or sums up: the first is updated, the others go
}

// A DreamFunc makes insights of a night. It is told what was said in one space only, and what it answers is kept there.
type DreamFunc func(context.Context, DreamInput) ([]Insight, error)

// DreamOptions says when and how a being dreams. The zero value is ready.
type DreamOptions struct {
	Location  *time.Location        // whose days count; nil: that of now
	Hour      int                   // the night falls at this hour; 0 means 3; negative: at midnight
	MaxRunes  int                   // runes of messages in a Night; 0 means 50 000
	MaxInputs int                   // most Nights of a space in one dream, the rest waits for the next; 0 means 20
	MaxKnown  int                   // most Known of a Night; 0 means 20; negative none
	HalfLife  time.Duration         // what dreams wrote fades by half in this long; 0 means 30 days; negative: never
	FadeBelow float64               // from this importance on nothing fades; 0 means .7
	Quota     Quota                 // of every space, seen to in the end; the zero Quota is none
	Progress  func(done, total int) // told after each space; nil: nobody
}

// DreamResult is what a dream did.
type DreamResult struct {
	Day      string // "" when none was due
	Added    int    // new records
	Updated  int    // records that an insight contradicted or said again
	Deleted  int    // records that an insight summed up, that faded, or that were over the quota
	Rejected int    // insights that no store would take
}

// dreams is the row of the being as a whole.
type dreams struct {
	Day  string  `json:"day"` // that is done
	Rest backoff `json:"rest,omitzero"`
}

func (o DreamOptions) withDefaults() DreamOptions {
	o.Hour, o.MaxKnown = cmp.Or(o.Hour, 3), cmp.Or(o.MaxKnown, 20)
	o.MaxRunes, o.MaxInputs = cmp.Or(max(o.MaxRunes, 0), 50_000), cmp.Or(max(o.MaxInputs, 0), 20)
	o.HalfLife, o.FadeBelow = cmp.Or(o.HalfLife, 30*24*time.Hour), cmp.Or(o.FadeBelow, .7)
	return o
}

// night is the local day whose night fell last, and the moment when it did.
func (o DreamOptions) night(now time.Time) (day string, fell time.Time) {
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

// NextDream is when Dream has something to do: now or earlier if it has.
func (m *Memory) NextDream(ctx context.Context, now time.Time, o DreamOptions) (time.Time, error) {
	opts := o.withDefaults()
	d, err := m.dreams(ctx)
	if err != nil {
		return time.Time{}, err
	}
	day, fell := opts.night(now)
	if ahead := fell.AddDate(0, 0, 2).Format(time.DateOnly); d.Day >= day && d.Day <= ahead { // later: the clock stepped back; much later: it had been wrong
		y, m, d := fell.Date()
		return time.Date(y, m, d+1, max(opts.Hour, 0), 0, 0, 0, fell.Location()), nil
	}
	if d.Rest.rests(now) {
		return d.Rest.Until, nil
	}
	return fell, nil
}

func (b backoff) rests(now time.Time) bool {
	return now.Before(b.Until) && b.Until.Sub(now) <= time.Hour // more: the clock stepped back
}

func (m *Memory) dreams(ctx context.Context) (d dreams, err error) {
	_, err = m.state.read(ctx, row("", "dream"), &d)
	return d, err
}

// Dream turns what was said since the last dream, and its hot summaries, into permanent records, space by space, once for each local day and not before
// its night falls; f is not asked otherwise. An insight that contradicts a known record, or says nearly the same, updates it, so that facts do not pile up. Then what
// earlier dreams wrote and nothing important fades: a record's half-life is HalfLife × (1 + 9 × its importance), and below a twentieth it goes. Messages
// and what others wrote never fade. The hot summaries that it has read begin anew.
//
// Each answer of f is noted before it is written down, and every step can be done again: killed between any two writes and called again, Dream ends with the
// records of an undisturbed run, and f is not asked again for what is noted. What was forgotten while f was at it is dreamed of again without it.
// When f fails for a space, the others go on; the day is not done, and the being rests for a minute, doubled up to an hour. A second Dream beside
// one that goes on does nothing.
func (m *Memory) Dream(ctx context.Context, now time.Time, f DreamFunc, o DreamOptions) (did DreamResult, err error) {
	if f == nil {
		return did, errors.New("memory: Dream without a function")
	}
	if !m.dreaming.CompareAndSwap(false, true) {
		return did, nil
	}
	defer m.dreaming.Store(false)
	opts := o.withDefaults()
	at, err := m.NextDream(ctx, now, o)
	if err != nil || at.After(now) {
		return did, err
	}
	d, err := m.dreams(ctx)
	if err != nil {
		return did, err
	}
	run := dreaming{Memory: m, ask: f, opts: opts}
	run.day, run.fell = opts.night(now)
	run.did.Day = run.day
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return run.did, fmt.Errorf("memory: dream: %w", err)
	}
	var errs []error
	for i, s := range spaces {
		if err := run.of(ctx, s); err != nil {
			errs = append(errs, fmt.Errorf("memory: dream of %q: %w", string(s), err))
			if ctx.Err() != nil {
				return run.did, ctx.Err() // nobody's failure
			}
		}
		if opts.Progress != nil {
			opts.Progress(i+1, len(spaces))
		}
	}
	d = dreams{d.Day, d.Rest.next(now)}
	if errs == nil {
		d = dreams{Day: run.day}
	}
	return run.did, errors.Join(append(errs, m.state.apply(ctx, map[string][]byte{row("", "dream"): encode(d)}))...)
}
