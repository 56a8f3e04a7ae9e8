package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/clip"
)

// A kind is the kind of an entry.
type kind string

const (
	kindOwner      kind = "owner"      // from the owner to the bot
	kindReply      kind = "reply"      // from the bot to the owner: an answer or an unprompted message
	kindHeard      kind = "heard"      // from a person on QQ
	kindSaid       kind = "said"       // from the bot on QQ
	kindDid        kind = "did"        // a tool call with effects
	kindTimer      kind = "timer"      // a timer fired
	kindTask       kind = "task"       // a task was due
	kindOutdated   kind = "outdated"   // a task was missed
	kindBackground kind = "background" // a background turn
	kindPatch      kind = "patch"      // a patch of a document
	kindReflection kind = "reflection" // a feeling or the outcome of a task
	kindReport     kind = "report"     // from the bot on QQ to the owner
	kindNotice     kind = "notice"     // a notification on the owner's device
	kindArchive    kind = "archive"    // the end of a conversation
	kindFailed     kind = "failed"
)

// maxEntryText limits the characters of an entry.
const maxEntryText = 600

// An eventLog prints events.
type eventLog struct {
	mu          sync.Mutex
	out         io.Writer
	lang        lang.Language // empty means Chinese
	clock       clock
	lastThought string // the last background entry
	hidden      map[kind]bool
}

func newEventLog(out io.Writer, l lang.Language, c clock) *eventLog {
	return &eventLog{out: out, lang: l, clock: c, hidden: map[kind]bool{kindArchive: true}}
}

func (d *eventLog) add(k kind, where, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := clip.Ellipsis(fmt.Sprintf(format, args...), maxEntryText)
	if k == kindBackground && d.lastThought == where+text {
		return // the same thought as before
	}
	if k == kindBackground {
		d.lastThought = where + text
	}
	if d.hidden[k] {
		return
	}
	if where != "" {
		where = "[" + where + "] "
	}
	fmt.Fprintf(d.out, "%s %s: %s\n", d.clock.at(time.Now()).Format("15:04"), k, program.Line(where+text, '⏎'))
}

// notifier returns a function that adds texts as entries of a kind.
func (d *eventLog) notifier(k kind) func(context.Context, string) error {
	return func(_ context.Context, text string) error {
		d.add(k, "", "%s", d.clock.text(text))
		return nil
	}
}

// printf prints a line that is no entry.
func (d *eventLog) printf(chinese, english string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintln(d.out, d.lang.Sprintf(chinese, english, args...))
}
