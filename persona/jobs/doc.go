// Package jobs is a small durable job queue with an outbox. It makes the side effects of a bot safe across crashes. No
// message is sent twice. If the result of a send is unknown after a crash, the message is reported as unclear.
//
//	queue := jobs.NewQueue(store) // a memory.MemStore or a memory/sqlite.DB
//	if err := queue.Claim(ctx, now, jobs.Job{ID: "batch/42", Chat: chat}); err != nil {
//		return err
//	}
//	first, err := queue.Commit(ctx, now, "batch/42", jobs.Entry{Text: "好"})
//	if err != nil {
//		return err // do not send
//	}
//	id, err := send(chat, "好")
//	if err := queue.Result(ctx, now, "batch/42", first, id, err, false); err != nil {
//		return err
//	}
//	return queue.Done(ctx, now, "batch/42", "replied")
//
// # Time
//
// No method reads a clock. Pass the time as now.
//
// # Concurrency
//
// The methods may be called concurrently. No goroutine is started.
//
// # Caveats
//
// A [Queue] keeps its jobs in memory after it has loaded them. Use one Queue for one store at a time.
package jobs
