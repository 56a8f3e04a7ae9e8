package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

const (
	maxAudio      = 10 << 20 // bytes of a voice message
	maxTranscript = 2000     // runes
)

// listen returns a voice message with its words: the platform's transcript, or that of the transcriber. It returns nil if there
// is none.
func (r *run) listen(ctx context.Context, m persona.Message, v persona.Voice) persona.Part {
	opened, err := openPart(ctx, r, m, v)
	if err != nil && r.transcriber != nil && (v.URL != "" || v.Audio.Data != nil) {
		opened, err = v, nil // the event has the recording
	}
	if err == nil && opened.Transcript == "" {
		if r.transcriber == nil {
			return nil // as without a transcript of the platform
		}
		opened.Transcript, err = r.transcribe(ctx, opened)
	}
	if err == nil && strings.TrimSpace(opened.Transcript) == "" {
		err = errors.New("social: the voice message has no words")
	}
	r.count(r.turn.Chat.ID, "voice", err)
	if err != nil {
		return nil
	}
	v.Transcript = clip.Ellipsis(strings.TrimSpace(opened.Transcript), maxTranscript)
	return v
}

// transcribe asks the transcriber.
func (r *run) transcribe(ctx context.Context, v persona.Voice) (text string, err error) {
	if v.Audio.Data == nil {
		if v.URL == "" {
			return "", errors.New("social: the platform gave neither a transcript nor a recording")
		}
		file, err := r.audio.Get(ctx, v.URL)
		if err != nil {
			return "", err
		}
		v.Audio = persona.Audio{Data: file.Data, Type: file.Type}
	}
	if n := len(v.Audio.Data); n > maxAudio {
		return "", fmt.Errorf("social: the recording has %d bytes, more than %d", n, maxAudio)
	}
	defer func() {
		if p := recover(); p != nil {
			r.engine.Log.Error("the Transcriber panicked", "panic", p, "stack", string(debug.Stack()))
			err = errors.New("social: the Transcriber panicked")
		}
	}()
	text, err = r.transcriber.Transcribe(ctx, v.Audio)
	return text, cmp.Or(err, ctx.Err()) // too late
}
