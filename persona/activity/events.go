package activity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ErrTooManyEvents is wrapped by the error if a bucket has more events in a period than [Options.MaxEvents].
var ErrTooManyEvents = errors.New("activity: too many events")

// Events returns all events of a bucket that overlap the period from start to end, oldest first and clipped to it. It reads
// several pages if necessary. If there are more than [Options.MaxEvents], it returns the newest and an error that wraps
// [ErrTooManyEvents].
func (c *Client) Events(ctx context.Context, bucket string, start, end time.Time) ([]Event, error) {
	start, end = start.Round(0), end.Round(0)
	var all []Event
	seen := make(map[string]bool)
	var err error
	pages := 2*c.o.MaxEvents/c.o.PageSize + 16 // a limit for servers that repeat the same page
	for until := end; start.Before(until); pages-- {
		var page []Event
		if page, err = c.page(ctx, bucket, start, until, c.o.PageSize); err != nil {
			return nil, err
		}
		oldest, fresh := until, false
		for _, e := range page {
			if e.At.Before(oldest) {
				oldest = e.At
			}
			// An event at the edge of a page is also in the next one, clipped to it.
			if k := e.key(); !seen[k] {
				seen[k], fresh = true, true
				all = append(all, e)
			}
		}
		if len(page) < c.o.PageSize {
			break
		}
		if len(all) >= c.o.MaxEvents || pages == 0 {
			err = fmt.Errorf("%w: %s has more than the %d events read since %s", ErrTooManyEvents, bucket, len(all), start.Format(time.RFC3339))
			break
		}
		if !oldest.Before(until) || !fresh {
			oldest = until.Add(-time.Millisecond) // all events of the page have the same time
		}
		until = oldest
	}
	all = clipEvents(all, start, end)
	slices.SortStableFunc(all, func(a, b Event) int { return a.At.Compare(b.At) })
	return all, err
}

// key identifies an event in its bucket.
func (e Event) key() string {
	if e.ID != 0 {
		return strconv.FormatInt(e.ID, 10)
	}
	return fmt.Sprint(e.At.UnixNano(), e.Data) // fmt prints maps in order
}

// clipEvents clips events to a period and drops those outside, because not every server does so.
func clipEvents(events []Event, start, end time.Time) []Event {
	kept := events[:0]
	for _, e := range events {
		from, to := later(e.At, start), earlier(e.End(), end)
		if to.Before(from) || !from.Before(end) || e.Duration > 0 && !from.Before(to) {
			continue
		}
		e.At, e.Duration = from, to.Sub(from)
		kept = append(kept, e)
	}
	return kept
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
