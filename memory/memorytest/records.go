package memorytest

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var day = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

const (
	groupA = memory.Space("qq:group:1")
	groupB = memory.Space("qq:group:2")
)

// unusualStrings have broken stores before. All are valid IDs and texts.
var unusualStrings = []string{
	"' OR '1'='1", `"; DROP TABLE records; --`, "%", "_", "a%b_c", `\`, "$1", "?", "{}", "null", "0", "-1", " ", "\t", "\n",
	"\uFEFF", "e\u0301", "é", "İ", "ß", "１２３", "👨‍👩‍👧", "../../etc/passwd", "*", "[a-z]", "!", "a!", strings.Repeat("长", 300),
}

// invalidAddresses must be rejected.
var invalidAddresses = []string{"", "\x00", "\x00'", "\xff", "\xc3", "\xed\xa0\x80", strings.Repeat("x", 1<<20)}

// fullRecord returns a record with all fields set.
func fullRecord(s memory.Space, id string) memory.Record {
	return memory.Record{
		ID: id, Space: s, Kind: memory.KindFact, Text: "他喜欢喝乌龙茶", Person: "10001", Name: "小明", ReplyTo: "9", Own: true,
		Tags: []string{"茶", "' OR '1'='1"}, Importance: .625, At: day.Add(123456789), Sources: []string{"1", "2"}, Label: memory.Untrusted("owner", "a b%"),
		Vector: []float32{.5, -1.25, 3e-20}, Embedder: "test",
	}
}

func message(s memory.Space, id string, text string) memory.Record {
	return memory.Record{ID: id, Space: s, Kind: memory.KindMessage, Text: text, Vector: Vector(text), Embedder: "test", At: day}
}

// Vector returns a vector with 64 components that counts the runes of a text. Equal texts have equal vectors. Texts
// with common runes are more similar than others. It does not know meanings and is for tests only.
func Vector(text string) []float32 {
	v := make([]float32, 64)
	v[0] = .01 // never all zero
	h := fnv.New32a()
	digits := make([]byte, 0, 8)
	for _, r := range text {
		h.Reset()
		h.Write(strconv.AppendInt(digits, int64(r), 10))
		v[1+h.Sum32()%63]++
	}
	return v
}

func collect(t *testing.T, s memory.Store, space memory.Space, after uint64) []memory.Record {
	t.Helper()
	var recs []memory.Record
	for r, err := range s.Scan(t.Context(), space, after) {
		require.NoError(t, err)
		recs = append(recs, r)
	}
	return recs
}

func get(t *testing.T, s memory.Store, space memory.Space, ids ...string) []memory.Record {
	t.Helper()
	recs, err := s.Get(t.Context(), space, ids...)
	require.NoError(t, err)
	return recs
}

func spaces(t *testing.T, s memory.Store) []memory.Space {
	t.Helper()
	spaces, err := s.Spaces(t.Context())
	require.NoError(t, err)
	return spaces
}

// findDerived calls FindDerived if the store has it.
func findDerived(t *testing.T, s memory.Store, space memory.Space, sources ...string) []string {
	t.Helper()
	d, ok := s.(memory.DerivedFinder)
	if !ok {
		return nil
	}
	ids, err := d.FindDerived(t.Context(), space, sources...)
	require.NoError(t, err)
	return ids
}

// moveConcurrently moves each of some IDs between groupA and its counterpart, with several goroutines, and returns the
// IDs.
func moveConcurrently(step func(space memory.Space, id string)) (ids []string) {
	const movers, each = 3, 12
	var wg sync.WaitGroup
	for w := range movers {
		wg.Go(func() {
			for i := range 4 * each {
				space := groupA
				if (i+w)%3 == 0 {
					space = groupA.Secret()
				}
				step(space, fmt.Sprint(i%each))
			}
		})
	}
	wg.Wait()
	for i := range each {
		ids = append(ids, fmt.Sprint(i))
	}
	return ids
}

func ids(recs []memory.Record) []string {
	out := make([]string, len(recs))
	for i, r := range recs {
		out[i] = r.ID
	}
	return out
}

// requireEqual compares records without their Seq, and times as instants.
func requireEqual(t *testing.T, want, got memory.Record) {
	t.Helper()
	assert.True(t, want.At.Equal(got.At), "At: %v, not %v", got.At, want.At)
	want.At, want.Seq, got.At, got.Seq = time.Time{}, 0, time.Time{}, 0
	if len(want.Tags)+len(got.Tags) == 0 {
		want.Tags, got.Tags = nil, nil
	}
	if len(want.Sources)+len(got.Sources) == 0 {
		want.Sources, got.Sources = nil, nil
	}
	if len(want.Vector)+len(got.Vector) == 0 {
		want.Vector, got.Vector = nil, nil
	}
	assert.Equal(t, want, got)
}

// put stores records for tests of other methods.
func put(t *testing.T, s interface {
	Put(context.Context, ...memory.Record) error
}, recs ...memory.Record) {
	t.Helper()
	require.NoError(t, s.Put(t.Context(), recs...))
}
