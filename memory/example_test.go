package memory_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// Store each message in its space, and recall it for the next prompt in that chat.
func Example() {
	ctx := context.Background()
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	mem, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		log.Fatal(err)
	}

	group := memory.Space("qq:group:123")
	err = mem.Put(ctx,
		memory.Record{ID: "1", Space: group, Person: "10001", Name: "小明", Text: "谁知道校医院的电话", At: now.Add(-3 * time.Hour)},
		memory.Record{ID: "2", Space: group, Person: "10002", Name: "阿花", Text: "62751919", At: now.Add(-3 * time.Hour)},
		memory.Record{ID: "3", Space: group, Person: "10003", Name: "老王", Text: "晚上打球吗", At: now.Add(-time.Hour)},
		memory.Record{ID: "4", Space: "qq:private:10001", Person: "10001", Name: "小明", Text: "我挂号的校医院密码是 1234", At: now},
	)
	if err != nil {
		log.Fatal(err)
	}

	hits, err := mem.Reader(group).Recall(ctx, now, memory.Query{Text: "校医院电话是多少？"})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%s: %s (", h.Name, h.Text)
		for i, t := range h.Terms {
			if i > 0 {
				fmt.Print(", ")
			}
			fmt.Printf("%s %.2f", t.Name, t.Value)
		}
		fmt.Println(")")
	}
	// Output:
	// 小明: 谁知道校医院的电话 (words 1.00, recency 1.00)
	// 阿花: 62751919 (near 0.78, recency 1.00)
}

// Secret records lie in a separate space. Only an owner's reader can read it.
func ExampleMemory_Hide() {
	ctx, now := context.Background(), time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	mem, _ := memory.New(memory.NewMemStore(), memory.Options{})
	mem.Put(ctx,
		memory.Record{ID: "1", Space: memory.Owner, Text: "生日是三月三号", At: now},
		memory.Record{ID: "2", Space: memory.Owner, Text: "生日那天要去医院复查", At: now},
	)
	mem.Hide(ctx, memory.Owner, "2")

	social := mem.Reader(memory.Owner, memory.Owner.Secret()) // drops the secret space
	owner := mem.OwnerReader(memory.Owner, memory.Owner.Secret())
	for _, r := range []*memory.Reader{social, owner} {
		hits, _ := r.Recall(ctx, now, memory.Query{Text: "生日"})
		fmt.Println(r.Spaces(), len(hits))
	}
	// Output:
	// [owner] 1
	// [owner owner!] 2
}

func ExampleMemory_Recent() {
	ctx := context.Background()
	mem, _ := memory.New(memory.NewMemStore(), memory.Options{})
	for i, text := range []string{"早", "早啊", "今天吃什么", "火锅"} {
		mem.Put(ctx, memory.Record{ID: fmt.Sprint(i), Space: "qq:group:123", Text: text})
	}
	history, _ := mem.Recent(ctx, "qq:group:123", 2)
	for _, r := range history {
		fmt.Println(r.Text)
	}
	// Output:
	// 今天吃什么
	// 火锅
}

// A reader can be narrowed but not widened, so hand out the narrow one.
func ExampleReader_Narrow() {
	mem, _ := memory.New(memory.NewMemStore(), memory.Options{})
	r := mem.Reader("qq:group:1", "qq:group:2", memory.Self)
	fmt.Println(r.Narrow("qq:group:2", memory.Self, memory.Owner).Spaces())
	// Output: [qq:group:2 self]
}

// List all messages of a person on one day, newest first. A query needs no text.
func ExampleQuery() {
	ctx := context.Background()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	mem, _ := memory.New(memory.NewMemStore(), memory.Options{})
	for i, text := range []string{"早", "在吗", "晚安"} {
		mem.Put(ctx, memory.Record{ID: fmt.Sprint(i), Space: "qq:group:123", Person: "10001", Text: text, At: day.Add(time.Duration(i) * 10 * time.Hour)})
	}
	hits, _ := mem.Reader("qq:group:123").Recall(ctx, day.Add(48*time.Hour), memory.Query{
		Person: "10001", Since: day.Add(9 * time.Hour), Until: day.Add(24 * time.Hour),
	})
	for _, h := range hits {
		fmt.Println(h.At.Format("15:04"), h.Text)
	}
	// Output:
	// 20:00 晚安
	// 10:00 在吗
}

// A hit explains its score and lists its source messages.
func ExampleHit_Explain() {
	ctx, now := context.Background(), time.Date(2026, 3, 5, 15, 0, 0, 0, time.UTC)
	mem, _ := memory.New(memory.NewMemStore(), memory.Options{})
	mem.Put(ctx,
		memory.Record{ID: "1", Space: "qq:group:123", Person: "10001", Text: "周五八点三号楼集合！", At: now.Add(-48 * time.Hour)},
		memory.Record{ID: "2", Space: "qq:group:123", Person: "10001", Text: "周五八点三号楼集合", At: now.Add(-time.Hour)},
	)
	hits, _ := mem.Reader("qq:group:123").Recall(ctx, now, memory.Query{Text: "在哪集合"})
	for _, h := range hits {
		fmt.Println(h.ID, h.Sources, h.Explain())
	}
	// Output: 2 [2 1] 1.05 = words 1.00 × 1 + recency 1.00 × 0.05
}
