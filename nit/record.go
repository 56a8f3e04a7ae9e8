package nit

import (
	"context"
	"log/slog"
	"time"
)

// A Record tells the operator of one call. It is not for the model: it says what the model may not learn.
type Record struct {
	Principal                  Principal
	CalledName                 string        // the name that was called, as it came: any text
	Tool                       string        // the tool that answered; empty when none did
	Outcome                    Outcome       // what became of it
	Err                        error         // what Do returned, with its cause, also where Do returned a bare ErrUnknown; nil when Why is Done
	Duration                   time.Duration // how long the tool ran; 0 when it did not
	ConfirmationAsked          bool          // a human was asked, and Took does not count that
	ArgumentBytes, ResultBytes int           // bytes of arguments and of the result before it was cut
}

// A Outcome says what became of a call.
type Outcome string

const (
	OK              Outcome = "done"     // the tool ran and its result was given
	NoSuchTool      Outcome = "absent"   // no tool has this name
	HiddenTier      Outcome = "hidden"   // there is one in a tier that the principal does not see
	WrongMode       Outcome = "off_mode" // there is one that is not shown in this mode
	Disabled        Outcome = "disabled" // there is one, disabled
	Removed         Outcome = "unloaded" // it was removed or disabled, and perhaps came back, since the view was made
	Filtered        Outcome = "narrowed" // it was taken out of the view by Narrow
	Revoked         Outcome = "shed"     // it is gone from the view by Sheds or View.Shed; Call is its name
	ReturnedUnknown Outcome = "disowned" // the tool itself asked to be taken for unknown
	QuotaExceeded   Outcome = "spent"    // the quota of the view, or the registry's
	InvalidArgs     Outcome = "bad_args" // the arguments
	Refused         Outcome = "refused"  // a policy, a human, a guard, or the lack of a redactor
	Replayed        Outcome = "replayed" // the same call was made before, and its outcome was given again
	TimedOut        Outcome = "late"     // the timeout
	Failed          Outcome = "failed"   // the tool, or the redactor
)

// record hands a finished call to the log and to Audit.
func (v *View) record(ctx context.Context, rec Record) {
	for _, audit := range v.audits {
		audit(ctx, rec)
	}
	level := slog.LevelWarn
	if rec.Outcome == OK {
		level = slog.LevelDebug
	}
	if v.log == nil || !v.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("call", rec.CalledName), slog.String("why", string(rec.Outcome)),
		slog.String("mode", rec.Principal.Mode), slog.String("sees", rec.Principal.Tiers.String()),
		slog.String("platform", rec.Principal.Platform), slog.String("person", rec.Principal.Person),
		slog.String("session", rec.Principal.Session), slog.String("turn", rec.Principal.Turn),
		slog.Duration("took", rec.Duration), slog.Bool("asked", rec.ConfirmationAsked), slog.Int("bytes_in", rec.ArgumentBytes), slog.Int("bytes_out", rec.ResultBytes),
	}
	if e, ok := rec.Err.(*callError); ok && e.cause != nil {
		attrs = append(attrs, slog.String("cause", e.cause.Error()))
	} else if ok && e.detail != "" {
		attrs = append(attrs, slog.String("cause", e.detail))
	}
	v.log.LogAttrs(ctx, level, "tool call", attrs...)
}
