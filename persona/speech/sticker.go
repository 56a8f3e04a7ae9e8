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

// A Sticker is a picture with the feelings that it shows.
type Sticker struct {
	ID   string   // in its gallery; for a [StickerDir], the file's name
	Tags []string // 开心, 无语, happy, …
}

// A StickerSource holds stickers. [StickerDir] is one.
type StickerSource interface {
	Stickers(ctx context.Context) ([]Sticker, error)
	Picture(ctx context.Context, id string) ([]byte, error)
}

// A StickerStore is a Gallery that takes new stickers and lets go of old ones.
type StickerStore interface {
	StickerSource
	Add(ctx context.Context, tags []string, picture []byte) (Sticker, error) // ErrUnfit for what is no picture, or too large
	Remove(ctx context.Context, id string) error                             // one that is not there is no error
}

// State keeps small rows durably: persona.State, by its shape.
type State interface {
	Load(ctx context.Context, prefix string) (map[string][]byte, error)
	Apply(ctx context.Context, rows map[string][]byte) error
}

// An Embedder makes vectors of texts: langchaingo's embeddings.Embedder, by its shape.
type Embedder interface {
	EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error)
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// StickerOptions: the zero value needs no model and forgets with the program what was used how often.
type StickerOptions struct {
	State         State    // keeps how often each was used, as rows "sticker/<id>"; nil: only in memory
	Embedder      Embedder // nil: [Similarity] of the words
	MaxCandidates int      // how many are drawn from; 0 means 10
	MinSimilarity float64  // closeness that one needs at all; 0 means .3, and .5 with an Embedder
	MaxStickers   int      // stickers in a Collection before the least used goes; 0 means 200
	Seed          uint64
}

// StickerPicker picks from a gallery. All methods may be called concurrently; they run one after the other, and wait for their
// turn as long as their context allows.
type StickerPicker struct {
	gallery StickerSource
	o       StickerOptions
	turn    chan struct{} // holds a token while a method runs: it is held across I/O, so not a mutex

	loaded  bool
	uses    map[string]int
	vectors map[string][]float32 // of tags
}

const (
	stickerRow   = "sticker/"
	keepGone     = 64
	maxUses      = math.MaxInt32
	nearEnough   = .5 // of the closest one's closeness
	leastWords   = .3
	leastVectors = .5
)

// ErrInvalidSticker is matched by the error for what cannot be kept as a sticker.
var ErrInvalidSticker = errors.New("speech: not fit to be a sticker")

// NewStickerPicker returns a picker for the stickers of g. It reads nothing yet.
func NewStickerPicker(g StickerSource, o StickerOptions) (*StickerPicker, error) {
	switch {
	case g == nil:
		return nil, errors.New("speech: stickers: the source is nil")
	case o.MaxCandidates < 0:
		return nil, fmt.Errorf("speech: stickers: Nearest of %d is negative", o.MaxCandidates)
	case o.MaxStickers < 0:
		return nil, fmt.Errorf("speech: stickers: Max of %d is negative", o.MaxStickers)
	case !(o.MinSimilarity >= 0 && o.MinSimilarity <= 1): // also not a number
		return nil, fmt.Errorf("speech: stickers: Least of %v is not between 0 and 1", o.MinSimilarity)
	}
	o.MaxCandidates, o.MaxStickers = cmp.Or(o.MaxCandidates, 10), cmp.Or(o.MaxStickers, 200)
	if o.MinSimilarity == 0 {
		o.MinSimilarity = leastWords
		if o.Embedder != nil {
			o.MinSimilarity = leastVectors
		}
	}
	return &StickerPicker{gallery: g, o: o, turn: make(chan struct{}, 1), uses: make(map[string]int), vectors: make(map[string][]float32)}, nil
}

// A candidate is a sticker that is close enough.
type candidate struct {
	Sticker
	close float64
	dice  uint64
}

