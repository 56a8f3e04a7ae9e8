package speech

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A Sticker is a picture with tags for its emotions.
type Sticker struct {
	ID   string   // unique in its [StickerSource]; the file name in a [StickerDir]
	Tags []string // 开心, 无语, happy, …
}

// A StickerSource is a source of stickers, for example a [StickerDir].
type StickerSource interface {
	Stickers(ctx context.Context) ([]Sticker, error)
	Picture(ctx context.Context, id string) ([]byte, error)
}

// A StickerStore is a [StickerSource] that can add and remove stickers.
type StickerStore interface {
	StickerSource
	Add(ctx context.Context, tags []string, picture []byte) (Sticker, error) // ErrInvalidSticker if it is no picture or too large
	Remove(ctx context.Context, id string) error                             // no error if it does not exist
}

// State stores small rows. persona.State implements it.
type State interface {
	Load(ctx context.Context, prefix string) (map[string][]byte, error)
	Apply(ctx context.Context, rows map[string][]byte) error
}

// An Embedder computes vectors of texts. It has the methods of langchaingo's embeddings.Embedder.
type Embedder interface {
	EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error)
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// StickerOptions are the options of [NewStickerPicker]. The zero value needs no model and stores nothing.
type StickerOptions struct {
	State         State    // stores the use counts, as rows "sticker/<id>"; nil means only in memory
	Embedder      Embedder // compares tags by meaning; nil means [Similarity]
	MaxCandidates int      // number of similar stickers to choose from; 0 means 10
	MinSimilarity float64  // minimum similarity, 0 to 1; 0 means .3, or .5 with an Embedder
	MaxStickers   int      // size of a StickerStore: Add removes the least used sticker above it; 0 means 200
	Seed          uint64
}

// StickerPicker picks stickers from a [StickerSource]. All methods may be called concurrently. They run one after another and wait until
// their context ends.
type StickerPicker struct {
	gallery StickerSource
	o       StickerOptions
	lock    chan struct{} // a mutex that is held across I/O, so waiting ends with ctx

	loaded  bool
	uses    map[string]int
	vectors map[string][]float32 // of tags
}

const (
	stickerRow          = "sticker/"
	maxStaleCounts      = 64
	maxUses             = math.MaxInt32
	minShareOfBest      = .5 // share of the best similarity
	minWordSimilarity   = .3
	minVectorSimilarity = .5
)

// ErrInvalidSticker is wrapped by errors about a file that is no sticker: it is no picture, too large or has no tags.
var ErrInvalidSticker = errors.New("speech: invalid sticker")

// NewStickerPicker returns a picker for the stickers of g. It reads nothing yet.
func NewStickerPicker(g StickerSource, o StickerOptions) (*StickerPicker, error) {
	switch {
	case g == nil:
		return nil, errors.New("speech: stickers: the source is nil")
	case o.MaxCandidates < 0:
		return nil, fmt.Errorf("speech: stickers: MaxCandidates of %d is negative", o.MaxCandidates)
	case o.MaxStickers < 0:
		return nil, fmt.Errorf("speech: stickers: MaxStickers of %d is negative", o.MaxStickers)
	case !(o.MinSimilarity >= 0 && o.MinSimilarity <= 1): // also not a number
		return nil, fmt.Errorf("speech: stickers: MinSimilarity of %v is not between 0 and 1", o.MinSimilarity)
	}
	o.MaxCandidates, o.MaxStickers = cmp.Or(o.MaxCandidates, 10), cmp.Or(o.MaxStickers, 200)
	if o.MinSimilarity == 0 {
		o.MinSimilarity = minWordSimilarity
		if o.Embedder != nil {
			o.MinSimilarity = minVectorSimilarity
		}
	}
	return &StickerPicker{gallery: g, o: o, lock: make(chan struct{}, 1), uses: make(map[string]int), vectors: make(map[string][]float32)}, nil
}

// A candidate is a sticker with enough similarity.
type candidate struct {
	Sticker
	similarity float64
	tieBreak   uint64
}

