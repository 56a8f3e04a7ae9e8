package activity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// News is what the owner did in a stretch of time.
type News struct {
	Text    string // for a model to read; "" when there is nothing to tell
	From    time.Time
	Until   time.Time // the mark to ask from the next time, once this was told
	Partial bool      // a bucket had more events than are read, so its oldest are missing
}

// News tells what was done from since up to now, at most MaxSpan back. It remembers nothing: whoever asks keeps the mark,
// and moves it to Until when the talk that this was for has succeeded. When now is not after since
// nothing is asked, and Until is since.
//
// A bucket that vanishes meanwhile is left out. Any other error gives no news at all.
func (c *Client) News(ctx context.Context, since, now time.Time) (News, error) {
	since, now = since.Round(0), now.Round(0)
	if !since.Before(now) {
		return News{From: since, Until: since}, nil
	}
	n := News{From: later(since, now.Add(-c.o.MaxSpan)), Until: now}
	buckets, err := c.Buckets(ctx)
	if err != nil {
		return News{From: since, Until: since}, err
	}
	hosts := map[string]*host{}
	for _, b := range buckets {
		if !slices.Contains([]string{Window, AFK, Web, Editor}, b.Type) {
			continue
		}
		events, err := c.Events(ctx, b.ID, n.From, now)
		switch {
		case errors.Is(err, ErrNoBucket):
			continue
		case errors.Is(err, ErrTooMany):
			n.Partial = true
		case err != nil:
			return News{From: since, Until: since}, err
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
	return n, nil
}

// Since is the text of [Client.News] up to the present: what a persona asks for, by its shape. The mark that follows it is
// the time at which it was called, not the time at which it returned.
func (c *Client) Since(ctx context.Context, since time.Time) (string, error) {
	n, err := c.News(ctx, since, time.Now())
	return n.Text, err
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
		case !known(other) || other.Type != Window && other.Type != AFK:
		case only == "":
			only = other.Hostname
		case only != other.Hostname:
			return ""
		}
	}
	return only
}

func known(b Bucket) bool { return b.Hostname != "" && b.Hostname != "unknown" }
