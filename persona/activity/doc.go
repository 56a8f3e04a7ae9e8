// Package activity is a client for ActivityWatch (https://activitywatch.net). It reports to a bot what its owner did on the
// computer: apps and window titles, web pages and edited files, without the time away from the keyboard.
//
//	client, err := activity.NewClient("", activity.Options{
//		Hide:     []*regexp.Regexp{regexp.MustCompile(`(?i)bank|银行|keepass`)},
//		Location: time.Local,
//	})
//	delta, err := client.Delta(ctx, cursor, time.Now())
//	if err == nil && handle(delta.Text) == nil {
//		cursor = delta.Until
//	}
//
// [Client.Intervals] returns the same activity as a list. The list separates apps and times from titles and addresses, because
// strangers write titles and addresses.
//
// A [Client] uses the REST API of the server: /api/0/info, /api/0/buckets/ and /api/0/buckets/<id>/events. It reads the buckets
// of the types currentwindow, afkstatus, web.tab.current and app.editor.activity of all hosts. It merges adjacent intervals
// with the same app and title. Pages count only while a browser is in front. The text is Chinese and has a maximum length. If
// it is too long, the shortest activities are left out, and the last line says how many.
//
// # Privacy
//
// The client reports no private windows and pages and nothing that matches [Options.Hide]. It also leaves out what would reveal
// them: a browser window is hidden with the hidden page in it. It reports only the host of a URL and only the last
// element of the path of a file or project.
//
// # Errors
//
// [ErrUnreachable]: the server does not answer. [ErrNotActivityWatch]: the server is not ActivityWatch. [ErrNoBucket] and [*APIError]: the
// server rejected the request. [ErrTooManyEvents]: a bucket has more than [Options.MaxEvents].
//
// # Time
//
// Times in the text are in [Options.Location]. Only [Client.Intervals] reads the clock. A call waits at most 10 s for each
// response. A watcher may report an event some seconds late. If the cursor has passed the event by then, it is lost.
//
// # Concurrency
//
// All methods may be called concurrently. The package starts no goroutines and keeps no connections open.
//
// # Caveats
//
// Strangers write titles. The client puts each on one line, but their content remains untrusted. Heartbeats with duration 0 are
// dropped. Chrome does not mark incognito windows in their titles, and its extension does not run in them by default. Hide
// such windows by app, or in ActivityWatch itself.
package activity
