package lookback

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/fold"
)

func TestAnalyze_Classes(t *testing.T) {
	for _, tt := range []struct {
		text  string
		class uint8
		cues  uint32 // expected among others
		words uint8
	}{
		{"", statement, 0, 0},
		{"how do i mount a disk", classAsking, asking | self, 2},
		{"it does not boot?", classQuestion, question, 1},
		{"thanks a lot", classThanks, thanks, 0},
		{"ok", classShort, short, 0},
		{"hello all", classGreeting, greeting, 1},
		{"see https://example.com/a", statement, link | directive, 2},
		{"这个怎么装", classQuestion, question | asking, 2},
		{"有人知道吗", classQuestion, question | anybody, 3},
		{"谢谢", classThanks, thanks, 1},
		{"哈哈", classShort, short, 1},
		{"你好", classGreeting, greeting | you, 1},
		{"求推荐显卡", classQuestion, question, 4},
	} {
		got := Analyze([]byte(tt.text), nil)
		assert.Equal(t, tt.class, got.Class, "%q", tt.text)
		assert.Equal(t, tt.cues, got.Cues&tt.cues, "%q", tt.text)
		assert.Equal(t, tt.words, got.Words.N, "%q", tt.text)
	}
}

func TestAnalyze_Names(t *testing.T) {
	text := Analyze([]byte("ann: did bob-2 see it, ubuntu user?"), nil)
	var starts []bool
	for _, n := range text.names[:text.found] {
		starts = append(starts, n.start)
	}
	assert.Equal(t, fold.Hash("ann"), text.names[0].hash)
	assert.True(t, text.names[0].colon)
	assert.Equal(t, fold.Hash("bob-2"), text.names[2].hash, "names have 3 letters or more")
	assert.Equal(t, []bool{true, false, false, false}, starts[:4])
}

// chatter adds lines of a few people to a chat, and returns the features of the lines of others.
func chatter(c *Chat, weights []float32, dice *rand.Rand, lines int) (seen []Features) {
	people := []string{"me", "ann", "bob", "cid", "dee"}
	says := []string{"how do i mount a disk?", "ann: try the manual", "bob: which disk", "thanks", "ok", "the disk does not mount", "me: is it you?"}
	at := int64(1_700_000_000)
	for i := range lines {
		at += dice.Int64N(90)
		who := people[dice.IntN(len(people))]
		text := Analyze([]byte(says[dice.IntN(len(says))]), nil)
		in := &Input{At: at, From: fold.Hash(who), ID: fold.Hash(fmt.Sprint(i)), Line: -1, Text: &text}
		if who == "me" {
			in.Own = true
			c.AddOwn(in, weights)
			continue
		}
		if text.found > 0 && text.names[0].hash == fold.Hash("me") {
			in.ToMe = 1
		}
		var f Features
		c.Observe(in, weights, &f)
		seen = append(seen, f)
	}
	return seen
}

func testWeights() []float32 {
	dice := rand.New(rand.NewPCG(5, 5))
	w := make([]float32, LinkWeights)
	for i := range w {
		w[i] = float32(dice.NormFloat64())
	}
	return w
}

func TestLinks_SumToOne(t *testing.T) {
	var c Chat
	w := testWeights()
	dice := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		chatter(&c, w, dice, 1)
		text := Analyze([]byte("bob: where is the disk"), nil)
		l := c.newLine(&Input{At: 1_800_000_000, From: fold.Hash("ann"), Line: -1, Text: &text})
		var k Links
		c.links(&l, w, &k)
		sum := k.None
		for _, p := range k.P[:k.N] {
			require.GreaterOrEqual(t, p, float32(0))
			sum += p
		}
		require.InDelta(t, 1, sum, 1e-4)
		require.LessOrEqual(t, k.N, reach)
	}
	assert.Len(t, c.Lines, maxLines)
}

