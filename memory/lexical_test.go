package memory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// lively generates a talk without pauses: a message a minute, some long, few without a time, few facts.
func lively(rng *rand.Rand, id int) Record {
	r := talk(rng, id)
	r.At = noon.Add(time.Duration(id) * time.Minute)
	if r.Kind = KindMessage; rng.IntN(30) == 0 {
		r.Kind = KindFact
	}
	if rng.IntN(30) == 0 {
		r.At = time.Time{}
	}
	return r
}

// talk generates chat messages from few words, so that many messages share them.
func talk(rng *rand.Rand, id int) Record {
	vocabulary := []string{"火锅", "作业", "显卡", "下雨", "keyboards", "running", "早", "晚安", "的", "game", "番剧", "我的3号", "吃什么？"}
	var text []string
	for range rng.IntN(6) {
		text = append(text, vocabulary[min(rng.IntN(13), rng.IntN(13))])
	}
	r := Record{ID: fmt.Sprint(id), Space: "s", Kind: KindMessage, Text: strings.Join(text, []string{"", " "}[rng.IntN(2)]), Name: []string{"小明", "Ann"}[rng.IntN(2)]}
	r.Person = r.Name + strings.Repeat("2", rng.IntN(2)) // two people have one name
	if rng.IntN(8) == 0 {
		r.Kind = KindFact
	}
	if rng.IntN(8) > 0 {
		r.At = noon.Add(time.Duration(id*rng.IntN(40)) * time.Minute)
	}
	if rng.IntN(30) == 0 {
		r.Text += strings.Repeat(" 很长的一段话", 30)
	}
	return r
}

func lookup(t *testing.T, x *LexicalIndex, text string, k int) []Candidate {
	t.Helper()
	cs, err := x.Search(t.Context(), "s", Query{Text: text}, k)
	require.NoError(t, err)
	return cs
}

// TestLexicalIndex_EqualsRebuilt puts, replaces and deletes at random. The index answers like a new one with the
// remaining records.
func TestLexicalIndex_EqualsRebuilt(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		talk := []func(*rand.Rand, int) Record{talk, lively}[seed%2]
		x := NewLexicalIndex(LexicalOptions{})
		var kept []Record
		for step := range 900 {
			i := rng.IntN(len(kept) + 1)
			switch grow := step < 400; {
			case i == len(kept) || grow && rng.IntN(5) < 3:
				r := talk(rng, step)
				kept = append(kept, r)
				require.NoError(t, x.Put(t.Context(), r))
			case grow && rng.IntN(2) == 0:
				r := talk(rng, step)
				r.ID = kept[i].ID
				kept[i] = r
				require.NoError(t, x.Put(t.Context(), r))
			case grow || rng.IntN(2) == 0: // it shrinks later, until it is compacted
				require.NoError(t, x.Delete(t.Context(), "s", kept[i].ID))
				kept = slices.Delete(kept, i, i+1)
			}
			if step%50 != 49 {
				continue
			}
			fresh := NewLexicalIndex(LexicalOptions{})
			require.NoError(t, fresh.Put(t.Context(), kept...))
			for _, q := range []string{"火锅", "作业 显卡 game", "run", "很长", "小明", ""} {
				want, got := lookup(t, fresh, q, 50), lookup(t, x, q, 50)
				require.Equal(t, len(want), len(got))
				for n := range want {
					require.Equal(t, want[n], got[n], "seed %d step %d %q", seed, step, q)
				}
			}
		}
		sh := x.spaceIndex("s", false)
		for i := range sh.docs {
			assert.Equal(t, sh.isPlain(i), sh.traits[i]&plain != 0, "seed %d doc %d", seed, i)
		}
		assert.Len(t, sh.byID, len(kept))
		assert.Less(t, len(sh.docs), 2*len(kept)+65, "deleted docs are compacted")
		require.NoError(t, x.Delete(t.Context(), "s", ids(kept)...))
		assert.Empty(t, sh.words.postings, "no term of a deleted text remains")
		assert.Empty(t, sh.pieces.postings)
		assert.Zero(t, sh.words.totalTerms+sh.pieces.totalTerms)
		assert.Empty(t, sh.authors.people)
		assert.Empty(t, sh.authors.names)
	}
}

func ids(recs []Record) (out []string) {
	for _, r := range recs {
		out = append(out, r.ID)
	}
	return out
}

