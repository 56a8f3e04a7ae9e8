package memory_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

// Notebook is a custom Store: a slice, in order of arrival.
type Notebook struct {
	mu   sync.Mutex
	seq  uint64
	recs []memory.Record
}

func (n *Notebook) Put(ctx context.Context, recs ...memory.Record) error {
	for _, r := range recs {
		if err := r.Validate(); err != nil { // all or none
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, r := range recs {
		r = r.Clone()
		i := slices.IndexFunc(n.recs, func(old memory.Record) bool { return old.ID == r.ID && old.Space.Base() == r.Space.Base() })
		if i >= 0 { // replaced, perhaps moved to the counterpart; it keeps its place
			r.Seq = n.recs[i].Seq
			n.recs[i] = r
			continue
		}
		n.seq++
		r.Seq = n.seq
		n.recs = append(n.recs, r)
	}
	return nil
}

func (n *Notebook) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n.recs = slices.DeleteFunc(n.recs, func(r memory.Record) bool { return r.Space == s && slices.Contains(ids, r.ID) })
	return nil
}

func (n *Notebook) Get(_ context.Context, s memory.Space, ids ...string) (found []memory.Record, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		for _, r := range n.recs {
			if r.Space == s && r.ID == id {
				found = append(found, r.Clone())
			}
		}
	}
	return found, nil
}

func (n *Notebook) Scan(ctx context.Context, s memory.Space, after uint64) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		n.mu.Lock()
		recs := slices.Clone(n.recs) // the loop may call the store
		n.mu.Unlock()
		if err := ctx.Err(); err != nil {
			yield(memory.Record{}, err)
			return
		}
		for _, r := range recs {
			if r.Space == s && r.Seq > after && !yield(r.Clone(), nil) {
				return
			}
		}
	}
}

func (n *Notebook) Spaces(context.Context) (spaces []memory.Space, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.recs {
		spaces = append(spaces, r.Space)
	}
	slices.Sort(spaces)
	return slices.Compact(spaces), nil
}

// TestNotebook_Conformance shows how to test your own store.
func TestNotebook_Conformance(t *testing.T) {
	memorytest.TestStore(t, func(*testing.T) memory.Store { return new(Notebook) })
}

// You can use your own Store. This one is a slice. Check yours with memorytest.TestStore.
func ExampleStore() {
	ctx := context.Background()
	mem, _ := memory.New(new(Notebook), memory.Options{})
	mem.Put(ctx, memory.Record{ID: "1", Space: "qq:group:123", Text: "周五去爬山"})
	hits, err := mem.Reader("qq:group:123").Recall(ctx, time.Now(), memory.Query{Text: "爬山是哪天"})
	fmt.Println(hits[0].Text, err)
	// Output: 周五去爬山 <nil>
}

// Topics is a custom Embedder for langchaingo's interface. This toy knows two topics.
type Topics struct{}

func (Topics) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	v := []float32{.01, .01}
	for i, words := range [...]string{"火锅烧烤吃饿饭面", "显卡内存电脑主板"} {
		for _, r := range text {
			if strings.ContainsRune(words, r) {
				v[i]++
			}
		}
	}
	return v, nil
}

func (t Topics) EmbedDocuments(ctx context.Context, texts []string) (vs [][]float32, err error) {
	for _, text := range texts {
		v, _ := t.EmbedQuery(ctx, text)
		vs = append(vs, v)
	}
	return vs, nil
}

// With an Embedder, recall finds records on the same topic even without common words.
func ExampleOptions_embedder() {
	ctx, now := context.Background(), time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	mem, err := memory.New(memory.NewMemStore(), memory.Options{
		Embedder:   Topics{},
		EmbedderID: "topics-1", // change it with the model, because vectors of different models are never compared
	})
	if err != nil {
		log.Fatal(err)
	}
	mem.Put(ctx,
		memory.Record{ID: "1", Space: "qq:group:123", Text: "昨晚那家火锅不错", At: now.Add(-30 * time.Hour)},
		memory.Record{ID: "2", Space: "qq:group:123", Text: "新显卡到了", At: now.Add(-20 * time.Hour)},
	)
	mem.EmbedMissing(ctx, nil) // or in the background: go mem.Run(ctx)
	hits, _ := mem.Reader("qq:group:123").Recall(ctx, now, memory.Query{Text: "有点饿", Limit: 1})
	for _, h := range hits {
		fmt.Println(h.Text, h.Terms[0].Name)
	}
	// Output: 昨晚那家火锅不错 vector
}