// More people write than are kept.
func TestChat_BoundedPeople(t *testing.T) {
	var c Chat
	w := testWeights()
	dice := rand.New(rand.NewPCG(2, 1))
	text := Analyze([]byte("p1: hello p2 and p3"), nil)
	var f Features
	for i := range 5000 {
		in := &Input{At: int64(i), From: fold.Hash(fmt.Sprint("p", dice.IntN(300))), Own: i%50 == 0, Line: -1, Text: &text}
		if in.Own {
			c.AddOwn(in, w)
		} else {
			c.Observe(in, w, &f)
		}
		require.Equal(t, uint32(bot), c.People[0].Hash)
	}
	assert.Len(t, c.People, maxPeople)
	assert.True(t, c.valid())
}

func TestChat_SaveAndLoad(t *testing.T) {
	var a, b Chat
	w := testWeights()
	chatter(&a, w, rand.New(rand.NewPCG(3, 1)), 200)
	require.NoError(t, b.Load(a.Save()))
	assert.Equal(t, a, b)
	assert.Equal(t, chatter(&a, w, rand.New(rand.NewPCG(4, 1)), 100), chatter(&b, w, rand.New(rand.NewPCG(4, 1)), 100))

	saved := a.Save()
	for _, bad := range [][]byte{nil, saved[:20], saved[:len(saved)-1], append(saved[:len(saved):len(saved)], 0)} {
		assert.Error(t, b.Load(bad))
	}
	var empty Chat
	assert.NoError(t, b.Load(empty.Save()))
}

func FuzzLoad(f *testing.F) {
	var a Chat
	w := testWeights()
	chatter(&a, w, rand.New(rand.NewPCG(3, 1)), 5)
	f.Add(a.Save())
	f.Fuzz(func(t *testing.T, saved []byte) {
		var c Chat
		if c.Load(saved) == nil {
			chatter(&c, w, rand.New(rand.NewPCG(4, 1)), 70)
		}
	})
}

func TestSteps(t *testing.T) {
	for i, most := range gaps {
		assert.Equal(t, i, gap(most))
		assert.Equal(t, i+1, gap(most+1))
	}
	assert.Zero(t, gap(-1))
	assert.Equal(t, len(gaps), gap(1<<40))
	assert.Equal(t, []int{0, 0, 1, 2, 3, 3, 3}, []int{upTo3(-1 << 40), upTo3(0), upTo3(1), upTo3(2), upTo3(3), upTo3(4), upTo3(1 << 40)})
}

func TestChat_Recall(t *testing.T) {
	var c Chat
	w := testWeights()
	chatter(&c, w, rand.New(rand.NewPCG(3, 1)), 30)
	l := c.line(c.Count - 1)
	id := l.ID
	c.Recall(id)
	text := Analyze([]byte("where?"), nil)
	next := c.newLine(&Input{At: l.At, From: fold.Hash("ann"), Line: -1, Text: &text})
	var k Links
	c.links(&next, w, &k)
	assert.Zero(t, k.P[0], "a recalled line is no candidate")
	assert.NotZero(t, k.P[1])
}

// The quote of an own line decides the answered line, whatever the estimate.
func TestAddOwn_Quote(t *testing.T) {
	for quoted := range int64(3) {
		var c Chat
		w := testWeights()
		text := Analyze([]byte("the disk does not mount"), nil)
		var f Features
		for i, who := range []string{"ann", "bob", "cid"} {
			c.Observe(&Input{At: int64(i), From: fold.Hash(who), ID: uint32(i + 1), Line: -1, Text: &text}, w, &f)
		}
		c.AddOwn(&Input{At: 9, Own: true, Quote: uint32(quoted + 1), Line: -1, Text: &text}, w)
		for n := range int64(3) {
			assert.Equal(t, n == quoted, c.line(n).Mine, "line %d, %d is quoted", n, quoted)
		}
	}
}

// A quote decides the link, whatever the estimate.
func TestObserve_Quote(t *testing.T) {
	var c Chat
	w := testWeights()
	chatter(&c, w, rand.New(rand.NewPCG(3, 1)), 30)
	own := c.Own.Last
	require.GreaterOrEqual(t, own, c.first())
	text := Analyze([]byte("where?"), nil)
	var f Features
	in := &Input{At: c.line(c.Count-1).At + 500, From: fold.Hash("new"), Quote: c.line(own).ID, Line: -1, Text: &text}
	c.Observe(in, w, &f)
	assert.InDelta(t, 1, f[fMe], 0)
	assert.InDelta(t, 1, f[fBest], 0)
	assert.Zero(t, f[fNew])
	in.Quote = 12345 // of a line that is not kept any more
	c.Observe(in, w, &f)
	assert.Less(t, f[fBest], float32(1))
}

