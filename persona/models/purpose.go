package models

import "context"

// A Purpose is the reason for a model call. Package social sets it for each of its calls. It is any text; further ones may be
// added.
type Purpose string

// Purposes of package social, and of [Transcribe] and [Speak].
const (
	PurposeJudge      Purpose = "judge"      // whether to take part in a chat, to accept a request, or to report to the owner
	PurposePlan       Purpose = "plan"       // thoughts and plans before a reply
	PurposeReply      Purpose = "reply"      // text for a chat or the owner
	PurposeBackground Purpose = "background" // work whose text is not sent
	PurposeSee        Purpose = "see"        // descriptions of pictures
	PurposeHear       Purpose = "hear"       // transcripts of voice messages
	PurposeSpeak      Purpose = "speak"      // voice messages
)

type purposeKey struct{}

// WithPurpose returns a ctx for model calls with a purpose.
func WithPurpose(ctx context.Context, p Purpose) context.Context {
	return context.WithValue(ctx, purposeKey{}, p)
}

// withDefaultPurpose returns a ctx for model calls with purpose p, unless ctx has another.
func withDefaultPurpose(ctx context.Context, p Purpose) context.Context {
	if PurposeOf(ctx) != "" {
		return ctx
	}
	return WithPurpose(ctx, p)
}

// PurposeOf returns the purpose of the model calls with ctx, or "". The report of [Meter] can sum by it.
func PurposeOf(ctx context.Context) Purpose {
	p, _ := ctx.Value(purposeKey{}).(Purpose)
	return p
}
