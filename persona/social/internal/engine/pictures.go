package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
)

// Pictures are documented in package social.
type Pictures struct {
	Max      int
	MaxBytes int64
	Timeout  time.Duration

	Describe func(ctx context.Context, p persona.Picture) (string, error)

	Part func(p persona.Picture) llms.ContentPart

	Web fetch.Options // how pictures are fetched
}

func (o *Pictures) check() error {
	if o != nil && (o.Max < 0 || o.MaxBytes < 0 || o.Timeout < 0) {
		return fmt.Errorf("social: Options.Pictures: Max %d, MaxBytes %d and Timeout %v must not be negative", o.Max, o.MaxBytes, o.Timeout)
	}
	return nil
}

// eyes are Pictures as they are used.
type eyes struct {
	Pictures
	fetcher *fetch.Fetcher
}

func newEyes(o Options) (*eyes, error) {
	if o.Pictures == nil {
		return nil, nil
	}
	e := &eyes{Pictures: *o.Pictures}
	e.Max = cmp.Or(e.Max, 3)
	e.Timeout = min(cmp.Or(e.Timeout, 10*time.Second), cmp.Or(max(o.Turn.Timeout, 0), time.Minute))
	if e.Part == nil {
		e.Part = func(p persona.Picture) llms.ContentPart { return llms.BinaryPart(p.Type, p.Data) }
	}
	e.Web.MaxBytes, e.Web.Timeout = cmp.Or(e.MaxBytes, 3<<20), e.Timeout
	e.Web.Types = []string{"image/png", "image/jpeg", "image/gif", "image/webp"} // what models take
	var err error
	e.fetcher, err = fetch.New(&e.Web)
	return e, err
}

// parts are the pictures that a scene numbers.
func (e *eyes) parts(s persona.Scene) (parts []llms.ContentPart) {
	for _, p := range s.Pictures() {
		parts = append(parts, e.Part(p))
	}
	return parts
}

// look sees the pictures of the messages to answer, once in a turn. One that can only report answers nothing.
func (t *Turn) look(ctx context.Context) {
	e := t.Engine.eyes
	if e == nil || t.looked != nil || t.Rules != "" {
		return
	}
	t.looked = map[string][]persona.Picture{}
	ctx, stop := context.WithTimeout(ctx, e.Timeout)
	defer stop()
	var seeing sync.WaitGroup
	left := e.Max
	for _, m := range slices.Backward(t.Living()) {
		seen := slices.Clone(m.Pictures[:min(left, len(m.Pictures))])
		left -= len(seen)
		for i := range seen {
			seeing.Go(func() { seen[i] = t.see(ctx, seen[i].URL) })
		}
		t.looked[m.Key] = seen
	}
	seeing.Wait()
}

// show puts what was seen into a scene; whole: the pictures themselves, too.
func (t *Turn) show(s *persona.Scene, whole bool) {
	for i := range s.Recent {
		seen := slices.Clone(t.looked[s.Recent[i].Key])
		for j := range seen {
			if !whole {
				seen[j].Data = nil
			}
		}
		s.Recent[i].Pictures = seen
	}
}

// see gives a picture as the model is shown it; the zero Picture where it cannot be.
func (t *Turn) see(ctx context.Context, url string) persona.Picture {
	e, b := t.Engine.eyes, t.Engine
	file, err := e.fetcher.Get(ctx, url)
	p := persona.Picture{Data: file.Data, Type: file.Type}
	if err == nil && e.Describe != nil {
		p, err = t.described(ctx, p)
	}
	if err != nil {
		b.Counters.Unseen.Add(1)
		b.Log.Info("a picture was not seen", "chat", t.Chat.ID, "err", err)
		return persona.Picture{}
	}
	b.Counters.Pictures.Add(1)
	return p
}

// described asks what a picture shows. What may not be heard may not be read off a picture either.
func (t *Turn) described(ctx context.Context, p persona.Picture) (_ persona.Picture, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.Engine.Log.Error("Pictures.Describe panicked", "panic", p, "stack", string(debug.Stack()))
			err = errors.New("social: Pictures.Describe panicked")
		}
	}()
	text, err := t.Engine.eyes.Describe(ctx, p)
	if err == nil {
		err = ctx.Err() // it came too late
	}
	if err != nil {
		return persona.Picture{}, err
	}
	if t.Chat.Bans(text) {
		return persona.Picture{}, errors.New("social: what it shows is banned")
	}
	return persona.Picture{Text: strings.TrimSpace(text)}, nil
}

func (r *Chat) Bans(text string) bool {
	if r.Banned == nil {
		return false
	}
	_, bad := r.Banned.Banned(text)
	return bad
}
