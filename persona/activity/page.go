package activity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ErrTooManyEvents is matched by the error when a bucket has more events in the time asked for than are read.
var ErrTooManyEvents = errors.New("activity: too many events")

// Events gives all events of a bucket that touch the time from start to end, the oldest first, cut to it. Where there are
// more than one answer holds, it asks again for what is older. Of more than MaxEvents it gives the newest, with an error
// that matches [ErrTooManyEvents].
func (c *Client) Events(ctx context.Context, bucket string, start, end time.Time) ([]Event, error) {
	start, end = start.Round(0), end.Round(0)
	var all []Event
	seen := make(map[string]bool)
	var err error
	pages := 2*c.o.MaxEvents/c.o.PageSize + 16 // more only where a server says the same again and again
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
			// The event at the edge comes again, cut to the page it is in.
			if k := e.key(); !seen[k] {
				seen[k], fresh = true, true
				all = append(all, e)
			}
		}
		if len(page) < c.o.PageSize {
			break
		}
		if len(all) >= c.o.MaxEvents || pages == 0 {
			err = fmt.Errorf("%w: %s has more than the %d that were read from %s on", ErrTooManyEvents, bucket, len(all), start.Format(time.RFC3339))
			break
		}
		if !oldest.Before(until) || !fresh {
			oldest = until.Add(-time.Millisecond) // a page full of events of one moment
		}
		until = oldest
	}
	all = cut(all, start, end)
	slices.SortStableFunc(all, func(a, b Event) int { return a.At.Compare(b.At) })
	return all, err
}

// key tells events of a bucket apart.
func (e Event) key() string {
	if e.ID != 0 {
		return strconv.FormatInt(e.ID, 10)
	}
	return fmt.Sprint(e.At.UnixNano(), e.Data) // maps are printed in order
}

// cut leaves out what is outside of a stretch of time, also parts of events. Not every server does so.
func cut(events []Event, start, end time.Time) []Event {
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
