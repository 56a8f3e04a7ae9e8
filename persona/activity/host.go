package activity

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// A host has the events of all watchers of one machine.
type host struct {
	name   string
	events map[string][]Event // by type of bucket
}

// An interval is a time with one thing in front: a title in an app, a page of a site or a file of a project.
type interval struct {
	span
	group, title string
}

// A hostReport is the activity on one host without hidden parts.
type hostReport struct {
	host    string
	windows []interval // by start
	pages   []interval
	files   []interval
	away    time.Duration
}

// report removes the time away and everything hidden.
//
// Hidden content of one bucket also shows in others: the title of a private page is the title of its window. So a browser
// window is dropped if a hidden page was open in it, and another window if a hidden file was. A page or a file loses the time
// in which a hidden window was in front. It is dropped if that is more than half of its time.
func (h host) report(o Options) hostReport {
	var away, secret, secretPages, secretFiles []span
	for _, e := range h.events[BucketAFK] {
		if e.Text("status") == "afk" {
			away = append(away, e.span())
		}
	}
	hides := map[string]func(Event) bool{
		BucketWindow: func(e Event) bool {
			app, title := e.Text("app"), e.Text("title")
			return o.hides(app, title) || !o.includesApp(app) || privateTitle.MatchString(title)
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

	d := hostReport{host: h.name, away: total(away)}
	var inBrowser []span
	knowsBrowser := false
	for _, e := range h.events[BucketWindow] {
		app, title := e.Text("app"), e.Text("title")
		browser := o.Browsers.MatchString(app)
		knowsBrowser = knowsBrowser || browser
		if hides[BucketWindow](e) || browser && e.span().overlapsAny(secretPages) || !browser && e.span().overlapsAny(secretFiles) {
			continue
		}
		left := e.span().subtract(away)
		if browser {
			inBrowser = append(inBrowser, left...)
		}
		d.windows = append(d.windows, intervals(left, app, title)...)
	}
	inBrowser = union(inBrowser)
	shown := func(e Event) []span {
		whole := e.span()
		if total(whole.intersect(secret)) > whole.length()/2 {
			return nil
		}
		return eachSpan(whole.subtract(away), secret, span.subtract)
	}
	for _, e := range h.events[BucketWeb] {
		if hides[BucketWeb](e) {
			continue
		}
		left := shown(e)
		if knowsBrowser { // a page stays open in the background
			left = eachSpan(left, inBrowser, span.intersect)
		}
		d.pages = append(d.pages, intervals(left, hostOfURL(e.Text("url")), e.Text("title"))...)
	}
	for _, e := range h.events[BucketEditor] {
		if !hides[BucketEditor](e) {
			d.files = append(d.files, intervals(shown(e), lastElement(e.Text("project")), lastElement(e.Text("file")))...)
		}
	}
	for _, list := range []*[]interval{&d.windows, &d.pages, &d.files} {
		*list = o.merge(*list)
	}
	return d
}

func (e Event) span() span { return span{e.At, e.End()} }

func intervals(spans []span, group, title string) []interval {
	var all []interval
	for _, s := range spans {
		all = append(all, interval{s, clean(group, maxName), clean(title, maxTitle)})
	}
	return all
}

// eachSpan applies f to each of spans and joins the results.
func eachSpan(spans, others []span, f func(s span, others []span) []span) (left []span) {
	for _, s := range spans {
		left = append(left, f(s, others)...)
	}
	return left
}

// merge merges adjacent intervals of one thing and drops those that are shorter than MinSpan.
func (o Options) merge(all []interval) []interval {
	slices.SortStableFunc(all, func(a, b interval) int { return a.from.Compare(b.from) })
	var kept []interval
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
	return slices.DeleteFunc(kept, func(u interval) bool { return u.length() <= 0 || u.length() < o.MinSpan })
}

// hostOfURL returns the host of a URL without www.
func hostOfURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Host == "" {
		return u.Scheme
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// lastElement returns the last element of a path with slashes or backslashes.
func lastElement(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