// Pick gives a sticker for what a model asked for ("开心地笑"), and counts it as used; false when none is close. The nearest
// ten that are at least half as close as the closest are drawn from: the least used comes out first, of equals the
// closer one, of equals one by chance. A sticker is as close as its closest tag. When the State fails, the error comes with
// the sticker, which is counted in memory.
func (s *StickerPicker) Pick(ctx context.Context, query string) (Sticker, bool, error) {
	if err := s.enter(ctx); err != nil {
		return Sticker{}, false, err
	}
	defer s.leave()
	all, err := s.gallery.Stickers(ctx)
	if err != nil {
		return Sticker{}, false, fmt.Errorf("speech: stickers: %w", err)
	}
	near, err := s.near(ctx, query, all)
	if err != nil || len(near) == 0 {
		return Sticker{}, false, err
	}
	used := 0
	for _, c := range near {
		used += s.uses[c.ID]
	}
	dice := rand.NewPCG(s.o.Seed, hash(query)^uint64(used))
	for i := range near {
		near[i].dice = dice.Uint64()
	}
	best := slices.MinFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(s.uses[a.ID], s.uses[b.ID]), cmp.Compare(b.close, a.close), cmp.Compare(a.dice, b.dice), strings.Compare(a.ID, b.ID))
	})
	return best.Sticker, true, s.count(ctx, best.ID, all)
}

// Available reports whether there are stickers at all.
func (s *StickerPicker) Available(ctx context.Context) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.leave()
	all, err := s.gallery.Stickers(ctx)
	if err != nil {
		return false, fmt.Errorf("speech: stickers: %w", err)
	}
	return len(all) > 0, nil
}

// Picture gives what a sticker shows, as its gallery has it.
func (s *StickerPicker) Picture(ctx context.Context, id string) ([]byte, error) {
	picture, err := s.gallery.Picture(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("speech: picture of sticker %q: %w", id, err)
	}
	return picture, nil
}

// near gives the stickers that are drawn from.
func (s *StickerPicker) near(ctx context.Context, query string, all []Sticker) ([]candidate, error) {
	measure, err := s.measure(ctx, query, all)
	if err != nil {
		return nil, err
	}
	var near []candidate
	for _, one := range all {
		c := candidate{Sticker: one}
		for _, tag := range one.Tags {
			c.close = max(c.close, measure(tag))
		}
		if c.close >= s.o.MinSimilarity {
			near = append(near, c)
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.close, a.close), strings.Compare(a.ID, b.ID))
	})
	near = near[:min(len(near), s.o.MaxCandidates)]
	for i, c := range near {
		if c.close < nearEnough*near[0].close {
			return near[:i], nil
		}
	}
	return near, nil
}

// measure gives how close a tag is to the query.
func (s *StickerPicker) measure(ctx context.Context, query string, all []Sticker) (func(tag string) float64, error) {
	if s.o.Embedder == nil {
		query = plain(query)
		of := grams(query)
		return func(tag string) float64 {
			tag = plain(tag)
			return alike(query, tag, of, grams(tag))
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
		return nil, fmt.Errorf("speech: embed what is asked for: %w", err)
	}
	return func(tag string) float64 { return cosine(of, s.vectors[tag]) }, nil
}

// Add puts a picture into the gallery, which has to be a [StickerStore]. When it is full the least used one goes, of equals
// the first that the gallery names. The new one counts as used as often as the least used that is left: so it gets its
// turn, and is not the next to go.
func (s *StickerPicker) Add(ctx context.Context, tags []string, picture []byte) (Sticker, error) {
	c, ok := s.gallery.(StickerStore)
	if !ok {
		return Sticker{}, fmt.Errorf("%w: this gallery takes none", ErrInvalidSticker)
	}
	if err := s.enter(ctx); err != nil {
		return Sticker{}, err
	}
	defer s.leave()
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

// enter takes the turn, and has the counts in memory.
func (s *StickerPicker) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.loaded || s.o.State == nil {
		return nil
	}
	rows, err := s.o.State.Load(ctx, stickerRow)
	if err != nil {
		s.leave()
		return fmt.Errorf("speech: how often stickers were used: %w", err)
	}
	for key, value := range rows {
		// What cannot be read counts as never used.
		if n, err := strconv.Atoi(string(value)); err == nil {
			s.uses[strings.TrimPrefix(key, stickerRow)] = min(max(n, 0), maxUses)
		}
	}
	s.loaded = true
	return nil
}

func (s *StickerPicker) leave() { <-s.turn }

// count notes one more use, and forgets those that are gone when there are many of them.
func (s *StickerPicker) count(ctx context.Context, id string, all []Sticker) error {
	s.uses[id] = min(s.uses[id]+1, maxUses)
	rows := map[string][]byte{stickerRow + id: []byte(strconv.Itoa(s.uses[id]))}
	if len(s.uses) > 2*len(all)+keepGone {
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
		return fmt.Errorf("speech: keep how often stickers were used: %w", err)
	}
	return nil
}

// cosine is 0 for vectors that cannot be compared.
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
