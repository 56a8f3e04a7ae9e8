package activity

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Options say what is told of what the owner does. The zero value tells titles of windows, pages and files, but nothing
// of private windows.
type Options struct {
	Hide     []*regexp.Regexp // what matches in an app, a title, a URL, a file or a project is never told, nor for how long
	OnlyApps []*regexp.Regexp // apps that are told of; nil: all
	Browsers *regexp.Regexp   // apps in which pages are looked at; nil: the known ones

	MaxText  int            // runes of the text; 0 means 2000, at least 200
	MaxSpan  time.Duration  // how far back is looked at most; 0 means 24 h
	MinSpan  time.Duration  // what lasted shorter is left out; 0 means 5 s, negative nothing
	MergeGap time.Duration  // what goes on after such a break is one; 0 means 1 min, negative none
	Location *time.Location // of the times told; nil: UTC

	PageSize  int // events asked for at once; 0 means 1000
	MaxEvents int // of a bucket; 0 means 20 000
}

const (
	defaultText   = 2000
	leastText     = 200
	defaultSpan   = 24 * time.Hour
	defaultMin    = 5 * time.Second
	defaultGap    = time.Minute
	defaultPage   = 1000
	defaultEvents = 20_000
)

// private are windows whose title says that nobody is to know.
var private = regexp.MustCompile(`(?i)incognito|inprivate|private browsing|private window|隐私浏览|隐私窗口|无痕|無痕|隐身`)

var browsers = regexp.MustCompile(`(?i)chrom|firefox|edge|safari|brave|opera|vivaldi|\barc\b|librewolf|waterfox|zen\b|tor browser|浏览器|qqbrowser|360se|sogou|yandex|epiphany|falkon|qutebrowser|browser`)

func (o Options) filled() (Options, error) {
	for _, v := range []struct {
		name string
		n    int64
	}{{"MaxText", int64(o.MaxText)}, {"MaxSpan", int64(o.MaxSpan)}, {"Page", int64(o.PageSize)}, {"MaxEvents", int64(o.MaxEvents)}} {
		if v.n < 0 {
			return o, fmt.Errorf("activity: %s of %d is negative", v.name, v.n)
		}
	}
	o.MaxText = cmp.Or(o.MaxText, defaultText)
	if o.MaxText < leastText {
		return o, fmt.Errorf("activity: MaxText of %d is below %d", o.MaxText, leastText)
	}
	o.MaxSpan, o.MinSpan, o.MergeGap = cmp.Or(o.MaxSpan, defaultSpan), cmp.Or(o.MinSpan, defaultMin), cmp.Or(o.MergeGap, defaultGap)
	o.PageSize, o.MaxEvents = cmp.Or(o.PageSize, defaultPage), cmp.Or(o.MaxEvents, defaultEvents)
	o.Hide, o.OnlyApps = slices.Clone(o.Hide), slices.Clone(o.OnlyApps)
	if slices.Contains(o.Hide, nil) || slices.Contains(o.OnlyApps, nil) {
		return o, errors.New("activity: Hide or OnlyApps contains a nil pattern")
	}
	o.Location, o.Browsers = cmp.Or(o.Location, time.UTC), cmp.Or(o.Browsers, browsers)
	return o, nil
}

// hides reports whether one of the texts is never to be told.
func (o Options) hides(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return anyMatches(o.Hide, s) })
}

// wants reports whether an app is told of.
func (o Options) wants(app string) bool {
	return len(o.OnlyApps) == 0 || anyMatches(o.OnlyApps, app)
}

func anyMatches(patterns []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(s) })
}
