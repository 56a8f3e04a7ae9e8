package speech

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSimilarity(t *testing.T) {
	for _, v := range []struct {
		a, b string
		want float64
	}{
		{"开心", "开心", 1}, {"Happy!", "happy", 1}, {"", "开心", 0}, {"。", "。", 0},
		{"好开心", "开心", .75}, {"开心地笑", "开心", .6}, {"高兴", "开心", 0}, {"大哭", "哭", .5},
		{"不开心", "开心", 0}, {"开心", "没有开心", 0}, {"unhappy", "happy", 0}, {"not happy", "happy", 0},
		{"happy cat", "cat", 6. / 11}, {"piano happy", "happy", 10. / 15}, {"不开心", "不开心", 1}, {"😭", "大哭😭", 1. / 3},
	} {
		assert.InDelta(t, v.want, Similarity(v.a, v.b), .001, "%s %s", v.a, v.b)
		assert.Equal(t, Similarity(v.a, v.b), Similarity(v.b, v.a))
	}
}

// A memorySource is a source of stickers in memory.
type memorySource struct {
	stickers []Sticker
	err      error
	n        int
}

func (s *memorySource) Stickers(context.Context) ([]Sticker, error) {
	return slices.Clone(s.stickers), s.err
}
func (s *memorySource) Picture(_ context.Context, id string) ([]byte, error) { return []byte(id), nil }
func (s *memorySource) Add(_ context.Context, tags []string, _ []byte) (Sticker, error) {
	s.n++
	one := Sticker{fmt.Sprintf("new%d", s.n), tags}
	s.stickers = append(s.stickers, one)
	return one, nil
}
func (s *memorySource) Remove(_ context.Context, id string) error {
	s.stickers = slices.DeleteFunc(s.stickers, func(one Sticker) bool { return one.ID == id })
	return nil
}

func sourceOf(tags ...string) *memorySource {
	s := &memorySource{}
	for i, t := range tags {
		s.stickers = append(s.stickers, Sticker{fmt.Sprintf("%02d", i), strings.Fields(t)})
	}
	return s
}

// rows is a State.
type rows struct {
	mu     sync.Mutex
	rows   map[string][]byte
	broken error
}

func (r *rows) Load(_ context.Context, prefix string) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string][]byte{}
	for k, v := range r.rows {
		if strings.HasPrefix(k, prefix) {
			found[k] = v
		}
	}
	return found, r.broken
}

func (r *rows) Apply(_ context.Context, rows map[string][]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return r.broken
	}
	maps.Copy(r.rows, rows)
	maps.DeleteFunc(r.rows, func(_ string, v []byte) bool { return v == nil })
	return nil
}

func pick(t *testing.T, s *StickerPicker, query string) string {
	t.Helper()
	one, ok, err := s.Pick(t.Context(), query)
	require.NoError(t, err)
	if !ok {
		return ""
	}
	return one.ID
}

func TestStickerPicker_Pick(t *testing.T) {
	s := newStickers(t, sourceOf("开心", "无语 尴尬", "大哭 难过", "不开心"), StickerOptions{})
	assert.Equal(t, "00", pick(t, s, "开心地笑"))
	assert.Equal(t, "01", pick(t, s, "很尴尬"))
	assert.Equal(t, "03", pick(t, s, "不开心"))
	assert.Empty(t, pick(t, s, "吃饭"), "none is close")
	assert.Empty(t, pick(t, s, ""))
	assert.Empty(t, pick(t, newStickers(t, sourceOf(), StickerOptions{}), "开心"))
}

// TestStickerPicker_LeastUsedFirst: equally similar stickers alternate, more similar ones come first, and much less similar ones
// never.
func TestStickerPicker_LeastUsedFirst(t *testing.T) {
	s := newStickers(t, sourceOf("开心", "开心", "开心", "真开心呢", "难过", "今天说得上是开心的一天"), StickerOptions{Seed: 3, MinSimilarity: .1})
	var came []string
	for range 8 {
		came = append(came, pick(t, s, "开心"))
	}
	assert.ElementsMatch(t, []string{"00", "01", "02"}, came[:3])
	assert.Equal(t, "03", came[3])
	assert.ElementsMatch(t, []string{"00", "01", "02"}, came[4:7])
	assert.Equal(t, "03", came[7])

	first := map[string]bool{}
	for seed := range uint64(40) {
		fresh := newStickers(t, sourceOf("开心", "开心", "开心"), StickerOptions{Seed: seed})
		again := newStickers(t, sourceOf("开心", "开心", "开心"), StickerOptions{Seed: seed})
		for i := range 5 {
			id := pick(t, fresh, "开心")
			assert.Equal(t, id, pick(t, again, "开心"), "the same seed picks the same")
			if i == 0 {
				first[id] = true
			}
		}
	}
	assert.Len(t, first, 3)
}

