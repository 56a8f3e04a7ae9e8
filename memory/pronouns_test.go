package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/groupchat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// talks are what people say before a question with a pronoun. Those of the second set were not used to write the rules.
var talks = map[string][2][][]string{
	"zh": {
		{{"%s今天又迟到了"}, {"你们看见%s没", "没有啊", "他好久没来了"}, {"%s刚才说的那个", "笑死"}, {"早", "昨天和%s吃饭来着", "吃的啥", "面"}},
		{{"我刚在路上碰到%s了", "哦？"}, {"%s怎么没来", "请假了吧"}, {"群里数%s最能聊", "哈哈哈哈", "是的"}, {"说起来%s这人真有意思"}},
	},
	"en": {
		{{"I saw %s today"}, {"%s is late again", "as always"}},
		{{"ran into %s on my way", "oh?"}, {"has anybody heard from %s lately", "nope", "me neither"}},
	},
}

// found reports whether one of the hits says a value of the answer, and is by the subject or names it.
func found(hits []memory.Hit, q groupchat.Question) bool {
	return slices.ContainsFunc(hits, func(h memory.Hit) bool {
		about := h.Person == q.Subject || strings.Contains(h.Text, q.Name)
		return about && slices.ContainsFunc(q.Values, func(spellings []string) bool {
			return slices.ContainsFunc(spellings, func(v string) bool { return strings.Contains(h.Text, v) })
		})
	})
}

// TestRecall_Pronouns asks generated questions with a pronoun in the place of a name. It logs how many are answered by the best five
// hits: with the name, with the pronoun alone, and with the talk before it.
func TestRecall_Pronouns(t *testing.T) {
	for _, c := range []struct {
		name      string
		set       int
		phrasings *groupchat.Phrasings
		lang      string
	}{{"tuning", 0, groupchat.Tuning()[0], "zh"}, {"unseen", 1, groupchat.Unseen()[0], "zh"}, {"tuning English", 0, groupchat.Tuning()[0], "en"}, {"unseen English", 1, groupchat.Unseen()[0], "en"}} {
		t.Run(c.name, func(t *testing.T) {
			chat := groupchat.New(groupchat.Options{Seed: 7, Phrasings: c.phrasings, English: c.lang == "en", Messages: 3000})
			m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
			put(t, m, chat.Records...)
			rng := rand.New(rand.NewPCG(1, 2))
			asked, by := 0, [4]int{}
			for _, q := range chat.Questions {
				if q.Kind != groupchat.Now || len(q.Values) == 0 || !strings.Contains(q.Text, q.Name) {
					continue
				}
				asked++
				before := slices.Clone(talks[c.lang][c.set][rng.IntN(len(talks[c.lang][c.set]))])
				for i := range before {
					before[i] = strings.ReplaceAll(before[i], "%s", q.Name)
				}
				pronoun := map[string][]string{"zh": {"他", "她"}, "en": {"he", "she"}}[c.lang][rng.IntN(2)]
				text := strings.ReplaceAll(q.Text, q.Name, pronoun)
				for i, query := range []memory.Query{{Text: q.Text}, {Text: text}, {Text: text, Before: before}, {Text: text, About: []string{q.Subject}}} {
					query.Limit = 5
					hits, err := m.Reader(q.Space).Recall(t.Context(), chat.End, query)
					require.NoError(t, err)
					if found(hits, q) {
						by[i]++
					}
				}
			}
			share := func(i int) string { return fmt.Sprintf("%.3f", float64(by[i])/float64(asked)) }
			t.Logf("%d questions: with the name %s, with a pronoun %s, with the talk before it %s, with the ID %s", asked, share(0), share(1), share(2), share(3))
			require.Greater(t, asked, 20)
			assert.Greater(t, by[2], by[1])
		})
	}
}
