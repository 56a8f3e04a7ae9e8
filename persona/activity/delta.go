package activity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Delta is the owner's activity in a period.
type Delta struct {
	Text      string     // summary for a model; "" if there was no activity
	Intervals []Interval // the same activity as a list ordered by From, without a limit
	From      time.Time
	Until     time.Time // the next cursor; store it after the text was processed
	Partial   bool      // the oldest events of a bucket are missing because it has more than Options.MaxEvents
}

// Interval is a period in which one window, page or file was in front.
type Interval struct {
	App      string // of a window; "" for a page or a file, which overlap with windows
	Title    string // of the window, page or file; untrusted text
	Address  string // host of a page, or project of a file
	From, To time.Time
}

// Delta returns the activity from since until now, at most [Options.MaxSpan]. The client stores no cursor: the caller passes it
// as since, and sets it to Until after it has processed the text. If since is not before now, there is no request, and
// Until is since.
//
// A bucket that is removed during the call is skipped. After any other error there is no activity in the result.
func (c *Client) Delta(ctx context.Context, since, now time.Time) (Delta, error) {
	since, now = since.Round(0), now.Round(0)
	if !since.Before(now) {
		return Delta{From: since, Until: since}, nil
	}
	delta := Delta{From: later(since, now.Add(-c.o.MaxSpan)), Until: now}
	buckets, err := c.Buckets(ctx)
	if err != nil {
		return Delta{From: since, Until: since}, err
	}
	hosts := map[string]*host{}
	for _, b := range buckets {
		if !slices.Contains([]string{BucketWindow, BucketAFK, BucketWeb, BucketEditor}, b.Type) {
			continue
		}
		events, err := c.Events(ctx, b.ID, delta.From, now)
		switch {
		case errors.Is(err, ErrNoBucket):
			continue
		case errors.Is(err, ErrTooManyEvents):
			delta.Partial = true
		case err != nil:
			return Delta{From: since, Until: since}, err
		}
		name := hostName(b, buckets)
		if hosts[name] == nil {
			hosts[name] = &host{name: name, events: map[string][]Event{}}
		}
		hosts[name].events[b.Type] = append(hosts[name].events[b.Type], events...)
	}
	var reports []hostReport
	for _, h := range hosts {
		reports = append(reports, h.report(c.o))
	}
	slices.SortFunc(reports, func(a, b hostReport) int { return strings.Compare(a.host, b.host) })
	delta.Text = c.o.text(delta, reports, !since.IsZero() && delta.From.After(since))
	for _, d := range reports {
		for _, u := range d.windows {
			delta.Intervals = append(delta.Intervals, Interval{App: u.group, Title: u.title, From: u.from, To: u.to})
		}
		for _, u := range slices.Concat(d.pages, d.files) {
			delta.Intervals = append(delta.Intervals, Interval{Title: u.title, Address: u.group, From: u.from, To: u.to})
		}
	}
	slices.SortStableFunc(delta.Intervals, func(a, b Interval) int { return a.From.Compare(b.From) })
	return delta, nil
}

// Intervals returns the intervals of [Client.Delta] from since until the present. The next cursor is the time of the call, not the
// time of its return.
func (c *Client) Intervals(ctx context.Context, since time.Time) ([]Interval, error) {
	delta, err := c.Delta(ctx, since, time.Now())
	return delta.Intervals, err
}

// hostName returns the host of a bucket. Watchers in browsers often do not know their host. It is the only known one, or "" if
// there are several.
func hostName(b Bucket, all []Bucket) string {
	if hasHostname(b) {
		return b.Hostname
	}
	only := ""
	for _, other := range all {
		switch {
		case !hasHostname(other) || other.Type != BucketWindow && other.Type != BucketAFK:
		case only == "":
			only = other.Hostname
		case only != other.Hostname:
			return ""
		}
	}
	return only
}

func hasHostname(b Bucket) bool { return b.Hostname != "" && b.Hostname != "unknown" }
