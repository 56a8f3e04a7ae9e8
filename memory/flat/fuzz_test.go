package flat_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tape yields the fuzzer's bytes one by one, then zeros.
type tape []byte

func (p *tape) next(n int) int {
	if len(*p) == 0 {
		return 0
	}
	b := (*p)[0]
	*p = (*p)[1:]
	return int(b) % n
}

// vector returns a vector with many equal, similar and very different components.
func (p *tape) vector(dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(p.next(5)-2) + [...]float32{0, 0, 1e-6, 1e30}[p.next(4)]
	}
	v[0] += .5
	return v
}

// FuzzIndex puts, replaces, moves, deletes and searches.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{"", "0123456789012345678901234567890123456789", "hidden\x00\x01\x02\x03\x04\x05\x06\x07\x08\xff\xfe put, put, put, delete, search"} {
		f.Add([]byte(seed))
	}
	for n := range 4 {
		long := make([]byte, 400)
		for i := range long {
			long[i] = byte(uint32((i+n)*(i+3*n)) * 2654435761 >> 7)
		}
		f.Add(long)
	}
	f.Fuzz(func(t *testing.T, data []byte) { play(t, data[:min(len(data), 400)]) })
}

// TestIndex_LongSequences makes blocks grow and be freed.
func TestIndex_LongSequences(t *testing.T) {
	for n := range 5 {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		data := make([]byte, 10_000)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		data[0] = byte(n)
		play(t, data)
	}
}

// play executes the operations of the tape and compares each result with a scan of the expected records.
func play(t *testing.T, p tape) {
	dims := 1 + p.next(40)
	x := flat.New()
	at := map[string]memory.Record{}
	person, tag := func() string { return [...]string{"", "p", "q"}[p.next(3)] }, func() string { return fmt.Sprint("t", p.next(40)) }
	for len(p) > 0 {
		id := fmt.Sprint(p.next(250))
		space := [...]memory.Space{group, group, group, group.Secret()}[p.next(4)]
		switch p.next(4) {
		case 0, 1:
			r := memory.Record{ID: id, Space: space, Person: person(), Tags: []string{tag()}, At: time.Unix(int64(p.next(9)), 0)}
			if p.next(8) > 0 {
				r.Vector = p.vector(dims)
			}
			require.NoError(t, x.Put(t.Context(), r))
			at[id] = r
		case 2:
			require.NoError(t, x.Delete(t.Context(), space, id))
			if at[id].Space == space {
				delete(at, id)
			}
		case 3:
			q := memory.Query{Vector: p.vector(dims), Person: person()}
			if p.next(2) == 0 {
				q.Tags = []string{tag()}
			}
			if p.next(2) == 0 {
				q.Since, q.Until = time.Unix(int64(p.next(9)), 0), time.Unix(int64(p.next(9)), 0)
			}
			k := 1 + p.next(20)
			for _, s := range []memory.Space{group, group.Secret()} {
				var recs []memory.Record
				for i := range 250 {
					if r, ok := at[fmt.Sprint(i)]; ok && r.Space == s {
						recs = append(recs, r)
					}
				}
				got, err := x.Search(t.Context(), s, q, k)
				require.NoError(t, err)
				if want := naive(recs, q, k); len(want)+len(got) > 0 {
					assert.Equal(t, want, got)
				}
			}
		}
	}
}
