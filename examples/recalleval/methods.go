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

// maxResults limits the results of a question.
const maxResults = 10

// A method indexes records, then answers questions.
type method interface {
	add(ctx context.Context, recs []memory.Record) error
	ready(ctx context.Context) error // called after the last add
	ask(ctx context.Context, now time.Time, s memory.Space, text string) ([]string, error)
}

type namedMethod struct {
	name string
	open func() (method, error)
}

var methods = []namedMethod{
	{"bm25", func() (method, error) {
		return &indexOnly{memory.NewLexicalIndex(memory.LexicalOptions{NeighborWeight: -1})}, nil
	}},
	{"neighbours", func() (method, error) { return &indexOnly{memory.NewLexicalIndex(memory.LexicalOptions{})}, nil }},
	{"vectors", func() (method, error) { return &hashedVectors{indexOnly{flat.New()}}, nil }},
	{"default", func() (method, error) {
		m, err := memory.New(memory.NewMemStore(), memory.Options{})
		return &fullMemory{m}, err
	}},
}

func names() (ns []string) {
	for _, m := range methods {
		ns = append(ns, m.name)
	}
	return ns
}

// pick returns the methods with these names.
func pick(list string) ([]namedMethod, error) {
	var chosen []namedMethod
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(methods, func(m namedMethod) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("method %q: there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, methods[i])
	}
	return chosen, nil
}

// indexOnly is an index without a Memory.
type indexOnly struct{ memory.Index }

func (b *indexOnly) add(ctx context.Context, recs []memory.Record) error { return b.Put(ctx, recs...) }
func (b *indexOnly) ready(context.Context) error                         { return nil }

func (b *indexOnly) ask(ctx context.Context, _ time.Time, s memory.Space, text string) ([]string, error) {
	return ids(b.Search(ctx, s, memory.Query{Text: text}, maxResults))
}

func ids(cs []memory.Candidate, err error) ([]string, error) {
	found := make([]string, len(cs))
	for i, c := range cs {
		found[i] = c.ID
	}
	return found, err
}

// hashedVectors is an index of hashed vectors.
type hashedVectors struct{ indexOnly }

func (a *hashedVectors) add(ctx context.Context, recs []memory.Record) error {
	for i, r := range recs {
		recs[i].Vector = hashed(r.Name + " " + r.Text)
	}
	return a.Put(ctx, recs...)
}

func (a *hashedVectors) ask(ctx context.Context, _ time.Time, s memory.Space, text string) ([]string, error) {
	return ids(a.Search(ctx, s, memory.Query{Vector: hashed(text)}, maxResults))
}

// fullMemory is a Memory as a host uses it.
type fullMemory struct{ *memory.Memory }

func (w *fullMemory) add(ctx context.Context, recs []memory.Record) error {
	return w.Put(ctx, recs...)
}
func (w *fullMemory) ready(ctx context.Context) error { return w.Preload(ctx) }

func (w *fullMemory) ask(ctx context.Context, now time.Time, s memory.Space, text string) (ids []string, err error) {
	hits, err := w.Reader(s).Recall(ctx, now, memory.Query{Text: text, Limit: maxResults})
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids, err
}