// Whom a query names comes before others with the same words, whatever the card says now. A question comes after a statement, and what
// follows it gets more from it.
func TestLexicalIndex_AuthorsAndQuestions(t *testing.T) {
	say := func(id, person, name, text string, minute int) Record {
		return Record{ID: id, Space: "s", Kind: KindMessage, Person: person, Name: name, Text: text, At: noon.Add(time.Duration(minute) * time.Minute)}
	}
	scores := func(query string, recs ...Record) map[string]float64 {
		x := NewLexicalIndex(LexicalOptions{})
		require.NoError(t, x.Put(t.Context(), recs...))
		out := map[string]float64{}
		for _, c := range lookup(t, x, query, 20) {
			out[c.ID] = c.Score
		}
		return out
	}
	apart := []Record{say("a", "1", "小明", "周末去爬山", 0), say("b", "2", "阿哲", "周末去爬山", 100), say("c", "1", "困困", "周末去爬山", 200), say("d", "3", "Al", "周末去爬山", 300), say("e", "4", "明", "周末去爬山", 400)}
	named := scores("小明去爬山吗", apart...)
	assert.InDelta(t, namedFactor*named["b"], named["c"], 1e-4, "the same person under another name")
	assert.Greater(t, named["a"], named["c"], "the name is a word, too")
	own := apart[0]
	own.ID, own.Own = "own", true
	assert.Less(t, scores("小明去爬山吗", append(apart, own)...)["own"], named["a"], "the bot is talked to")
	also := scores("also 去爬山", apart...)
	assert.InDelta(t, also["b"], also["c"], 1e-4)
	assert.Less(t, also["d"], 1.1*also["b"], "al is no word of the query")
	var x authorIndex
	var query bag
	x.add(&query, "4", "明")
	x.add(&query, "5", "小明")
	query.terms("小明去爬山", "")
	slices.Sort(query.words)
	assert.Equal(t, []uint32{2}, x.named(query.words, nil), "one character names nobody")

	for question, asks := range map[string]bool{"去爬山吗": true, "去爬山？": true, "climb a 爬山?! 😀": true, "去爬山吧": false, "": false, "哈？没有": false} {
		assert.Equal(t, asks, isQuestion(question), question)
	}
	alone := scores("爬山", say("q", "1", "小明", "去爬山？", 0), say("s", "2", "阿哲", "去爬山。", 100))
	assert.InEpsilon(t, questionFactor, alone["q"]/alone["s"], 1e-4)
	talk := scores("爬山", say("q", "1", "小明", "去爬山？", 0), say("a", "2", "阿哲", "明天", 1), say("s", "3", "小红", "去爬山。", 100), say("b", "4", "小强", "明天", 101))
	assert.InEpsilon(t, answerFactor, talk["a"]/talk["b"], 1e-4)
}

// A question word is no term: a text with many of them does not answer every question.
func TestLexicalIndex_QuestionWords(t *testing.T) {
	x := NewLexicalIndex(LexicalOptions{})
	require.NoError(t, x.Put(t.Context(),
		Record{ID: "many", Space: "s", Kind: KindFact, Text: "什么什么，为什么，是什么，什么时候，在哪里，谁"},
		Record{ID: "true", Space: "s", Kind: KindFact, Text: "小雨的生日在三月"}))
	found := func(q string) (ids []string) {
		for _, c := range lookup(t, x, q, 5) {
			ids = append(ids, c.ID)
		}
		return ids
	}
	assert.Equal(t, "true", found("小雨的生日是什么时候")[0])
	assert.Empty(t, found("什么时候"))
	assert.Equal(t, []string{"true"}, found("生日什么时候"), "found by another word")
}

