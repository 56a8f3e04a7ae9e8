package nit

import (
	"context"
	"log/slog"
	"time"
)

// A Record tells the operator of one call. It is not for the model: it says what the model may not learn.
type Record struct {
	Principal Principal
	Call      string        // the name that was called, as it came: any text
	Tool      string        // the tool that answered; empty when none did
	Why       Why           // what became of it
	Err       error         // what Do returned, with its cause, also where Do returned a bare ErrUnknown; nil when Why is Done
	Took      time.Duration // how long the tool ran; 0 when it did not
	Asked     bool          // a human was asked, and Took does not count that
	In, Out   int           // bytes of arguments and of the result before it was cut
}

// A Why says what became of a call.
type Why string

const (
	Done     Why = "done"     // the tool ran and its result was given
	Absent   Why = "absent"   // no tool has this name
	Hidden   Why = "hidden"   // there is one in a tier that the principal does not see
	OffMode  Why = "off_mode" // there is one that is not shown in this mode
	Disabled Why = "disabled" // there is one, disabled
	Unloaded Why = "unloaded" // it was removed or disabled, and perhaps came back, since the view was made
	Narrowed Why = "narrowed" // it was taken out of the view by Narrow
	Shed     Why = "shed"     // it is gone from the view by Sheds or View.Shed; Call is its name
	Disowned Why = "disowned" // the tool itself asked to be taken for unknown
	Spent    Why = "spent"    // the quota of the view, or the registry's
	BadArgs  Why = "bad_args" // the arguments
	Refused  Why = "refused"  // a policy, a human, a guard, or the lack of a redactor
	Replayed Why = "replayed" // the same call was made before, and its outcome was given again
	Late     Why = "late"     // the timeout
	Failed   Why = "failed"   // the tool, or the redactor
)

// record hands a finished call to the log and to Audit.
func (v *View) record(ctx context.Context, rec Record) {
	for _, audit := range v.audits {
		audit(ctx, rec)
	}
	level := slog.LevelWarn
	if rec.Why == Done {
		level = slog.LevelDebug
	}
	if v.log == nil || !v.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("call", rec.Call), slog.String("why", string(rec.Why)),
		slog.String("mode", rec.Principal.Mode), slog.String("sees", rec.Principal.Sees.String()),
		slog.String("platform", rec.Principal.Platform), slog.String("person", rec.Principal.Person),
		slog.String("session", rec.Principal.Session), slog.String("turn", rec.Principal.Turn),
		slog.Duration("took", rec.Took), slog.Bool("asked", rec.Asked), slog.Int("bytes_in", rec.In), slog.Int("bytes_out", rec.Out),
	}
	if e, ok := rec.Err.(*callError); ok && e.cause != nil {
		attrs = append(attrs, slog.String("cause", e.cause.Error()))
	} else if ok && e.detail != "" {
		attrs = append(attrs, slog.String("cause", e.detail))
	}
	v.log.LogAttrs(ctx, level, "tool call", attrs...)
}
