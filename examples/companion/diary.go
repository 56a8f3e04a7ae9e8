package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/clip"
)

// A kind is what an entry is about.
type kind string

const (
	kindOwner      kind = "owner"      // the owner to the being
	kindReply      kind = "reply"      // the being to the owner: an answer, or of itself
	kindHeard      kind = "heard"      // somebody on QQ
	kindSaid       kind = "said"       // the being on QQ
	kindDid        kind = "did"        // a tool that changed something
	kindTimer      kind = "timer"      // one fired
	kindTask       kind = "task"       // one was to be done
	kindOutdated   kind = "outdated"   // one came too late
	kindBackground kind = "background" // a talk with itself
	kindPatch      kind = "patch"      // a document was mended
	kindReflection kind = "reflection" // a feeling, or what came of a task
	kindReport     kind = "report"     // from the persona on QQ to the owner
	kindNotice     kind = "notice"     // on the owner's device
	kindArchive    kind = "archive"    // a talk was over
	kindFailed     kind = "failed"
)

// An entry is something that happened.
type entry struct {
	At    time.Time `json:"at"` // by the day's clock
	Kind  kind      `json:"kind"`
	Where string    `json:"where,omitempty"` // the chat
	Text  string    `json:"text"`
}

// mostEntries and mostText bound what is kept of a day.
const (
	mostEntries = 2000
	mostText    = 600 // runes of an entry
)

// A diary prints what happens, and keeps the last of it.
type diary struct {
	mu      sync.Mutex
	out     io.Writer
	clock   clock
	entries []entry // oldest first
	earlier int     // that are not kept any more
	mind    string  // what it thought last
	quiet   map[kind]bool
}

func newDiary(out io.Writer, c clock) *diary {
	return &diary{out: out, clock: c, quiet: map[kind]bool{kindArchive: true}}
}

func (d *diary) add(k kind, where, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := entry{At: d.clock.at(time.Now()), Kind: k, Where: where, Text: clip.Ellipsis(fmt.Sprintf(format, args...), mostText)}
	if k == kindBackground && d.mind == where+e.Text {
		return // it sits and thinks the same
	}
	if k == kindBackground {
		d.mind = where + e.Text
	}
	if d.entries = append(d.entries, e); len(d.entries) > mostEntries {
		d.entries = slices.Delete(d.entries, 0, len(d.entries)-mostEntries)
		d.earlier++
	}
	if d.quiet[k] {
		return
	}
	if where != "" {
		where = "[" + where + "] "
	}
	fmt.Fprintf(d.out, "%s %s: %s\n", e.At.Format("15:04"), k, program.Line(where+e.Text, '⏎'))
}

// tells adds what it is given as a kind.
func (d *diary) tells(k kind) func(context.Context, string) error {
	return func(_ context.Context, text string) error {
		d.add(k, "", "%s", text)
		return nil
	}
}

// say prints what is no part of the day.
func (d *diary) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.out, format+"\n", args...)
}

// read gives what is kept, and how much is not.
func (d *diary) read() (entries []entry, earlier int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.entries), d.earlier
}