func TestStickerPicker_MaxCandidates(t *testing.T) {
	tags := slices.Repeat([]string{"开心"}, 30)
	s := newStickers(t, sourceOf(tags...), StickerOptions{})
	came := map[string]bool{}
	for range 40 {
		came[pick(t, s, "开心")] = true
	}
	assert.Len(t, came, 10)
}

// TestStickerPicker_StoresUseCounts: use counts survive a restart, and the counts of removed stickers are deleted.
func TestStickerPicker_StoresUseCounts(t *testing.T) {
	state := &rows{rows: map[string][]byte{"sticker/00": []byte("7"), "sticker/01": []byte("x"), "sticker/02": []byte("-4"), "errand/1": []byte("{}")}}
	source := sourceOf("开心", "开心", "开心")
	assert.Contains(t, []string{"01", "02"}, pick(t, newStickers(t, source, StickerOptions{State: state}), "开心"))
	for range 11 {
		pick(t, newStickers(t, source, StickerOptions{State: state}), "开心")
	}
	assert.Equal(t, map[string][]byte{"sticker/00": []byte("7"), "sticker/01": []byte("6"), "sticker/02": []byte("6"), "errand/1": []byte("{}")}, state.rows)

	for i := range 200 {
		state.rows[fmt.Sprintf("sticker/gone%d", i)] = []byte("1")
	}
	pick(t, newStickers(t, source, StickerOptions{State: state}), "开心")
	assert.Len(t, state.rows, 4)
}

func TestStickerPicker_Errors(t *testing.T) {
	broken := errors.New("disk full")
	state := &rows{rows: map[string][]byte{}, broken: broken}
	s := newStickers(t, sourceOf("开心"), StickerOptions{State: state})
	_, ok, err := s.Pick(t.Context(), "开心")
	require.ErrorIs(t, err, broken)
	assert.False(t, ok)
	state.broken = nil
	assert.Equal(t, "00", pick(t, s, "开心"), "it is read again")
	state.broken = broken
	one, ok, err := s.Pick(t.Context(), "开心")
	require.ErrorIs(t, err, broken)
	assert.True(t, ok)
	assert.Equal(t, "00", one.ID, "it may be sent all the same")

	_, _, err = newStickers(t, &memorySource{err: broken}, StickerOptions{}).Pick(t.Context(), "开心")
	require.ErrorIs(t, err, broken)
	_, err = newStickers(t, struct{ StickerSource }{sourceOf()}, StickerOptions{}).Add(t.Context(), nil, nil)
	require.ErrorIs(t, err, ErrInvalidSticker)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.lock <- struct{}{}
	_, _, err = s.Pick(ctx, "开心")
	require.ErrorIs(t, err, context.Canceled)
}

// TestStickerPicker_RemovesLeastUsed: a full store removes the least used sticker, then the oldest, and not a new one.
func TestStickerPicker_RemovesLeastUsed(t *testing.T) {
	state := &rows{rows: map[string][]byte{"sticker/00": []byte("5"), "sticker/01": []byte("2"), "sticker/02": []byte("3"), "sticker/03": []byte("2")}}
	source := sourceOf("甲", "乙", "丙", "丁")
	s := newStickers(t, source, StickerOptions{State: state, MaxStickers: 4})
	for _, left := range [][]string{{"00", "02", "03", "new1"}, {"00", "02", "new1", "new2"}, {"00", "02", "new2", "new3"}} {
		_, err := s.Add(t.Context(), []string{"新"}, nil)
		require.NoError(t, err)
		var ids []string
		for _, one := range source.stickers {
			ids = append(ids, one.ID)
		}
		assert.Equal(t, left, ids)
	}
	assert.Equal(t, map[string][]byte{"sticker/00": []byte("5"), "sticker/02": []byte("3"), "sticker/new2": []byte("2"), "sticker/new3": []byte("2")}, state.rows)
}