// naive computes the scores by the formulas, without an index. own is the part from a record's own words.
func naive(recs []Record, q string, spread float64) (scores, own map[string]float64) {
	bags := make([]bag, len(recs))
	for i, r := range recs {
		bags[i].terms(r.Text, r.Name)
	}
	scores, own = map[string]float64{}, map[string]float64{}
	field := func(of func(*bag) []uint64, weight float64) {
		var query bag
		query.terms(q, "")
		total := 0
		for i := range bags {
			total += len(of(&bags[i]))
		}
		average := float64(total) / float64(len(recs))
		terms := slices.Clone(of(&query))
		slices.Sort(terms)
		for _, term := range slices.Compact(terms) {
			use := make([]float64, len(recs))
			df := 0.
			for i := range bags {
				tf := 0.
				for _, x := range of(&bags[i]) {
					if x == term {
						tf++
					}
				}
				if tf > 0 {
					df++
					use[i] = tf / (tf + bm25K1*(1-bm25B+bm25B*float64(len(of(&bags[i])))/average))
				}
			}
			idf := weight * (bm25K1 + 1) * math.Pow(math.Log(1+(float64(len(recs))-df+.5)/(df+.5)), idfPower)
			if kind := term &^ termMask; query.isMixed() && (kind == termWord || kind == termBorder) {
				idf *= mixedFactor
			}
			best := slices.Clone(use)
			for i := range recs {
				if use[i] == 0 || df > max(4, float64(len(recs))*spreadShare) {
					continue
				}
				for _, dir := range []int{1, -1} {
					share := use[i] * spread
					if dir < 0 {
						share *= prevFactor
					} else if isQuestion(recs[i].Text) {
						share *= answerFactor
					}
					for n, j := 0, i+dir; n < neighborReach && j >= 0 && j < len(recs); j += dir {
						if recs[i].Kind != KindMessage || recs[i].At.IsZero() {
							break
						}
						if recs[j].Kind != KindMessage {
							continue
						}
						if n++; recs[j].At.IsZero() || recs[j].At.Sub(recs[i].At).Abs() > neighborGap*time.Second {
							break
						}
						got := share
						if size := float64(len(bags[j].words)); size > neighborMaxWords {
							got *= neighborMaxWords / size
						}
						best[j] = max(best[j], got)
						share *= stepDecay
					}
				}
			}
			for i := range recs {
				scores[recs[i].ID] += idf * best[i]
				own[recs[i].ID] += idf * use[i]
			}
		}
	}
	field(func(b *bag) []uint64 { return b.words }, wordFieldWeight)
	field(func(b *bag) []uint64 { return b.pieces }, 1-wordFieldWeight)
	named := map[string]bool{}
	for _, r := range recs {
		named[r.Person] = named[r.Person] || strings.Contains(q, r.Name)
	}
	for _, r := range recs {
		factor := 1.
		looks, asked := looksOf(r.Text), wishOf(q)
		for _, x := range []struct {
			is bool
			by float64
		}{
			{looks&asks != 0, questionFactor}, {named[r.Person], namedFactor}, {named[r.Person] && looks&ofItself != 0, ofItselfFactor},
			{asked.answer && looks&specific != 0, specificFactor}, {asked.time && looks&dated != 0, datedFactor},
		} {
			if x.is {
				factor *= x.by
			}
		}
		scores[r.ID] *= factor
		own[r.ID] *= factor
	}
	return scores, own
}

func TestLexicalIndex_ScoresEqualNaive(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2))
		spread := []float64{nextWeight, .3, 0}[seed/2%3]
		o := LexicalOptions{NeighborWeight: spread}
		if spread == 0 {
			o.NeighborWeight = -1
		}
		x := NewLexicalIndex(o)
		var recs []Record
		talk := []func(*rand.Rand, int) Record{talk, lively}[seed%2]
		for i := range 150 {
			recs = append(recs, talk(rng, i))
		}
		require.NoError(t, x.Put(t.Context(), recs...))
		plains := 0
		for _, t := range x.spaceIndex("s", false).traits {
			plains += int(t & plain / plain)
		}
		assert.Equal(t, seed%2 == 1, plains > 10, "seed %d: %d plain docs", seed, plains)
		for _, q := range []string{"火锅", "keyboard", "显卡 game 番剧", "我的3号作业 我的3号作业", "Ann", "小明什么时候有显卡", "nothing"} {
			want, own := naive(recs, q, spread)
			got := lookup(t, x, q, 1000)
			for _, c := range got {
				assert.InDelta(t, want[c.ID], c.Score, 1e-4, "seed %d %q %s", seed, q, c.ID)
				assert.InDelta(t, own[c.ID], c.Score-c.NeighborScore, 1e-4, "seed %d %q %s by its own words", seed, q, c.ID)
				delete(want, c.ID)
			}
			for id, s := range want {
				assert.Zero(t, s, "seed %d %q %s was not found", seed, q, id)
			}
		}
	}
}

// TestLexicalIndex_FindsAnswerByNeighbor: the answer follows the question and shares no word with it.
func TestLexicalIndex_FindsAnswerByNeighbor(t *testing.T) {
	x := NewLexicalIndex(LexicalOptions{})
	var recs []Record
	for i, text := range []string{"今天好冷啊", "谁知道校医院电话", "62751919", "谢谢", "晚上打球吗", "不打", "作业写完了没", "没"} {
		recs = append(recs, Record{ID: text, Space: "s", Kind: KindMessage, Text: text, At: noon.Add(time.Duration(i) * 15 * time.Second)})
	}
	require.NoError(t, x.Put(t.Context(), recs...))
	got := lookup(t, x, "校医院的电话是多少", 2)
	assert.Equal(t, "谁知道校医院电话", got[0].ID)
	assert.Zero(t, got[0].NeighborScore)
	assert.Equal(t, "62751919", got[1].ID)
	assert.Equal(t, got[1].Score, got[1].NeighborScore, "the score comes from the question before it")
}

