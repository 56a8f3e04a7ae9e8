package memorytest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// storeModel applies random operations to a store and to a simple list, and compares them after each step. The
// addresses are prefixes, patterns and counterparts of each other.
func storeModel(t *testing.T, s memory.Store) {
	rng := rand.New(rand.NewPCG(11, 12))
	ids := []string{"1", "11", "%", "_", "' OR '1'='1", "a!", "!"}
	spaces := []memory.Space{"a", "a:", "a:b", "A", "%", "a\n", "' OR '1'='1", groupA, groupB}
	var order []memory.Record // by arrival
	at := func(s memory.Space, id string) int {
		return slices.IndexFunc(order, func(r memory.Record) bool { return r.Space.Base() == s.Base() && r.ID == id })
	}
	pick := func() (memory.Space, string) {
		s := spaces[rng.IntN(len(spaces))]
		if rng.IntN(3) == 0 {
			s = s.Secret()
		}
		return s, ids[rng.IntN(len(ids))]
	}
	for step := range 300 {
		if rng.IntN(3) > 0 {
			var recs []memory.Record
			for range 1 + rng.IntN(3) {
				space, id := pick()
				r := memory.Record{ID: id, Space: space, Kind: memory.KindFact, Text: fmt.Sprint("canary ", step, " ", string(space))}
				for range rng.IntN(3) {
					r.Sources = append(r.Sources, ids[rng.IntN(len(ids))])
				}
				recs = append(recs, r)
				if i := at(space, id); i >= 0 {
					order[i] = r
				} else {
					order = append(order, r)
				}
			}
			put(t, s, recs...)
		} else {
			space, id := pick()
			require.NoError(t, s.Delete(t.Context(), space, id))
			if i := at(space, id); i >= 0 && order[i].Space == space {
				order = slices.Delete(order, i, i+1)
			}
		}
		if step%50 == 49 {
			requireContent(t, s, order, spaces, ids)
		}
	}
}

func requireContent(t *testing.T, s memory.Store, order []memory.Record, all []memory.Space, ids []string) {
	t.Helper()
	by := map[memory.Space][]memory.Record{}
	for _, r := range order {
		by[r.Space] = append(by[r.Space], r)
	}
	require.Equal(t, slices.Sorted(maps.Keys(by)), spaces(t, s))
	for _, space := range all {
		for _, space := range []memory.Space{space, space.Secret()} {
			recs := collect(t, s, space, 0)
			require.Len(t, recs, len(by[space]), "%q", space)
			for i, r := range recs {
				requireEqual(t, by[space][i], r)
			}
			if _, ok := s.(memory.DerivedFinder); !ok {
				continue
			}
			for _, id := range ids {
				var want []string
				for _, r := range by[space] {
					if slices.Contains(r.Sources, id) {
						want = append(want, r.ID)
					}
				}
				made := findDerived(t, s, space, id, "nobody")
				require.True(t, slices.Equal(want, made), "made of %q in %q, in order of arrival: %q, not %q", id, space, made, want)
			}
		}
	}
}

// storeMoves moves records between a space and its counterpart during reads. A reader of one never sees records of the
// other. At the end, each record exists once.
func storeMoves(t *testing.T, s memory.Store) {
	each := moveConcurrently(func(space memory.Space, id string) {
		assert.NoError(t, s.Put(t.Context(), message(space, id, textOf(space)), message(space, "x"+id, textOf(space))))
		for _, space := range []memory.Space{groupA, groupA.Secret()} {
			got, err := s.Get(t.Context(), space, id, "x"+id)
			assert.NoError(t, err)
			for r, err := range s.Scan(t.Context(), space, 0) {
				assert.NoError(t, err)
				got = append(got, r)
			}
			for _, r := range got {
				assert.Equal(t, space, r.Space)
				assert.Equal(t, textOf(space), r.Text)
			}
		}
	})
	base, secret := ids(collect(t, s, groupA, 0)), ids(collect(t, s, groupA.Secret(), 0))
	assert.Len(t, base, 2*len(each)-len(secret))
	for _, id := range base {
		assert.NotContains(t, secret, id)
		assert.Equal(t, slices.Contains(base, "x"+strings.TrimPrefix(id, "x")), slices.Contains(base, strings.TrimPrefix(id, "x")), "records put in one call moved together")
	}
}

// stateModel applies random operations to a State and to a map. The keys are prefixes and patterns of each other.
func stateModel(t *testing.T, s memory.State) {
	rng := rand.New(rand.NewPCG(21, 22))
	keys := append([]string{"a", "a/", "a/b", "a/b/", "A", "a%", "a_", "\u007f", "é"}, unusualStrings...)
	model := map[string][]byte{}
	for step := range 150 {
		rows := map[string][]byte{}
		for range rng.IntN(5) {
			k := keys[rng.IntN(len(keys))]
			switch rng.IntN(4) {
			case 0:
				rows[k] = nil
			case 1:
				rows[k] = []byte{}
			default:
				rows[k] = fmt.Appendf(nil, "\x00%d\xff", step)
			}
		}
		require.NoError(t, s.Apply(t.Context(), rows))
		for k, v := range rows {
			if v == nil {
				delete(model, k)
			} else {
				model[k] = v
			}
		}
		prefix := keys[rng.IntN(len(keys))]
		prefix = prefix[:rng.IntN(len(prefix)+1)] // may cut a rune
		want := map[string][]byte{}
		for k, v := range model {
			if strings.HasPrefix(k, prefix) {
				want[k] = v
			}
		}
		require.Equal(t, want, load(t, s, prefix), "prefix %q", prefix)
	}
}
