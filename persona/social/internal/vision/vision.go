// Package vision lets turns look at the pictures of the messages that they answer.
package vision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/tmc/langchaingo/llms"
)

// Options are the Pictures of package social.
type Options struct {
	Max      int
	MaxBytes int64
	Timeout  time.Duration

	Describe func(ctx context.Context, p persona.Picture) (string, error)

	ContentPart func(p persona.Picture) llms.ContentPart

	Web fetch.Options // how pictures are fetched
}

// Vision fetches pictures, and keeps them as long as the turn. Its methods may be called concurrently.
type Vision struct {
	engine  *engine.Engine
	o       Options
	fetcher *fetch.Fetcher

	seen, unseen atomic.Int64

	mu    sync.Mutex
	turns map[*engine.Turn]map[string][]persona.Picture // by message: what was seen of its pictures
}

// New returns a Vision for the turns of an engine.
func New(e *engine.Engine, o Options) (*Vision, error) {
	if o.Max < 0 || o.MaxBytes < 0 || o.Timeout < 0 {
		return nil, fmt.Errorf("social: Options.Reply.Pictures: Max %d, MaxBytes %d and Timeout %v must not be negative", o.Max, o.MaxBytes, o.Timeout)
	}
	o.Max = cmp.Or(o.Max, 3)
	o.Timeout = min(cmp.Or(o.Timeout, 10*time.Second), cmp.Or(max(e.Options.Turn.Timeout, 0), time.Minute))
	if o.ContentPart == nil {
		o.ContentPart = func(p persona.Picture) llms.ContentPart { return llms.BinaryPart(p.Type, p.Data) }
	}
	o.Web.MaxBytes, o.Web.Timeout = cmp.Or(o.MaxBytes, 3<<20), o.Timeout
	o.Web.Types = []string{"image/png", "image/jpeg", "image/gif", "image/webp"} // what models take
	v := &Vision{engine: e, o: o, turns: map[*engine.Turn]map[string][]persona.Picture{}}
	var err error
	v.fetcher, err = fetch.New(v.o.Web)
	return v, err
}

// Part is what the engine calls.
func (v *Vision) Part() engine.Part {
	return engine.Part{Before: v.look, Show: v.show, Over: v.forget}
}

// Counts are how many pictures turns were shown, or were told of, and how many could not be.
func (v *Vision) Counts() (seen, unseen int64) { return v.seen.Load(), v.unseen.Load() }

// look sees the pictures of the messages to answer, once in a turn. One that can only report answers nothing.
func (v *Vision) look(ctx context.Context, t *engine.Turn) {
	if v.of(t) != nil || t.Rules != "" {
		return
	}
	looked := map[string][]persona.Picture{}
	ctx, stop := context.WithTimeout(ctx, v.o.Timeout)
	defer stop()
	var seeing sync.WaitGroup
	left := v.o.Max
	for _, m := range slices.Backward(t.Living()) {
		seen := slices.Clone(m.Pictures[:min(left, len(m.Pictures))])
		left -= len(seen)
		for i := range seen {
			seeing.Go(func() { seen[i] = v.see(ctx, t.Chat, seen[i].URL) })
		}
		looked[m.Key] = seen
	}
	seeing.Wait()
	v.mu.Lock()
	v.turns[t] = looked
	v.mu.Unlock()
}

// of is what a turn has seen; nil: it has not looked yet.
func (v *Vision) of(t *engine.Turn) map[string][]persona.Picture {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.turns[t]
}

func (v *Vision) forget(t *engine.Turn) {
	v.mu.Lock()
	delete(v.turns, t)
	v.mu.Unlock()
}

// show puts what was seen into a scene. The pictures themselves go to those who read the chat.
func (v *Vision) show(t *engine.Turn, s *prompt.Scene) (parts []llms.ContentPart) {
	looked := v.of(t)
	for i := range s.Recent {
		seen := slices.Clone(looked[s.Recent[i].Key])
		for j := range seen {
			if s.Kind != prompt.SingleCall && s.Kind != prompt.Think {
				seen[j].Data = nil
			}
		}
		s.Recent[i].Pictures = seen
	}
	for _, p := range s.Pictures() {
		parts = append(parts, v.o.ContentPart(p))
	}
	return parts
}

// see gives a picture as the model is shown it; the zero Picture where it cannot be.
func (v *Vision) see(ctx context.Context, c *engine.Chat, url string) persona.Picture {
	file, err := v.fetcher.Get(ctx, url)
	p := persona.Picture{Data: file.Data, Type: file.Type}
	if err == nil && v.o.Describe != nil {
		p, err = v.described(ctx, c, p)
	}
	if err != nil {
		v.unseen.Add(1)
		v.engine.Log.Info("a picture was not seen", "chat", c.ID, "err", err)
		return persona.Picture{}
	}
	v.seen.Add(1)
	return p
}

// described asks what a picture shows. What may not be heard may not be read off a picture either.
func (v *Vision) described(ctx context.Context, c *engine.Chat, p persona.Picture) (_ persona.Picture, err error) {
	defer func() {
		if p := recover(); p != nil {
			v.engine.Log.Error("Pictures.Describe panicked", "panic", p, "stack", string(debug.Stack()))
			err = errors.New("social: Pictures.Describe panicked")
		}
	}()
	text, err := v.o.Describe(ctx, p)
	if err == nil {
		err = ctx.Err() // it came too late
	}
	if err != nil {
		return persona.Picture{}, err
	}
	if _, bad := c.Banned.Banned(text); bad {
		return persona.Picture{}, errors.New("social: what it shows is banned")
	}
	return persona.Picture{Description: strings.TrimSpace(text)}, nil
}
