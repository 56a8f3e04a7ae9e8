// Package chatter generates chat messages for benchmarks.
package chatter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// Random returns n messages by 40 people. There is one message every 40 s, with about 20 characters each. The
// characters have a Zipf distribution, as in real text.
func Random(n int, space memory.Space, from time.Time) []memory.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 8, 2500)
	recs := make([]memory.Record, n)
	for i := range recs {
		var text strings.Builder
		for range 5 + rng.IntN(30) {
			text.WriteRune(rune(0x4e00 + zipf.Uint64()))
		}
		recs[i] = memory.Record{
			ID: fmt.Sprint(i), Space: space, Kind: memory.KindMessage, Text: text.String(), Person: fmt.Sprint(i % 40),
			Name: fmt.Sprintf("群友%c", rune(0x5000+i%40)), At: from.Add(time.Duration(i) * 40 * time.Second),
		}
	}
	return recs
}
