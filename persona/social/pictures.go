package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
)

// Pictures let a turn see the pictures of the messages that it answers. The zero value is for a model with vision.
//
// The bot fetches only pictures in [persona.Message].Parts of the messages that a turn answers, and of the messages that
// these quote. It fetches PNG, JPEG, GIF and WebP by http and https from public addresses. So a URL of a stranger cannot
// reach the machine or its network. A turn fetches each picture once and does not keep it. A retried batch fetches it
// again. After a restart messages come from the journal without pictures. A picture that cannot be fetched stays the
// text [图片].
//
// The picture goes into the calls that read the chat: the single call, or the thought of [ThinkPlanReply]. Plan and
// reply are based on that thought. The picture does not count towards [TurnOptions.ContextTokens]. If the provider
// does not report its cost, it counts as 1,000 tokens. The text of Describe goes into all calls and into the journal.
type Pictures struct {
	Max      int   // pictures per turn, of the newest messages first; 0 means 3
	MaxBytes int64 // of one picture; 0 means 3 MiB, which is 4 MiB as base64
	// Timeout limits the time to open all parts of the messages of a turn, with Describe and Reply.Transcriber. 0 means 10 s,
	// or 30 s with a Transcriber, and no more than the turn has.
	Timeout time.Duration

	// Describe puts a picture into words, for a model without vision. It gets Data and Type. It is called for several
	// pictures at the same time. Its result is cut to 500 characters and is untrusted data. It should honour ctx,
	// because the turn waits for it. The bot does not meter its model calls; it meters those of Options.Models.See.
	Describe func(ctx context.Context, p persona.Picture) (string, error)

	// ContentPart converts a picture to a part of a prompt. Nil means llms.BinaryContent, which langchaingo's clients
	// for Anthropic, Google and Ollama accept. Its client for OpenAI needs llms.ImageURLPart(p.DataURL()). It is not
	// used with Describe. With Options.Models.See it is for that model.
	ContentPart func(p persona.Picture) llms.ContentPart

	web fetch.Options // for tests: Resolve and Connect
}
