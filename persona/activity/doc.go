// Package activity tells what the owner of a machine has been doing, as ActivityWatch (https://activitywatch.net) has
// seen it: which windows were in front, which pages were read, which files were edited, without the time away.
//
//	watch, err := activity.NewClient("", activity.Options{
//		Hide:     []*regexp.Regexp{regexp.MustCompile(`(?i)bank|银行|keepass`)},
//		Location: time.Local,
//	})
//	news, err := watch.News(ctx, mark, time.Now())
//	if err == nil && talk(news.Text) == nil {
//		mark = news.Until
//	}
//
// [Client.Intervals] are the same uses one by one: apps and times, which only the owner decides, apart from titles and addresses,
// which strangers write.
//
// [Client] reads the server's REST API: /api/0/info, /api/0/buckets/ and /api/0/buckets/<id>/events. It takes the buckets of
// the types currentwindow, afkstatus, web.tab.current and app.editor.activity, of every host. What goes on in one app
// with the same title is joined; pages count only while a browser is in front. The text is Chinese and bounded; the
// least of the day is left out first, and how much that is is said.
//
// # What is not told
//
// Private windows and pages, whatever [Options].Hide matches, and what was open at the same time and would show it:
// a window of a browser goes with the hidden page that was open in it. Of a URL only the host is told, of a file and a project
// only the last part of the path.
//
// # Errors
//
// [ErrUnreachable]: nothing answers. [ErrNotActivityWatch]: what answers is no ActivityWatch. [ErrNoBucket] and [*APIError]: it refuses.
// [ErrTooManyEvents]: more events than are read.
//
// # Time
//
// Times that are told are in [Options].Location. Nothing here reads a clock but [Client.Intervals]. A call waits at most 10 s for
// each answer. A watcher may report a few seconds late: what it then reports of before the mark is not seen.
//
// # Concurrency
//
// All methods may be called concurrently. No goroutine is started, and no connection is kept.
//
// # Caveats
//
// Titles are written by strangers: they are made one line each, and are still data. Heartbeats that lasted no time at all
// are left out. Chrome does not say in the titles of its windows that they are incognito, and its extension is not there by
// default: who uses such windows has to hide them by app, or in ActivityWatch itself.
package activity
