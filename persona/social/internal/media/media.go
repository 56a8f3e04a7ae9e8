// Package media opens the parts of messages for the turns that answer them: it looks at pictures, listens to voice messages,
// and reads forwards, files and quoted messages.
package media

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/tmc/langchaingo/llms"
)

// Options configure an Opener. They are documented in package social.
type Options struct {
	Pictures    *Pictures // nil leaves pictures as they are
	Transcriber persona.Transcriber
	Web         fetch.Options // options of the fetchers
}

// Pictures configure how pictures are shown.
type Pictures struct {
	Max         int
	MaxBytes    int64
	Timeout     time.Duration
	Describe    func(ctx context.Context, p persona.Picture) (string, error)
	ContentPart func(p persona.Picture) llms.ContentPart
}

// An Opener opens the parts of messages, once a turn. Its methods may be called concurrently.
type Opener struct {
	engine                *engine.Engine
	pictureOptions        *Pictures // with defaults; nil: none
	transcriber           persona.Transcriber
	timeout               time.Duration
	pictures, audio, text *fetch.Fetcher

	loaded, failed           atomic.Int64 // pictures
	partsOpened, partsFailed atomic.Int64 // other parts

	mu    sync.Mutex
	turns map[*engine.Turn]bool // their parts are opened
}

const (
	defaultTimeout = 10 * time.Second
	hearTimeout    = 30 * time.Second // with a transcriber
)

// New returns an Opener for the turns of an engine.
func New(e *engine.Engine, o Options) (*Opener, error) {
	op := &Opener{engine: e, transcriber: o.Transcriber, turns: map[*engine.Turn]bool{}, timeout: defaultTimeout}
	if hear := e.Models.For(models.PurposeHear); hear != nil {
		op.transcriber = persona.TranscriberFunc(func(ctx context.Context, a persona.Audio) (string, error) {
			return models.Transcribe(ctx, hear, a.Data, a.Type)
		})
	}
	if op.transcriber != nil {
		op.timeout = hearTimeout
	}
	web := o.Web
	if o.Pictures != nil {
		if err := op.setPictures(*o.Pictures); err != nil {
			return nil, err
		}
		web.MaxBytes = op.pictureOptions.MaxBytes
	}
	op.timeout = min(op.timeout, cmp.Or(max(e.Options.Turn.Timeout, 0), time.Minute))
	web.Timeout = op.timeout
	web.Types = []string{"image/png", "image/jpeg", "image/gif", "image/webp"} // formats that models accept
	err := op.setFetchers(web)
	return op, err
}

// setFetchers creates the fetchers for pictures, voice messages and text files.
func (o *Opener) setFetchers(web fetch.Options) (err error) {
	if o.pictures, err = fetch.New(web); err != nil {
		return err
	}
	web.AnyType, web.MaxBytes = true, maxAudio
	if o.audio, err = fetch.New(web); err != nil {
		return err
	}
	web.Truncate, web.MaxBytes = true, maxExcerpt+4 // a last character may be cut
	o.text, err = fetch.New(web)
	return err
}

// Part returns the callbacks for the engine.
func (o *Opener) Part() engine.Part {
	return engine.Part{BeforeScene: o.openAll, EditScene: o.show, Cleanup: o.release}
}

// Counts returns the counts since the start.
func (o *Opener) Counts() engine.Opened {
	return engine.Opened{Pictures: o.loaded.Load(), PicturesFailed: o.failed.Load(), Parts: o.partsOpened.Load(), PartsFailed: o.partsFailed.Load()}
}

// openAll opens the parts of the messages that a turn answers, once a turn. Turns that only report or judge answer nothing.
func (o *Opener) openAll(ctx context.Context, t *engine.Turn) {
	if t.Rules != "" || t.Caller.Key == "" || o.begin(t) {
		return
	}
	engine.SetOpened(ctx, t, o.open(ctx, t))
}

// open returns the messages whose parts were opened, by key.
func (o *Opener) open(ctx context.Context, t *engine.Turn) map[string]persona.Message {
	ctx, stop := context.WithTimeout(engine.WithTurn(ctx, t), o.timeout) // the cost counts for the chat
	defer stop()
	r := &run{Opener: o, turn: t, left: limits{voices: maxVoices, files: maxFiles, quotes: maxQuotes, forwarded: maxForwarded, forwardBytes: maxBytes}}
	if o.pictureOptions != nil {
		r.left.pictures = o.pictureOptions.Max
	}
	var wg sync.WaitGroup
	for _, m := range slices.Backward(t.RemainingItems()) { // the newest first, while the limits last
		one := &message{Message: m}
		r.messages = append(r.messages, one)
		for _, job := range r.plan(ctx, one) {
			wg.Go(job)
		}
	}
	r.openForwards(ctx)
	wg.Wait()
	return r.finish()
}

// begin reports whether the parts of a turn have been opened before.
func (o *Opener) begin(t *engine.Turn) (again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	again = o.turns[t]
	o.turns[t] = true
	return again
}

func (o *Opener) release(t *engine.Turn) {
	o.mu.Lock()
	delete(o.turns, t)
	o.mu.Unlock()
}

// show adds the pictures of a scene to the prompt. Only prompts that read the chat get the data, and none without options for
// pictures.
func (o *Opener) show(_ *engine.Turn, s *prompt.Scene) (parts []llms.ContentPart) {
	if o.pictureOptions == nil || s.Kind != prompt.SingleCall && s.Kind != prompt.Think {
		s.Recent = slices.Clone(s.Recent)
		for i := range s.Recent {
			withoutData(&s.Recent[i])
		}
		return nil
	}
	for _, p := range s.Pictures() {
		parts = append(parts, o.pictureOptions.ContentPart(p))
	}
	return parts
}

// withoutData removes the data of pictures from a message and its quote.
func withoutData(m *persona.Message) {
	strip := func(parts []persona.Part) []persona.Part {
		parts = slices.Clone(parts)
		for i := range parts {
			if p, ok := parts[i].(persona.Picture); ok {
				p.Data = nil
				parts[i] = p
			}
		}
		return parts
	}
	m.Parts = strip(m.Parts)
	if m.Quote != nil {
		q := *m.Quote
		q.Parts = strip(q.Parts)
		m.Quote = &q
	}
}

// count counts the result of opening a part, and logs a failure.
func (o *Opener) count(chat persona.Chat, part string, err error) {
	if err == nil {
		o.partsOpened.Add(1)
		return
	}
	o.partsFailed.Add(1)
	o.engine.Log.Info("could not open a part of a message", "chat", chat, "part", part, "err", err)
}