// Pick returns a sticker for a description such as "开心地笑" and counts its use. It returns false if no sticker is similar. The
// similarity of a sticker is that of its best tag. Pick considers the ten most similar stickers that have at least half of the
// best similarity. It returns the least used one of them. If several are used equally, it returns the most similar one, or a
// random one. If the State fails, Pick returns the sticker with the error and counts the use in memory.
func (s *StickerPicker) Pick(ctx context.Context, query string) (Sticker, bool, error) {
	if err := s.acquire(ctx); err != nil {
		return Sticker{}, false, err
	}
	defer s.release()
	all, err := s.gallery.Stickers(ctx)
	if err != nil {
		return Sticker{}, false, fmt.Errorf("speech: stickers: %w", err)
	}
	near, err := s.candidates(ctx, query, all)
	if err != nil || len(near) == 0 {
		return Sticker{}, false, err
	}
	used := 0
	for _, c := range near {
		used += s.uses[c.ID]
	}
	dice := rand.NewPCG(s.o.Seed, hash(query)^uint64(used))
	for i := range near {
		near[i].tieBreak = dice.Uint64()
	}
	best := slices.MinFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(s.uses[a.ID], s.uses[b.ID]), cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.tieBreak, b.tieBreak), strings.Compare(a.ID, b.ID))
	})
	return best.Sticker, true, s.countUse(ctx, best.ID, all)
}

// Available reports whether the source has any stickers.
func (s *StickerPicker) Available(ctx context.Context) (bool, error) {
	if err := s.acquire(ctx); err != nil {
		return false, err
	}
	defer s.release()
	all, err := s.gallery.Stickers(ctx)
	if err != nil {
		return false, fmt.Errorf("speech: stickers: %w", err)
	}
	return len(all) > 0, nil
}

// Picture returns the picture of a sticker.
func (s *StickerPicker) Picture(ctx context.Context, id string) ([]byte, error) {
	picture, err := s.gallery.Picture(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("speech: picture of sticker %q: %w", id, err)
	}
	return picture, nil
}

// candidates returns the stickers to choose from, most similar first.
func (s *StickerPicker) candidates(ctx context.Context, query string, all []Sticker) ([]candidate, error) {
	measure, err := s.similarityTo(ctx, query, all)
	if err != nil {
		return nil, err
	}
	var near []candidate
	for _, one := range all {
		c := candidate{Sticker: one}
		for _, tag := range one.Tags {
			c.similarity = max(c.similarity, measure(tag))
		}
		if c.similarity >= s.o.MinSimilarity {
			near = append(near, c)
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), strings.Compare(a.ID, b.ID))
	})
	near = near[:min(len(near), s.o.MaxCandidates)]
	for i, c := range near {
		if c.similarity < minShareOfBest*near[0].similarity {
			return near[:i], nil
		}
	}
	return near, nil
}

// similarityTo returns a function that compares a tag with query.
func (s *StickerPicker) similarityTo(ctx context.Context, query string, all []Sticker) (func(tag string) float64, error) {
	if s.o.Embedder == nil {
		query = normalize(query)
		of := grams(query)
		return func(tag string) float64 {
			tag = normalize(tag)
			return similarity(query, tag, of, grams(tag))
		}, nil
	}
	tags := make(map[string]bool)
	var unknown []string
	for _, one := range all {
		for _, tag := range one.Tags {
			if _, known := s.vectors[tag]; !known && !tags[tag] {
				unknown = append(unknown, tag)
			}
			tags[tag] = true
		}
	}
	if len(unknown) > 0 {
		vectors, err := s.o.Embedder.EmbedDocuments(ctx, unknown)
		if err == nil && len(vectors) != len(unknown) {
			err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(unknown))
		}
		if err != nil {
			return nil, fmt.Errorf("speech: embed tags: %w", err)
		}
		maps.DeleteFunc(s.vectors, func(tag string, _ []float32) bool { return !tags[tag] })
		for i, tag := range unknown {
			s.vectors[tag] = vectors[i]
		}
	}
	of, err := s.o.Embedder.EmbedQuery(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("speech: embed the query: %w", err)
	}
	return func(tag string) float64 { return cosine(of, s.vectors[tag]) }, nil
}

