package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
)

// Pictures let a turn look at the pictures of the messages that it answers. The zero value is for a model that sees.
//
// Only what a link tells as a picture of a message ([persona.Message.Pictures]) is fetched, when a turn that may speak
// has begun: http and https, from public addresses, PNG, JPEG, GIF and WebP. It is fetched once in a turn and not kept: a
// batch that comes again is looked at again, and after a restart, when the messages come from the journal, not at all. A
// picture that is not seen, for whatever reason, stays the [图片] of its message's text.
//
// A picture itself goes to the calls that read the chat: the single call, or the thought of [ThinkPlanReply], whose plan
// and words go by that thought. It stands beside [TurnOptions.ContextTokens]; where the provider does not tell what it cost it
// counts as 1000 tokens. What Describe says of it goes to all parts.
type Pictures struct {
	Max      int           // that a turn looks at, those of the newest messages first; 0 means 3
	MaxBytes int64         // of one; 0 means 3 MiB, 4 MiB as base64
	Timeout  time.Duration // for all of a turn's, what Describe does among it; 0 means 10 s, and no more than a turn has

	// Describe tells what a picture shows, for a model that does not see. It is given Data and Type, and called for
	// several at once; what it says is cut at 500 characters, and data as what people say. It should honour its context,
	// for it is waited for. The model calls that it makes are its own: no meter of the being counts them.
	Describe func(ctx context.Context, p persona.Picture) (string, error)

	// ContentPart makes a part of a prompt of a picture; nil makes llms.BinaryContent, which langchaingo's clients for Anthropic, Google
	// and Ollama take. Its client for OpenAI takes llms.ImageURLPart(p.DataURL()). Not used with Describe.
	ContentPart func(p persona.Picture) llms.ContentPart

	web fetch.Options // for tests: Resolve and Connect
}
