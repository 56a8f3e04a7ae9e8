package jobs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// A reply is written down before it is said, so that it is not said again after a crash.
func Example() {
	ctx, now := context.Background(), time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	db := statetest.New(nil) // a memory/sqlite database, say
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}

	queue := jobs.NewQueue(db)
	_ = queue.Claim(ctx, now, jobs.Job{ID: "batch-1", Kind: "batch", Chat: chat, At: now, LastRecord: "987654"})
	_, _ = queue.Commit(ctx, now, "batch-1", jobs.Entry{Text: "你好呀"})
	// … and the program dies before it learns whether that was sent.

	queue = jobs.NewQueue(db)
	again, unclear, err := queue.Recover(ctx, now.Add(time.Minute))
	cursor, _ := queue.Cursor(chat)
	fmt.Println(len(again), len(unclear), err)
	fmt.Println(unclear[0].ID, unclear[0].Outbox[0].Text, unclear[0].Outbox[0].Status, cursor.RecordID)
	fmt.Println(queue.Claim(ctx, now, unclear[0]))
	// Output:
	// 0 1 <nil>
	// batch-1 你好呀 unclear 987654
	// persona: errand is over
}
