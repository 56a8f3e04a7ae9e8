package facts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/memory/internal/groupchat"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

// A world is a generated chat in a memory.
type world struct {
	groupchat.Chat
	mem   *memory.Memory
	store *memory.MemStore
	facts map[memory.Space]*facts.Facts
}

func newWorld(t testing.TB, o groupchat.Options) *world {
	w := &world{Chat: groupchat.New(o), store: memory.NewMemStore(), facts: map[memory.Space]*facts.Facts{}}
	w.mem = memorytest.New(t, w.store, memory.Options{})
	require.NoError(t, w.mem.Put(t.Context(), w.Records...))
	for i := range w.Records {
		r := &w.Records[i]
		if w.facts[r.Space] == nil {
			w.facts[r.Space] = facts.New(w.mem, w.store, r.Space)
		}
		_, err := w.facts[r.Space].Learn(t.Context(), *r)
		require.NoError(t, err)
	}
	return w
}

// relations maps the generator's names to those of the package.
var relations = map[string]facts.Relation{
	"birthday": facts.Birthday, "job": facts.Job, "place": facts.Place, "like": facts.Likes, "dislike": facts.Dislikes, "pet": facts.Pet, "plan": facts.Plan,
	"partner": facts.Partner, "roommate": facts.Roommate,
}

// answer answers a question by facts alone, and reports whether that is exactly right.
func (w *world) answer(t testing.TB, q groupchat.Question) bool {
	f := w.facts[q.Space]
	if q.Kind == groupchat.Meant {
		return f.Meant(q.Name) == q.Subject
	}
	all, err := f.At(t.Context(), q.At, q.Subject)
	require.NoError(t, err)
	all = slices.DeleteFunc(all, func(o facts.Fact) bool { return o.Relation != relations[q.Relation] })
	if !relations[q.Relation].Multiple() {
		all = all[:min(1, len(all))] // the first one is the answer; others contradict it
	}
	switch {
	case len(all) != len(q.Values):
		return false
	case q.Kind == groupchat.Since:
		return all[0].From.Equal(q.Since)
	case q.Kind == groupchat.Who:
		return all[0].Speaker == q.Speaker
	}
	for _, spellings := range q.Values {
		if !slices.ContainsFunc(all, func(f facts.Fact) bool { return slices.Contains(spellings, f.Value) }) {
			return false
		}
	}
	return true
}

// recalled answers a question by the texts of the best k records that Recall finds, for person only the messages of the
// person asked about. It is right if they have all values and no outdated one.
func (w *world) recalled(t testing.TB, q groupchat.Question, k int, person string) bool {
	query := memory.Query{Text: q.Text, Limit: k, Person: person}
	if q.Kind == groupchat.Then {
		query.Until = q.At
	}
	hits, err := w.mem.Reader(q.Space).Recall(t.Context(), w.End, query)
	require.NoError(t, err)
	text := ""
	for _, h := range hits {
		text += h.Text + "\n"
	}
	switch q.Kind {
	case groupchat.Meant:
		return slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Person == q.Subject && strings.Contains(h.Text, q.Name) })
	case groupchat.Since:
		return slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.At.Equal(q.Since) })
	case groupchat.Who:
		return slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Person == q.Speaker && containsSpelling(h.Text, q.Values[0]) })
	}
	for _, spellings := range q.Values {
		if !containsSpelling(text, spellings) {
			return false
		}
	}
	return !slices.ContainsFunc(q.Outdated, func(v string) bool { return strings.Contains(text, v) })
}

func containsSpelling(text string, spellings []string) bool {
	text = strings.ReplaceAll(text, "号", "日")
	return slices.ContainsFunc(spellings, func(v string) bool { return strings.Contains(text, v) })
}

// A score counts right answers by class of question.
type score map[string]*[5]int // questions; right by facts, by recall top 1, top 3, top 3 of the person's messages

func (s score) add(class string, right ...bool) {
	if s[class] == nil {
		s[class] = new([5]int)
	}
	s[class][0]++
	for i, r := range right {
		if r {
			s[class][i+1]++
		}
	}
}

func (s score) share(class string, i int) float64 {
	return float64(s[class][i]) / float64(max(1, s[class][0]))
}

func (s score) log(t testing.TB) {
	for _, class := range slices.Sorted(maps.Keys(s)) {
		t.Logf("%-16s %4d questions: facts %.3f, recall top 1 %.3f, top 3 %.3f, top 3 of the person %.3f",
			class, s[class][0], s.share(class, 1), s.share(class, 2), s.share(class, 3), s.share(class, 4))
	}
}

// lead returns by how much facts are ahead of the best recall.
func (s score) lead(class string) float64 {
	return s.share(class, 1) - max(s.share(class, 2), s.share(class, 3), s.share(class, 4))
}

// ask asks all questions.
func (w *world) ask(t testing.TB, s score) {
	for _, q := range w.Questions {
		right := w.answer(t, q)
		by := []bool{right, w.recalled(t, q, 1, ""), w.recalled(t, q, 3, ""), w.recalled(t, q, 3, q.Subject)}
		s.add("all", by...)
		s.add("kind "+string(q.Kind), by...)
		if q.Kind == groupchat.Now && q.Changed {
			s.add("update", by...)
		}
		if q.Kind == groupchat.Now {
			s.add("now "+q.Relation, by...)
		}
	}
}

// measure asks about chats of some seeds.
func measure(t *testing.T, o groupchat.Options, seeds int) score {
	s := score{}
	if testing.Short() {
		seeds, o.Messages = 1, 800
	}
	for range seeds {
		newWorld(t, o).ask(t, s)
		o.Seed++
	}
	t.Logf("%s, English %v:", o.Phrasings.Name, o.English)
	s.log(t)
	return s
}

// english returns options for chats in English, which are shorter and have fewer people.
func english(o groupchat.Options) groupchat.Options {
	o.English, o.Messages = true, 600
	return o
}

// TestGroupChat_Tuning answers questions about chats made of phrasings that the model has learned.
func TestGroupChat_Tuning(t *testing.T) {
	for _, set := range groupchat.Tuning() {
		o := groupchat.Options{Phrasings: set, Messages: 2000}
		assert.Greater(t, measure(t, o, 1).share("all", 1), .93, set.Name)
		assert.Greater(t, measure(t, english(o), 1).share("all", 1), .9, set.Name)
	}
}

// Least shares of right answers for held-out phrasings: of all questions, of those after a change, and by how much facts are ahead of
// recall.
const (
	leastAll, leastUpdate, leastLead               = .9, .85, .4
	leastEnglish, leastEnglishUpdate, leastEngLead = .9, .75, .4
)

// TestGroupChat_Unseen measures with the held-out phrasings. It shows numbers only: nobody may mend the model with them.
func TestGroupChat_Unseen(t *testing.T) {
	if testing.Short() {
		t.Skip("a few messages measure nothing")
	}
	require.NotEmpty(t, groupchat.Unseen())
	for _, set := range groupchat.Unseen() {
		o := groupchat.Options{Seed: 100, Phrasings: set}
		s := measure(t, o, 3)
		assert.Greater(t, s.share("all", 1), leastAll, set.Name)
		assert.Greater(t, s.share("update", 1), leastUpdate, set.Name)
		assert.Greater(t, s.lead("all"), leastLead, set.Name)
		s = measure(t, english(o), 10)
		assert.Greater(t, s.share("all", 1), leastEnglish, set.Name)
		assert.Greater(t, s.share("update", 1), leastEnglishUpdate, set.Name)
		assert.Greater(t, s.lead("all"), leastEngLead, set.Name)
	}
}
