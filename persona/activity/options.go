package activity

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Options are the options of a [Client]. The zero value reports titles of windows, pages and files, except private windows.
type Options struct {
	Hide     []*regexp.Regexp // hides activity with a matching app, title, URL, file or project, and its duration
	OnlyApps []*regexp.Regexp // reports windows of matching apps only; nil means all apps
	Browsers *regexp.Regexp   // apps that are browsers; nil means a built-in list

	MaxText  int            // maximum runes of Delta.Text, at least 200; 0 means 2000
	MaxSpan  time.Duration  // maximum period of one call; 0 means 24 h
	MinSpan  time.Duration  // drops shorter activity; 0 means 5 s, negative none
	MergeGap time.Duration  // maximum break between intervals that are merged; 0 means 1 min, negative none
	Location *time.Location // of times in the text; nil means UTC

	PageSize  int // events per request; 0 means 1000
	MaxEvents int // maximum events per bucket; 0 means 20,000
}

const (
	defaultText   = 2000
	minText       = 200
	defaultSpan   = 24 * time.Hour
	defaultMin    = 5 * time.Second
	defaultGap    = time.Minute
	defaultPage   = 1000
	defaultEvents = 20_000
)

// privateTitle matches titles of private windows.
var privateTitle = regexp.MustCompile(`(?i)incognito|inprivate|private browsing|private window|隐私浏览|隐私窗口|无痕|無痕|隐身`)

var defaultBrowsers = regexp.MustCompile(`(?i)chrom|firefox|edge|safari|brave|opera|vivaldi|\barc\b|librewolf|waterfox|zen\b|tor browser|浏览器|qqbrowser|360se|sogou|yandex|epiphany|falkon|qutebrowser|browser`)

func (o Options) withDefaults() (Options, error) {
	for _, v := range []struct {
		name string
		n    int64
	}{{"MaxText", int64(o.MaxText)}, {"MaxSpan", int64(o.MaxSpan)}, {"PageSize", int64(o.PageSize)}, {"MaxEvents", int64(o.MaxEvents)}} {
		if v.n < 0 {
			return o, fmt.Errorf("activity: %s of %d is negative", v.name, v.n)
		}
	}
	o.MaxText = cmp.Or(o.MaxText, defaultText)
	if o.MaxText < minText {
		return o, fmt.Errorf("activity: MaxText of %d is below %d", o.MaxText, minText)
	}
	o.MaxSpan, o.MinSpan, o.MergeGap = cmp.Or(o.MaxSpan, defaultSpan), cmp.Or(o.MinSpan, defaultMin), cmp.Or(o.MergeGap, defaultGap)
	o.PageSize, o.MaxEvents = cmp.Or(o.PageSize, defaultPage), cmp.Or(o.MaxEvents, defaultEvents)
	o.Hide, o.OnlyApps = slices.Clone(o.Hide), slices.Clone(o.OnlyApps)
	if slices.Contains(o.Hide, nil) || slices.Contains(o.OnlyApps, nil) {
		return o, errors.New("activity: Hide or OnlyApps contains a nil pattern")
	}
	o.Location, o.Browsers = cmp.Or(o.Location, time.UTC), cmp.Or(o.Browsers, defaultBrowsers)
	return o, nil
}

// hides reports whether Hide matches one of the texts.
func (o Options) hides(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return anyMatches(o.Hide, s) })
}

// includesApp reports whether OnlyApps allows an app.
func (o Options) includesApp(app string) bool {
	return len(o.OnlyApps) == 0 || anyMatches(o.OnlyApps, app)
}

func anyMatches(patterns []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(s) })
}
