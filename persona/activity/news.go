package activity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Delta is what the owner did in a stretch of time.
type Delta struct {
	Text      string     // for a model to read; "" when there is nothing to tell
	Intervals []Interval // the same one by one, by when they began; not bounded
	From      time.Time
	Until     time.Time // the mark to ask from the next time, once this was told
	Partial   bool      // a bucket had more events than are read, so its oldest are missing
}

// A Interval is a time in which one thing was in front.
type Interval struct {
	App      string // whose window it was; "" for a page or a file, which are told beside the windows
	Title    string // of the window, the page or the file, by whoever wrote it
	Address  string // the host of the page, or the project of the file
	From, To time.Time
}

// Delta tells what was done from since up to now, at most MaxSpan back. It remembers nothing: whoever asks keeps the mark,
// and moves it to Until when the talk that this was for has succeeded. When now is not after since
// nothing is asked, and Until is since.
//
// A bucket that vanishes meanwhile is left out. Any other error gives no news at all.
func (c *Client) Delta(ctx context.Context, since, now time.Time) (Delta, error) {
	since, now = since.Round(0), now.Round(0)
	if !since.Before(now) {
		return Delta{From: since, Until: since}, nil
	}
	n := Delta{From: later(since, now.Add(-c.o.MaxSpan)), Until: now}
	buckets, err := c.Buckets(ctx)
	if err != nil {
		return Delta{From: since, Until: since}, err
	}
	hosts := map[string]*host{}
	for _, b := range buckets {
		if !slices.Contains([]string{BucketWindow, BucketAFK, BucketWeb, BucketEditor}, b.Type) {
			continue
		}
		events, err := c.Events(ctx, b.ID, n.From, now)
		switch {
		case errors.Is(err, ErrNoBucket):
			continue
		case errors.Is(err, ErrTooManyEvents):
			n.Partial = true
		case err != nil:
			return Delta{From: since, Until: since}, err
		}
		name := hostOf(b, buckets)
		if hosts[name] == nil {
			hosts[name] = &host{name: name, events: map[string][]Event{}}
		}
		hosts[name].events[b.Type] = append(hosts[name].events[b.Type], events...)
	}
	var days []day
	for _, h := range hosts {
		days = append(days, h.day(c.o))
	}
	slices.SortFunc(days, func(a, b day) int { return strings.Compare(a.host, b.host) })
	n.Text = c.o.text(n, days, !since.IsZero() && n.From.After(since))
	for _, d := range days {
		for _, u := range d.windows {
			n.Intervals = append(n.Intervals, Interval{App: u.group, Title: u.title, From: u.from, To: u.to})
		}
		for _, u := range slices.Concat(d.pages, d.files) {
			n.Intervals = append(n.Intervals, Interval{Title: u.title, Address: u.group, From: u.from, To: u.to})
		}
	}
	slices.SortStableFunc(n.Intervals, func(a, b Interval) int { return a.From.Compare(b.From) })
	return n, nil
}

// Intervals are the Uses of [Client.Delta] up to the present. The mark that follows them is the time at which it was called, not
// the time at which it returned.
func (c *Client) Intervals(ctx context.Context, since time.Time) ([]Interval, error) {
	n, err := c.Delta(ctx, since, time.Now())
	return n.Intervals, err
}

// hostOf is the machine of a bucket. Watchers in browsers often do not know theirs: it is the one there is, if there is
// but one.
func hostOf(b Bucket, all []Bucket) string {
	if known(b) {
		return b.Hostname
	}
	only := ""
	for _, other := range all {
		switch {
		case !known(other) || other.Type != BucketWindow && other.Type != BucketAFK:
		case only == "":
			only = other.Hostname
		case only != other.Hostname:
			return ""
		}
	}
	return only
}

func known(b Bucket) bool { return b.Hostname != "" && b.Hostname != "unknown" }
