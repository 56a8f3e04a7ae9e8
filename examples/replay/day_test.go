package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// day returns the messages of many groups in a day, in order of time. Most of them are in few groups and in bursts, and some
// address the bot. No two messages have the same nanosecond of a second, so no deadline coincides with a message.
func day(groups, messages int, began time.Time, seed uint64) []input {
	rng := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(rng, 1.2, 20, uint64(groups-1))
	said := []string{"哈哈哈", "今天好冷啊", "谁去图书馆", "周末去爬山吧，我知道一条好路", "这个怎么弄？我试了两次都不行", "看完了，哭了", "在吗", "ok", "晚上打游戏吗，三缺一", "第四集什么时候出"}
	all := make([]input, 0, messages)
	for len(all) < messages {
		group, at := int(zipf.Uint64()), time.Duration(rng.Int64N(int64(24*time.Hour)))
		chat := fmt.Sprint("qq:group:", 100000+group)
		for range min(1+rng.IntN(12), messages-len(all)) {
			who := rng.IntN(8)
			m := heartflow.Message{ID: fmt.Sprint(len(all)), From: fmt.Sprint(10*group + who), Text: said[rng.IntN(len(said))]}
			switch rng.IntN(60) {
			case 0:
				m.Text = "小炉，" + m.Text
			case 1:
				m.AtMe, m.Text = true, "@小炉 "+m.Text
			}
			at = min(at+time.Duration(rng.IntN(20_000))*time.Millisecond, 24*time.Hour)
			all = append(all, input{At: began.Add(at.Truncate(time.Millisecond)), Chat: chat, Name: "群友", Message: m})
		}
	}
	for i := range all {
		all[i].At = all[i].At.Add(time.Duration(i))
	}
	slices.SortFunc(all, func(a, b input) int { return a.At.Compare(b.At) })
	for i := range all {
		all[i].N = i
	}
	return all
}

// BenchmarkDay plays a day of 1,000 groups and 288,000 messages with buffer, history, attention and a trace of each
// decision. The first day of a process also pays for its memory, so one without a measurement comes first.
func BenchmarkDay(b *testing.B) {
	all, variants := day(1000, 288_000, noon, 7), mustVariants(b)
	playDay(b, variants[0], all)
	for _, v := range variants {
		b.Run(v.name, func(b *testing.B) {
			b.ReportAllocs()
			var first uint64
			for b.Loop() {
				print, turns, said := playDay(b, v, all)
				if first == 0 {
					first = print
				}
				if print != first {
					b.Fatal("the same day came out differently")
				}
				b.ReportMetric(float64(turns), "turns")
				b.ReportMetric(float64(said), "said")
			}
			b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

// playDay returns a hash of all traces.
func playDay(t testing.TB, v variant, all []input) (print uint64, turns, said int) {
	o := heartflow.Options{Policy: v.policy, Names: []string{"小炉"}, Seed: 7}
	h := fnv.New64a()
	o.OnTrace = func(t heartflow.Trace) {
		h.Write([]byte(t.Chat))
		h.Write([]byte{byte(t.Do), byte(t.State), byte(len(t.Gates)), byte(t.At.Unix())})
	}
	r, err := newSimulator(v, o, func(t turn) { turns++ })
	require.NoError(t, err)
	require.NoError(t, r.run(context.Background(), all))
	return h.Sum64(), turns, r.replies
}

func mustVariants(t testing.TB) (vs []variant) {
	for _, p := range policies {
		v, err := parseVariant(p.name)
		require.NoError(t, err)
		vs = append(vs, v)
	}
	return vs
}

// The same day gives the same traces. Another seed gives others for random decisions.
func TestSimulator_Deterministic(t *testing.T) {
	all := day(40, 4000, noon, 7)
	for _, v := range mustVariants(t) {
		a, turns, said := playDay(t, v, all)
		b, _, _ := playDay(t, v, all)
		assert.Equal(t, a, b, v.name)
		assert.Positive(t, said)
		assert.GreaterOrEqual(t, turns, said)
	}
}