func TestAddOwn_Echo(t *testing.T) {
	var c Chat
	w := testWeights()
	text := Analyze([]byte("the manual says so"), nil)
	for _, at := range []int64{100, 103, 160, 161} {
		c.AddOwn(&Input{At: at, Own: true, ID: uint32(at), Line: -1, Text: &text}, w)
	}
	require.Len(t, c.Lines, 2, "the same text within a minute is one line")
	assert.Equal(t, []int64{100, 161}, []int64{c.Lines[0].At, c.Lines[1].At})
	assert.Equal(t, uint32(160), c.Lines[0].ID, "with the newest id")
}

func TestModel_WriteAndParse(t *testing.T) {
	m := &Model{
		Links: testWeights(), Threshold: .25, Words: Words{WordKey(anyWord, "ok"): {.5, -.25}}, Keys: map[uint32]string{WordKey(anyWord, "ok"): "u:ok"},
	}
	m.Experts[Directed] = Expert{Base: 7}
	m.Experts[Called] = Expert{Base: 8, Trees: []Tree{{{Value: 2}}}}
	m.Experts[Other] = Expert{
		Base: -3, Trees: []Tree{{{Feature: fMe, Left: 1, At: .5, Value: .1}, {Value: -.25}, {Feature: fTo, Left: 3, At: 2, Value: .5}, {Value: 1}, {Value: 2}}, {{Value: .125}}},
	}
	for i := range m.Links {
		m.Links[i] = float32(int(m.Links[i]*100)) / 100
	}
	var b strings.Builder
	require.NoError(t, m.Write(&b))
	got, err := Parse(b.String())
	require.NoError(t, err)
	m.Keys = nil
	assert.Equal(t, m, got)
	said := Analyze([]byte("ok"), got.Words)
	assert.Equal(t, [2]float32{.5, -.25}, [2]float32{said.Named, said.Open})

	var f Features
	f[fMe], f[fTo], f[fNaming] = .7, 1, 1
	var by [NumFeatures]float32
	assert.InDelta(t, float64(chance(-3+1+.125)), float64(got.Score(&f)), 1e-6)
	score, _ := got.Explain([]Message{{Known: true, Features: f}}, &by)
	assert.InDelta(t, float64(got.Score(&f)), float64(score), 1e-6)
	assert.InDelta(t, .4, by[fMe], 1e-6)
	assert.InDelta(t, .5, by[fTo], 1e-6)

	for _, bad := range []string{
		"", "word", "tree 1", "expert called 1\ntree me<1:0:0 1 1", "expert called 1\ntree me<1:1:0 1", "expert called 1\ntree who<1:1:0 1 1", "link same_gap 1", "link nothing", "word u:x 1", "expert called x", "expert other 1", "threshold NaN",
		strings.Replace(b.String(), "threshold 0.250", "threshold 1", 1), b.String() + "link same_gap" + strings.Repeat(" 1", 20),
	} {
		_, err := Parse(bad)
		assert.Error(t, err, "%.40q", bad)
	}
}

func TestFeatures_NamesAndGroups(t *testing.T) {
	seen := map[string]bool{}
	for i, n := range Names {
		assert.NotEmpty(t, n, "feature %d", i)
		assert.False(t, seen[n], n)
		seen[n] = true
		assert.Less(t, GroupOf[i], Groups)
	}
}

func BenchmarkHear(b *testing.B) {
	var c Chat
	w := testWeights()
	chatter(&c, w, rand.New(rand.NewPCG(3, 1)), 100)
	text := Analyze([]byte("bob: how do i mount the other disk in that case?"), nil)
	in := &Input{At: 1_700_009_000, From: fold.Hash("ann"), Line: -1, Text: &text}
	var f Features
	b.ReportAllocs()
	for b.Loop() {
		in.At++
		c.Observe(in, w, &f)
	}
}