// meanings is an embedder with vectors for a few words.
type meanings struct {
	asked []string
	err   error
	short bool
}

func (m *meanings) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	switch text {
	case "高兴", "开心":
		return []float32{1, .1}, m.err
	case "难过":
		return []float32{-1, .2}, m.err
	case "零":
		return []float32{0, 0}, m.err
	}
	return []float32{0, 1}, m.err
}

func (m *meanings) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	m.asked = append(m.asked, texts...)
	var all [][]float32
	for _, text := range texts {
		v, _ := m.EmbedQuery(ctx, text)
		all = append(all, v)
	}
	if m.short {
		all = all[1:]
	}
	return all, m.err
}

func TestStickerPicker_Embedder(t *testing.T) {
	m := &meanings{}
	source := sourceOf("难过", "开心 开心", "开心")
	s := newStickers(t, source, StickerOptions{Embedder: m})
	one := pick(t, s, "高兴")
	two := pick(t, s, "高兴")
	assert.ElementsMatch(t, []string{"01", "02"}, []string{one, two})
	assert.Equal(t, []string{"难过", "开心"}, m.asked, "each tag is embedded once")
	assert.Empty(t, pick(t, s, "零"), "not a number is not close")
	m.short = true
	source.stickers[0].Tags = []string{"新的"}
	_, _, err := s.Pick(t.Context(), "高兴")
	require.ErrorContains(t, err, "0 vectors for 1 texts")
	m.err = errors.New("no network")
	_, _, err = s.Pick(t.Context(), "高兴")
	require.ErrorIs(t, err, m.err)
}

func TestStickerPicker_Concurrent(t *testing.T) {
	state := &rows{rows: map[string][]byte{}}
	s := newStickers(t, sourceOf("开心", "开心"), StickerOptions{State: state})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				_, ok, err := s.Pick(t.Context(), "开心")
				assert.True(t, ok && err == nil)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, map[string][]byte{"sticker/00": []byte("40"), "sticker/01": []byte("40")}, state.rows)
}

func TestStickerPicker_AvailableAndPicture(t *testing.T) {
	g := sourceOf()
	s := newStickers(t, g, StickerOptions{})
	any, err := s.Available(t.Context())
	require.NoError(t, err)
	assert.False(t, any)
	g.stickers = sourceOf("开心").stickers
	any, err = s.Available(t.Context())
	require.NoError(t, err)
	assert.True(t, any)
	picture, err := s.Picture(t.Context(), "7")
	require.NoError(t, err)
	assert.Equal(t, "7", string(picture))
	g.err = errors.New("the disk is gone")
	_, err = s.Available(t.Context())
	require.ErrorIs(t, err, g.err)
}

func newStickers(t testing.TB, g StickerSource, o StickerOptions) *StickerPicker {
	t.Helper()
	s, err := NewStickerPicker(g, o)
	require.NoError(t, err)
	return s
}

func TestNewStickerPicker_RejectsBadArguments(t *testing.T) {
	for want, call := range map[string]func() (*StickerPicker, error){
		"the source is nil":               func() (*StickerPicker, error) { return NewStickerPicker(nil, StickerOptions{}) },
		"MaxCandidates of -1 is negative": func() (*StickerPicker, error) { return NewStickerPicker(sourceOf(), StickerOptions{MaxCandidates: -1}) },
		"MaxStickers of -1 is negative":   func() (*StickerPicker, error) { return NewStickerPicker(sourceOf(), StickerOptions{MaxStickers: -1}) },
		"MinSimilarity of 1.5 is not between 0 and 1": func() (*StickerPicker, error) {
			return NewStickerPicker(sourceOf(), StickerOptions{MinSimilarity: 1.5})
		},
		"MinSimilarity of NaN is not between 0 and 1": func() (*StickerPicker, error) {
			return NewStickerPicker(sourceOf(), StickerOptions{MinSimilarity: math.NaN()})
		},
	} {
		_, err := call()
		require.EqualError(t, err, "speech: stickers: "+want)
	}
}
