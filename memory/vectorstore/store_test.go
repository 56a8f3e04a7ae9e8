package vectorstore_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory/vectorstore"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// A fakeServer stores collections in memory like langchaingo's stores: own IDs, no upsert, ties in random order,
// duplicates kept. It records its input.
type fakeServer struct {
	mu          sync.Mutex
	collections map[string][]doc
	seen        []string // all texts and metadata values
	options     int      // calls with options
	n           int
	rng         *rand.Rand
	most        int   // maximum documents per result; 0: no limit
	fails       error // returned by every call
	distance    bool  // scores are distances
	asked       []int
	deleted     []vectorstore.Document // arguments of delete
}

type doc struct {
	id, text string
	vector   []float32
}

func newServer() *fakeServer {
	return &fakeServer{collections: map[string][]doc{}, rng: rand.New(rand.NewPCG(1, 2))}
}

// open is an argument for New.
func (s *fakeServer) open(_ context.Context, name string) (vectorstores.VectorStore, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, name)
	s.collections[name] = nil
	return &collection{s, name, vectorstore.Embedder{}}, s.fails
}

func (s *fakeServer) delete(_ context.Context, name string, docs []vectorstore.Document) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return s.fails
	}
	s.deleted = append(s.deleted, docs...)
	s.collections[name] = slices.DeleteFunc(s.collections[name], func(d doc) bool {
		return slices.Contains(docs, vectorstore.Document{Key: d.text, ID: d.id}) || slices.Contains(docs, vectorstore.Document{Key: d.text})
	})
	return nil
}

func (s *fakeServer) size() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, docs := range s.collections {
		n += len(docs)
	}
	return n
}

type collection struct {
	*fakeServer
	name     string
	embedder embeddings.Embedder
}

func (c *collection) AddDocuments(ctx context.Context, docs []schema.Document, o ...vectorstores.Option) ([]string, error) {
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.PageContent
		d.Metadata["content"] = d.PageContent // like the store for Redis
	}
	vectors, err := c.embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.named(o)
	ids := make([]string, len(docs))
	for i, d := range docs {
		c.n++
		ids[i] = fmt.Sprint("doc ", c.n)
		c.seen = append(c.seen, d.PageContent)
		c.collections[name] = append(c.collections[name], doc{ids[i], d.PageContent, slices.Clone(vectors[i])})
		if c.fails != nil { // half of the call has taken effect
			return nil, c.fails
		}
	}
	return ids, nil
}

func (c *collection) SimilaritySearch(ctx context.Context, query string, n int, o ...vectorstores.Option) ([]schema.Document, error) {
	v, err := c.embedder.EmbedQuery(ctx, query)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails != nil {
		return nil, c.fails
	}
	c.asked = append(c.asked, n)
	var out []schema.Document
	for _, d := range c.collections[c.named(o)] {
		if len(d.vector) != len(v) {
			return nil, errors.New("dimensions differ")
		}
		var dot float32
		for i := range v {
			dot += v[i] * d.vector[i]
		}
		out = append(out, schema.Document{PageContent: d.text, Metadata: map[string]any{"id": d.id}, Score: dot})
	}
	c.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	slices.SortStableFunc(out, func(a, b schema.Document) int { return cmp.Compare(b.Score, a.Score) })
	if c.most > 0 {
		n = min(n, c.most)
	}
	out = out[:min(n, len(out))]
	for i := range out {
		if c.distance {
			out[i].Score = 1 - out[i].Score
		}
	}
	return out, nil
}

func (c *collection) named(o []vectorstores.Option) string {
	all := vectorstores.Options{}
	for _, f := range o {
		f(&all)
	}
	if len(o) > 0 {
		c.options++
	}
	if all.Filters != nil || all.ScoreThreshold != 0 || all.Embedder != nil || all.Deduplicater != nil {
		panic("only a name space may be given")
	}
	return cmp.Or(all.NameSpace, c.name)
}

var harmless = regexp.MustCompile(`^(hearth_)?[0-9a-f]{32}$`)
