package memory_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// Dream derives facts from messages, and updates them in a later night. A real DreamFunc would call a language model.
func ExampleMemory_Dream() {
	ctx := context.Background()
	mem, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	consolidate := func(_ context.Context, n memory.DreamInput) (out []memory.Insight, err error) {
		for _, said := range n.Messages {
			if _, city, ok := strings.Cut(said.Text, "搬到"); ok {
				in := memory.Insight{Text: said.Name + "住在" + city, Person: said.Person, Importance: .8, Sources: []string{said.ID}}
				for _, known := range n.Known {
					if known.Person == said.Person && strings.Contains(known.Text, "住在") {
						in.Replaces = append(in.Replaces, known.ID)
					}
				}
				out = append(out, in)
			}
		}
		return out, nil
	}
	day := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	for i, text := range []string{"我搬到南京了", "今天好累", "又搬到苏州来了"} {
		at := day.AddDate(0, 0, i)
		err := mem.Put(ctx, memory.Record{ID: fmt.Sprint(i), Space: "qq:group:123", Person: "10001", Name: "小明", Text: strings.TrimSuffix(strings.TrimSuffix(text, "了"), "来"), At: at})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := mem.Dream(ctx, at.Add(8*time.Hour), consolidate, memory.DreamOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	hits, err := mem.Reader("qq:group:123").Recall(ctx, day.AddDate(0, 0, 3), memory.Query{Text: "小明住在哪", Kinds: []string{memory.KindFact}})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.Text, h.Importance)
	}
	// Output:
	// 小明住在苏州 0.8
}

// You supply the function that summarizes. Deleting a covered message discards the summary.
func ExampleMemory_Summarizer() {
	ctx := context.Background()
	mem, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	sums := mem.Summarizer(func(_ context.Context, old string, raw []memory.Record) (string, error) {
		return fmt.Sprintf("%s%s 等 %d 句。", old, raw[0].Text, len(raw)), nil
	}, memory.SummaryOptions{})
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	for i := range 40 { // a turn each, two minutes apart
		now = now.Add(2 * time.Minute)
		err := mem.Put(ctx, memory.Record{ID: fmt.Sprint(i), Space: "qq:group:123", Person: "10001", Text: fmt.Sprint("第 ", i, " 句"), At: now})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := sums.Update(ctx, now, "qq:group:123"); err != nil {
			log.Fatal(err)
		}
	}
	digest, _ := mem.Summary(ctx, "qq:group:123")
	fmt.Println(digest.Text)
	if err := mem.Delete(ctx, "qq:group:123", "7"); err != nil {
		log.Fatal(err)
	}
	digest, _ = mem.Summary(ctx, "qq:group:123")
	fmt.Printf("%q\n", digest.Text)
	// Output:
	// 第 0 句 等 20 句。第 20 句 等 20 句。
	// ""
}
