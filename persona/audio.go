package persona

import "context"

// An Audio is a recording of speech.
type Audio struct {
	Data []byte
	Type string // media type of Data, such as "audio/mpeg"; "" if unknown
}

// A Transcriber turns speech into text. It may be called concurrently.
type Transcriber interface {
	// Transcribe returns the spoken words, or "" if there are none. They are untrusted data.
	Transcribe(ctx context.Context, a Audio) (string, error)
}

// A Voicer turns text into speech. It may be called concurrently.
type Voicer interface {
	// Speak returns the spoken text.
	Speak(ctx context.Context, text string) (Audio, error)
}

// A TranscriberFunc is a [Transcriber].
type TranscriberFunc func(ctx context.Context, a Audio) (string, error)

// Transcribe implements [Transcriber].
func (f TranscriberFunc) Transcribe(ctx context.Context, a Audio) (string, error) { return f(ctx, a) }

// A VoicerFunc is a [Voicer].
type VoicerFunc func(ctx context.Context, text string) (Audio, error)

// Speak implements [Voicer].
func (f VoicerFunc) Speak(ctx context.Context, text string) (Audio, error) { return f(ctx, text) }