// TestLexicalIndex_FindsMisspelledWords: pieces match words with spelling errors.
func TestLexicalIndex_FindsMisspelledWords(t *testing.T) {
	x := NewLexicalIndex(LexicalOptions{})
	require.NoError(t, x.Put(t.Context(), Record{ID: "1", Space: "s", Text: "my new keyboard"}, Record{ID: "2", Space: "s", Text: "nothing to see"}))
	if got := lookup(t, x, "keybaord keyboards", 1); assert.Len(t, got, 1) {
		assert.Equal(t, "1", got[0].ID)
	}
	if got := lookup(t, x, "keybord", 1); assert.Len(t, got, 1) {
		assert.Equal(t, "1", got[0].ID)
	}
}

func TestLexicalIndex_NewestWithoutText(t *testing.T) {
	x := NewLexicalIndex(LexicalOptions{})
	for i := range 10 {
		require.NoError(t, x.Put(t.Context(), Record{ID: fmt.Sprint(i), Space: "s", At: noon.Add(time.Duration(i*7%10) * time.Hour)}))
	}
	got := lookup(t, x, " ", 3)
	assert.Equal(t, []string{"7", "4", "1"}, []string{got[0].ID, got[1].ID, got[2].ID})
	assert.Empty(t, lookup(t, x, "？！", 3), "no searchable words")
}

// TestLexicalIndex_HugeQuery: a query may contain a whole batch of messages.
func TestLexicalIndex_HugeQuery(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	x := NewLexicalIndex(LexicalOptions{})
	for i := range 300 {
		require.NoError(t, x.Put(t.Context(), Record{ID: fmt.Sprint(i), Space: "s", Text: strings.Join(someWords(rng, 30), " ")}))
	}
	q := strings.Join(someWords(rng, 5000), " ") + " unheard"
	require.NoError(t, x.Put(context.Background(), Record{ID: "rare", Space: "s", Text: "unheard"}))
	found := lookup(t, x, q, 1000)
	assert.True(t, slices.ContainsFunc(found, func(c Candidate) bool { return c.ID == "rare" }), "the rarest words of a long query count")
}

func someWords(rng *rand.Rand, n int) (ws []string) {
	for range n {
		ws = append(ws, fmt.Sprintf("w%d", rng.IntN(400)))
	}
	return ws
}

// TestLexicalIndex_NewestInTimeSpan lists the records within a time span, sorted and unsorted, and compares with a full
// scan.
func TestLexicalIndex_NewestInTimeSpan(t *testing.T) {
	for _, shuffled := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(3, 4))
		x := NewLexicalIndex(LexicalOptions{})
		var recs []Record
		for i := range 300 {
			r := Record{ID: fmt.Sprint(i), Space: "s", Person: fmt.Sprint(i % 3), At: noon.Add(time.Duration(i/2) * time.Minute)}
			if shuffled && i%7 == 0 {
				r.At = noon.Add(time.Duration(rng.IntN(300)) * time.Minute)
			}
			recs = append(recs, r)
		}
		require.NoError(t, x.Put(t.Context(), recs...))
		assert.Equal(t, !shuffled, x.spaceIndex("s", false).inTimeOrder)
		require.NoError(t, x.Delete(t.Context(), "s", "120", "121", "122"))
		recs = slices.Delete(recs, 120, 123)
		slices.Reverse(recs)
		slices.SortStableFunc(recs, func(a, b Record) int { return b.At.Compare(a.At) })
		for range 200 {
			q := Query{Person: []string{"", "1"}[rng.IntN(2)]}
			if rng.IntN(3) > 0 {
				q.Since = noon.Add(time.Duration(rng.IntN(9000)) * time.Second)
			}
			if rng.IntN(3) > 0 {
				q.Until = noon.Add(time.Duration(rng.IntN(9000)) * time.Second)
			}
			k := 1 + rng.IntN(40)
			got, err := x.Search(t.Context(), "s", q, k)
			require.NoError(t, err)
			var want []string
			for _, r := range recs {
				if q.Match(&r) && len(want) < k {
					want = append(want, r.ID)
				}
			}
			var found []string
			for _, c := range got {
				found = append(found, c.ID)
			}
			require.Equal(t, want, found, "%+v", q)
		}
	}
}
