package activity

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// A host is what the watchers of one machine reported.
type host struct {
	name   string
	events map[string][]Event // by type of bucket
}

// A use is a time in which one thing was in front: a title in an app, a page of a site, a file of a project.
type use struct {
	span
	group, title string
}

// A day is what of a host is told.
type day struct {
	host    string
	windows []use // by time
	pages   []use
	files   []use
	away    time.Duration
}

// day takes out the time away, and all that is not to be told.
//
// What is hidden in one kind of bucket shows in the others, too: the title of a private page is the title of its window.
// So a window of a browser goes as a whole when a hidden page was open during it, as does a window of another app during
// which a hidden file was; a page or a file goes for as long as a hidden window was in front, and altogether when that is
// over half of its time.
func (h host) day(o Options) day {
	var away, secret, secretPages, secretFiles []span
	for _, e := range h.events[BucketAFK] {
		if e.Text("status") == "afk" {
			away = append(away, e.span())
		}
	}
	hides := map[string]func(Event) bool{
		BucketWindow: func(e Event) bool {
			app, title := e.Text("app"), e.Text("title")
			return o.hides(app, title) || !o.wants(app) || private.MatchString(title)
		},
		BucketWeb:    func(e Event) bool { return o.hides(e.Text("url"), e.Text("title")) || e.Bool("incognito") },
		BucketEditor: func(e Event) bool { return o.hides(e.Text("file"), e.Text("project")) },
	}
	for kind, into := range map[string]*[]span{BucketWindow: &secret, BucketWeb: &secretPages, BucketEditor: &secretFiles} {
		for _, e := range h.events[kind] {
			if hides[kind](e) {
				*into = append(*into, e.span())
			}
		}
	}
	away, secret, secretPages, secretFiles = union(away), union(secret), union(secretPages), union(secretFiles)

	d := day{host: h.name, away: total(away)}
	var inBrowser []span
	knowsBrowser := false
	for _, e := range h.events[BucketWindow] {
		app, title := e.Text("app"), e.Text("title")
		browser := o.Browsers.MatchString(app)
		knowsBrowser = knowsBrowser || browser
		if hides[BucketWindow](e) || browser && e.span().shows(secretPages) || !browser && e.span().shows(secretFiles) {
			continue
		}
		left := e.span().without(away)
		if browser {
			inBrowser = append(inBrowser, left...)
		}
		d.windows = append(d.windows, uses(left, app, title)...)
	}
	inBrowser = union(inBrowser)
	shown := func(e Event) []span {
		whole := e.span()
		if total(whole.within(secret)) > whole.length()/2 {
			return nil
		}
		return each(whole.without(away), secret, span.without)
	}
	for _, e := range h.events[BucketWeb] {
		if hides[BucketWeb](e) {
			continue
		}
		left := shown(e)
		if knowsBrowser { // a page stays open while its owner is elsewhere
			left = each(left, inBrowser, span.within)
		}
		d.pages = append(d.pages, uses(left, site(e.Text("url")), e.Text("title"))...)
	}
	for _, e := range h.events[BucketEditor] {
		if !hides[BucketEditor](e) {
			d.files = append(d.files, uses(shown(e), base(e.Text("project")), base(e.Text("file")))...)
		}
	}
	for _, list := range []*[]use{&d.windows, &d.pages, &d.files} {
		*list = o.joined(*list)
	}
	return d
}

func (e Event) span() span { return span{e.At, e.End()} }

func uses(spans []span, group, title string) []use {
	var all []use
	for _, s := range spans {
		all = append(all, use{s, clean(group, maxName), clean(title, maxTitle)})
	}
	return all
}

// each gives what f leaves of each of spans beside others.
func each(spans, others []span, f func(s span, others []span) []span) (left []span) {
	for _, s := range spans {
		left = append(left, f(s, others)...)
	}
	return left
}

// joined makes one of the uses of one thing that follow each other, and leaves out those that were too short.
func (o Options) joined(all []use) []use {
	slices.SortStableFunc(all, func(a, b use) int { return a.from.Compare(b.from) })
	var kept []use
	for _, u := range all {
		if n := len(kept); n > 0 {
			last := &kept[n-1]
			if last.group == u.group && last.title == u.title && u.from.Sub(last.to) <= max(o.MergeGap, 0) {
				last.to = later(last.to, u.to)
				continue
			}
		}
		kept = append(kept, u)
	}
	return slices.DeleteFunc(kept, func(u use) bool { return u.length() <= 0 || u.length() < o.MinSpan })
}

// site is the host of a URL, without www. and all that may be in the rest of it.
func site(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Host == "" {
		return u.Scheme
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// base is the last part of a path, of whatever system.
func base(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
