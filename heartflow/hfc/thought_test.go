package hfc

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The results equal those of Python's difflib without its heuristic for long texts.
func TestSimilarity_MatchesDifflib(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"abcd", "bcde", .75},
		{"今天群里好热闹，想说点什么", "今天群里有人在聊火锅，我想说点什么", 0.6666},
		{"private Thread currentThread;", "private volatile Thread currentThread;", 0.8656},
		{"aXbXc", "bXaXb", .6},
		{"ab", "ba", .5},
		{"abcabba", "cbabac", 0.4615},
		{"同样", "同样", 1},
		{"一", "二", 0},
	} {
		a, b := []rune(test.a), []rune(test.b)
		assert.InDelta(t, test.want, similarity(matches(a, b), len(a), len(b)), .0001, "%q %q", test.a, test.b)
	}
}

// The buffers for rows are reused, and old values in them have no effect.
func TestMatches_MatchesNaiveModel(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 8))
	text := func() []rune {
		r := make([]rune, dice.IntN(24))
		for i := range r {
			r[i] = 'a' + rune(dice.IntN(4))
		}
		return r
	}
	for range 2000 {
		a, b := text(), text()
		require.Equal(t, naiveMatches(a, b, 0, 0), matches(a, b), "%s %s", string(a), string(b))
	}
}

func naiveMatches(a, b []rune, ai, bi int) (found []block) {
	var best block
	for i := range a {
		for j := range b {
			n := 0
			for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
				n++
			}
			if n > best.n {
				best = block{i, j, n}
			}
		}
	}
	if best.n == 0 {
		return nil
	}
	found = naiveMatches(a[:best.a], b[:best.b], ai, bi)
	found = append(found, block{ai + best.a, bi + best.b, best.n})
	return append(found, naiveMatches(a[best.a+best.n:], b[best.b+best.n:], ai+best.a+best.n, bi+best.b+best.n)...)
}

// drawn returns the numbers in the list, one per call, and fails after the last one.
func drawn(t *testing.T, list ...float64) func() float64 {
	return func() float64 {
		require.NotEmpty(t, list, "draws too often")
		x := list[0]
		list = list[1:]
		return x
	}
}

func TestVaryThought_Results(t *testing.T) {
	const (
		prev = "群里在聊周末去爬山，小明问我去不去，我有点想去，但是怕太累"
		next = "群里还在聊周末去爬山，小红说她也去，我有点想去了"
	)
	for name, test := range map[string]struct {
		prev, next string
		draws      []float64
		want       string
	}{
		"the first":               {"", next, nil, next},
		"nothing":                 {prev, "", nil, ""},
		"another subject":         {prev, "作业写完了吗", nil, "作业写完了吗"},
		"alike, chance says no":   {prev, next, []float64{.7793}, next},
		"alike, chance says yes":  {prev, next, []float64{.7792, .3, .7}, "小红说她也去"},
		"with a hum and a link":   {prev, next, []float64{0, .2, .5, .6, .99}, "哦，对了，小红说她也去"},
		"the same, from early":    {prev, prev, []float64{0, .9, .9}, "小明问我去不去，我有点想去，但是怕太累"},
		"the same, from the half": {prev, prev, []float64{.5, .9, .9}, "我有点想去，但是怕太累"},
		"the same, from late":     {prev, prev, []float64{.999, .9, .9}, "但是怕太累"},
		"the same, one clause":    {"我有点想去", "我有点想去", []float64{.5, .9, .9}, "点想去"},
		"one character":           {"嗯", "嗯", []float64{.9, .9, .9}, "嗯"},
		"other marks":             {prev, prev + "……", []float64{.9, .9, .1, .2}, "而且但是怕太累……"},
		"three quarters":          {"明天见面，去吃火锅", "明天见你，去吃火锅", []float64{.98, .9, .9}, "明天见你"},
		"only marks":              {"……", "……", []float64{.9, .9, .9}, "…"},
		"English":                 {"They talk of version 3.5. I want to try it.", "They still talk of version 3.5. Is it fast? I want to try it.", []float64{0, 0, 0, 0, 0}, "Hm, and then Is it fast?"},
		"beyond what is compared": {strings.Repeat("啊", 200), strings.Repeat("啊", 200) + "，然后呢", []float64{.9, .9}, "然后呢"},
	} {
		assert.Equal(t, test.want, VaryThought(test.prev, test.next, drawn(t, test.draws...)), name)
	}
}

// The shares over many draws equal the formula.
func TestVaryThought_Chances(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	for s, want := range map[float64]float64{.4: 0, .5: .35, .6: .7, .75: .85, .9: 1, .95: 1} {
		n := 0
		for range 20_000 {
			if rewrites(s, dice.Float64) {
				n++
			}
		}
		assert.InDelta(t, want, float64(n)/20_000, .015, "similarity %v", s)
	}
}

// FuzzVaryThought checks that the result is next, or parts of next in their order after a filler and a linking word.
func FuzzVaryThought(f *testing.F) {
	f.Add("今天群里好热闹", "今天群里好安静", uint64(1))
	f.Add("the same thing", "the same thing", uint64(2))
	f.Add("\xff\xfe", "\xff\xfe嗯", uint64(3))
	f.Fuzz(func(t *testing.T, prev, next string, seed uint64) {
		a, b := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 0))
		got := VaryThought(prev, next, a.Float64)
		require.Equal(t, got, VaryThought(prev, next, b.Float64))
		if got == next {
			return
		}
		rest := []rune(got)
		for _, list := range [][5]string{fillers, fillersEn, linkingWords, linkingWordsEn} {
			for _, front := range list {
				if after, ok := strings.CutPrefix(string(rest), front); ok {
					rest = []rune(after)
					break
				}
			}
		}
		left := []rune(next)
		for _, r := range rest {
			i := 0
			for i < len(left) && left[i] != r {
				i++
			}
			require.Less(t, i, len(left), "%q is not of %q", got, next)
			left = left[i+1:]
		}
		require.NotEmpty(t, got)
	})
}

// BenchmarkFreshen compares two thoughts of a usual length, and two worst cases.
func BenchmarkFreshen(b *testing.B) {
	dice := rand.New(rand.NewPCG(1, 1))
	for name, pair := range map[string][2]string{
		"usual": {"他们还在聊周末去哪里爬山，我上次没去成，这次想问问几点出发，要不要带水", "爬山的事好像定下来了，周末早上七点出发，我想问问要不要带水，还有谁一起去"},
		"worst": {strings.Repeat("哈嘿", 100), strings.Repeat("嘿嘿哈", 67)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				VaryThought(pair[0], pair[1], dice.Float64)
			}
		})
	}
}

// The share of rewritten thoughts rises with their similarity: none up to .4, and 3.5s-1.4, then s+.1, then all.
func TestRewrites_Shares(t *testing.T) {
	for s, want := range map[float64]float64{0: 0, .4: 0, .42: .07, .5: .35, .6: .7, .7: .8, .9: 1, .95: 1} {
		for _, draw := range []float64{want - .01, want + .01} {
			if draw >= 0 && draw < 1 {
				assert.Equal(t, draw < want, rewrites(s, func() float64 { return draw }), "similarity %v, draw %v", s, draw)
			}
		}
	}
}
