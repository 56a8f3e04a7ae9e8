package facts_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/memory/internal/groupchat"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

// BenchmarkExtract reads one message of a group chat of 500 names. Four of a hundred messages make a claim.
func BenchmarkExtract(b *testing.B) {
	for name, english := range map[string]bool{"zh": false, "en": true} {
		b.Run(name, func(b *testing.B) {
			chat := groupchat.New(groupchat.Options{Phrasings: groupchat.Tuning()[0], English: english})
			var names facts.Names
			for i := range chat.Records {
				names.Learn(chat.Records[i].Person, chat.Records[i].Name)
			}
			for i := range 500 {
				names.Learn(fmt.Sprint("p", i), fmt.Sprintf("群友%c号", rune(0x5000+i)))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r := &chat.Records[i%len(chat.Records)]
				facts.Extract(facts.Message{ID: r.ID, Person: r.Person, Text: r.Text, At: r.At}, &names)
			}
		})
	}
}

// BenchmarkAt returns the facts about eight people after 10,000 messages, for a prompt. Compare it with BenchmarkRecall of
// package memory.
func BenchmarkAt(b *testing.B) {
	w := newWorld(b, groupchat.Options{Phrasings: groupchat.Tuning()[0], Groups: 1})
	var people []string
	for i := range 8 {
		people = append(people, fmt.Sprint(10001+i))
	}
	f := w.facts["qq:group:1"]
	b.ReportAllocs()
	for b.Loop() {
		if all, err := f.At(b.Context(), w.End, people...); err != nil || len(all) < 20 {
			b.Fatal(len(all), err)
		}
	}
}

// BenchmarkRecallWithClaims is BenchmarkRecall of package memory in a space with and without claims.
func BenchmarkRecallWithClaims(b *testing.B) {
	for name, claims := range map[string]bool{"without": false, "with": true} {
		b.Run(name, func(b *testing.B) {
			chat := groupchat.New(groupchat.Options{Phrasings: groupchat.Tuning()[0], Groups: 1})
			store := memory.NewMemStore()
			mem := memorytest.New(b, store, memory.Options{})
			require.NoError(b, mem.Put(b.Context(), chat.Records...))
			if claims {
				_, err := facts.New(mem, store, "qq:group:1").Learn(b.Context(), chat.Records...)
				require.NoError(b, err)
			}
			require.NoError(b, mem.Preload(b.Context()))
			r := mem.Reader("qq:group:1")
			b.ReportAllocs()
			for b.Loop() {
				if hits, err := r.Recall(b.Context(), chat.End, memory.Query{Text: "晓雯现在在哪上班"}); err != nil || len(hits) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}
