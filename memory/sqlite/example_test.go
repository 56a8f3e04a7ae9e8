package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
)

// A bot remembers after a restart.
func Example() {
	dir, err := os.MkdirTemp("", "hearth")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	for _, run := range []string{"first", "second"} {
		db, err := sqlite.Open(filepath.Join(dir, "xiaolu.db"), sqlite.Options{})
		if err != nil {
			log.Fatal(err)
		}
		mem, err := memory.New(db, memory.Options{})
		if err != nil {
			log.Fatal(err)
		}
		if run == "first" {
			err := mem.Put(ctx, memory.Record{ID: "1", Space: "qq:group:123", Name: "小明", Text: "我对花生过敏", At: time.Unix(1767000000, 0)})
			if err != nil {
				log.Fatal(err)
			}
		}
		hits, err := mem.Reader("qq:group:123").Recall(ctx, time.Unix(1768000000, 0), memory.Query{Text: "谁过敏"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run, hits[0].Name, hits[0].Text)
		if err := db.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// first 小明 我对花生过敏
	// second 小明 我对花生过敏
}
