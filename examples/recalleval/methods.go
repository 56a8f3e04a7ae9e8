package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
)

// asked is how many places a question has.
const asked = 10

// A method takes what was said, then answers questions.
type method interface {
	keep(ctx context.Context, recs []memory.Record) error
	ready(ctx context.Context) error // all was said
	ask(ctx context.Context, now time.Time, s memory.Space, text string) ([]string, error)
}

type named struct {
	name string
	open func() (method, error)
}

var methods = []named{
	{"bm25", func() (method, error) {
		return &bare{memory.NewLexicalIndex(memory.LexicalOptions{NeighborWeight: -1})}, nil
	}},
	{"neighbours", func() (method, error) { return &bare{memory.NewLexicalIndex(memory.LexicalOptions{})}, nil }},
	{"vectors", func() (method, error) { return &angles{bare: bare{flat.New()}}, nil }},
	{"default", func() (method, error) {
		m, err := memory.New(memory.NewMemStore(), memory.Options{})
		return &whole{m}, err
	}},
}

func names() (ns []string) {
	for _, m := range methods {
		ns = append(ns, m.name)
	}
	return ns
}

// pick finds methods by their names.
func pick(list string) ([]named, error) {
	var chosen []named
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(methods, func(m named) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("method %q: there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, methods[i])
	}
	return chosen, nil
}

// bare is an index alone.
type bare struct{ memory.Index }

func (b *bare) keep(ctx context.Context, recs []memory.Record) error { return b.Put(ctx, recs...) }
func (b *bare) ready(context.Context) error                          { return nil }

func (b *bare) ask(ctx context.Context, _ time.Time, s memory.Space, text string) ([]string, error) {
	return ids(b.Search(ctx, s, memory.Query{Text: text}, asked))
}

func ids(cs []memory.Candidate, err error) ([]string, error) {
	found := make([]string, len(cs))
	for i, c := range cs {
		found[i] = c.ID
	}
	return found, err
}

// angles is an index of hashed vectors.
type angles struct{ bare }

func (a *angles) keep(ctx context.Context, recs []memory.Record) error {
	for i, r := range recs {
		recs[i].Vector = hashed(r.Name + " " + r.Text)
	}
	return a.Put(ctx, recs...)
}

func (a *angles) ask(ctx context.Context, _ time.Time, s memory.Space, text string) ([]string, error) {
	return ids(a.Search(ctx, s, memory.Query{Vector: hashed(text)}, asked))
}

// whole is a Memory, as a host has it.
type whole struct{ *memory.Memory }

func (w *whole) keep(ctx context.Context, recs []memory.Record) error { return w.Put(ctx, recs...) }
func (w *whole) ready(ctx context.Context) error                      { return w.Preload(ctx) }

func (w *whole) ask(ctx context.Context, now time.Time, s memory.Space, text string) (ids []string, err error) {
	hits, err := w.Reader(s).Recall(ctx, now, memory.Query{Text: text, Limit: asked})
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids, err
}
