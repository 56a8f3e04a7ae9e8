package nit

import (
	"context"
	"log/slog"
	"time"
)

// A Record describes one finished call to the operator. Do not show it to the model: it reveals hidden tools.
type Record struct {
	Principal                  Principal
	CalledName                 string        // requested name, unchecked text
	Tool                       string        // tool that answered; empty if none did
	Outcome                    Outcome       // outcome of the call
	Err                        error         // error with its cause, also if Do returned a bare ErrUnknownTool; nil if the outcome is OK
	Duration                   time.Duration // run time of the tool; 0 if it did not run
	ConfirmationAsked          bool          // a human was asked; Took excludes the wait
	ArgumentBytes, ResultBytes int           // bytes of the arguments and of the result before truncation
}

// A Outcome is the outcome of a call.
type Outcome string

const (
	OK              Outcome = "done"     // the tool ran and returned a result
	NoSuchTool      Outcome = "absent"   // no tool has this name
	HiddenTier      Outcome = "hidden"   // the tool is in a tier that the principal does not see
	WrongMode       Outcome = "off_mode" // the tool is not shown in this mode
	Disabled        Outcome = "disabled" // the tool is disabled
	Removed         Outcome = "unloaded" // the tool was removed, disabled or replaced after the view was made
	Filtered        Outcome = "narrowed" // Filter took the tool out of the view
	Revoked         Outcome = "shed"     // the tool was revoked by RevokesAfterUse or View.Revoke
	ReturnedUnknown Outcome = "disowned" // the tool itself returned ErrUnknownTool
	QuotaExceeded   Outcome = "spent"    // the quota of the view or of the registry is used up
	InvalidArgs     Outcome = "bad_args" // the arguments are invalid
	Refused         Outcome = "refused"  // by a policy, a human, a guard, or for lack of a redactor
	Replayed        Outcome = "replayed" // a repeated call got the result of the first one
	TimedOut        Outcome = "late"     // the tool exceeded its time limit
	Failed          Outcome = "failed"   // the tool or the redactor failed
)

// record reports a finished call to the audits and the log.
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