// Add stores a picture in the source, which must be a [StickerStore]. If it is full, Add removes the least used sticker, and of
// several the first in the order of the source. The new sticker starts with the smallest use count of the others. So it is
// picked soon and not removed next.
func (s *StickerPicker) Add(ctx context.Context, tags []string, picture []byte) (Sticker, error) {
	c, ok := s.gallery.(StickerStore)
	if !ok {
		return Sticker{}, fmt.Errorf("%w: the source does not accept stickers", ErrInvalidSticker)
	}
	if err := s.acquire(ctx); err != nil {
		return Sticker{}, err
	}
	defer s.release()
	added, err := c.Add(ctx, tags, picture)
	if err != nil {
		return Sticker{}, fmt.Errorf("speech: add a sticker: %w", err)
	}
	all, err := s.gallery.Stickers(ctx)
	if err != nil {
		return added, fmt.Errorf("speech: stickers: %w", err)
	}
	all = slices.DeleteFunc(all, func(one Sticker) bool { return one.ID == added.ID })
	rows := map[string][]byte{}
	for len(all) >= s.o.MaxStickers && len(all) > 0 {
		i := s.leastUsed(all)
		if err := c.Remove(ctx, all[i].ID); err != nil {
			return added, fmt.Errorf("speech: remove a sticker: %w", err)
		}
		delete(s.uses, all[i].ID)
		rows[stickerRow+all[i].ID] = nil
		all = slices.Delete(all, i, i+1)
	}
	if _, known := s.uses[added.ID]; !known && len(all) > 0 {
		s.uses[added.ID] = s.uses[all[s.leastUsed(all)].ID]
		rows[stickerRow+added.ID] = []byte(strconv.Itoa(s.uses[added.ID]))
	}
	return added, s.apply(ctx, rows)
}

func (s *StickerPicker) leastUsed(all []Sticker) int {
	least := 0
	for i, one := range all {
		if s.uses[one.ID] < s.uses[all[least].ID] {
			least = i
		}
	}
	return least
}

// acquire takes the lock and loads the use counts.
func (s *StickerPicker) acquire(ctx context.Context) error {
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.loaded || s.o.State == nil {
		return nil
	}
	rows, err := s.o.State.Load(ctx, stickerRow)
	if err != nil {
		s.release()
		return fmt.Errorf("speech: load use counts of stickers: %w", err)
	}
	for key, value := range rows {
		// Invalid rows count as unused.
		if n, err := strconv.Atoi(string(value)); err == nil {
			s.uses[strings.TrimPrefix(key, stickerRow)] = min(max(n, 0), maxUses)
		}
	}
	s.loaded = true
	return nil
}

func (s *StickerPicker) release() { <-s.lock }

// countUse counts one use. It deletes the counts of removed stickers if there are many of them.
func (s *StickerPicker) countUse(ctx context.Context, id string, all []Sticker) error {
	s.uses[id] = min(s.uses[id]+1, maxUses)
	rows := map[string][]byte{stickerRow + id: []byte(strconv.Itoa(s.uses[id]))}
	if len(s.uses) > 2*len(all)+maxStaleCounts {
		there := make(map[string]bool, len(all))
		for _, one := range all {
			there[one.ID] = true
		}
		for gone := range s.uses {
			if !there[gone] {
				rows[stickerRow+gone] = nil
			}
		}
		maps.DeleteFunc(s.uses, func(id string, _ int) bool { return !there[id] })
	}
	return s.apply(ctx, rows)
}

func (s *StickerPicker) apply(ctx context.Context, rows map[string][]byte) error {
	if s.o.State == nil || len(rows) == 0 {
		return nil
	}
	if err := s.o.State.Apply(ctx, rows); err != nil {
		return fmt.Errorf("speech: store use counts of stickers: %w", err)
	}
	return nil
}

// cosine returns the cosine similarity, or 0 for vectors that cannot be compared.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var ab, aa, bb float64
	for i, x := range a {
		y := float64(b[i])
		ab, aa, bb = ab+float64(x)*y, aa+float64(x)*float64(x), bb+y*y
	}
	if c := ab / math.Sqrt(aa*bb); c > 0 { // not for NaN
		return c
	}
	return 0
}
