// Package storage has what the stores over databases have in common.
package storage

import (
	"encoding/binary"
	"iter"
	"math"

	"github.com/hearth-bot/hearth/memory"
)

// EncodeVector returns the bytes of a vector for [DecodeVector]; nil for nil.
func EncodeVector(v []float32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v) // cannot fail for floats
	return b
}

// DecodeVector returns the vector of the bytes of [EncodeVector].
func DecodeVector(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// PrefixEnd returns the first key after all keys with the prefix; nil: there is none.
func PrefixEnd(prefix string) []byte {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return b[:i+1]
		}
	}
	return nil
}

// Scan yields the records of a space with a Seq above after. read returns the next size records with a Seq above its argument,
// or fewer at the end of the space.
func Scan(after uint64, size int, read func(after int64) ([]memory.Record, error)) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for after := after; after < math.MaxInt64; {
			recs, err := read(int64(after))
			if err != nil {
				yield(memory.Record{}, err)
				return
			}
			for _, r := range recs {
				if !yield(r, nil) {
					return
				}
				after = r.Seq
			}
			if len(recs) < size {
				return
			}
		}
	}
}
