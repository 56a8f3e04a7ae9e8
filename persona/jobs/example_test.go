package jobs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// A reply is stored before it is sent. After a crash it is not sent again.
func Example() {
	ctx, now := context.Background(), time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	db := statetest.New(nil) // for example a memory/sqlite.DB
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}

	queue := jobs.NewQueue(db)
	_ = queue.Claim(ctx, now, jobs.Job{ID: "batch-1", Kind: "batch", Chat: chat, At: now, LastRecord: "987654"})
	_, _ = queue.Commit(ctx, now, "batch-1", jobs.Entry{Text: "你好呀"})
	// The program crashes here, before it knows whether the message was sent.

	queue = jobs.NewQueue(db)
	again, unclear, err := queue.Recover(ctx, now.Add(time.Minute))
	cursor, _ := queue.Cursor(chat)
	fmt.Println(len(again), len(unclear), err)
	fmt.Println(unclear[0].ID, unclear[0].Outbox[0].Text, unclear[0].Outbox[0].Status, cursor.RecordID)
	fmt.Println(queue.Claim(ctx, now, unclear[0]))
	// Output:
	// 0 1 <nil>
	// batch-1 你好呀 unclear 987654
	// jobs: job is finished
}
