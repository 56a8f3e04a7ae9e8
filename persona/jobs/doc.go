// Package jobs is a small durable job queue with an outbox. It makes the side effects of a bot safe across crashes: a message
// is never sent twice, and a message whose fate is unknown is reported as unclear.
//
//	queue := jobs.NewErrands(store) // a memory.MemStore or memory/sqlite's DB
//	if err := queue.Take(ctx, now, jobs.Errand{ID: "batch/42", Chat: chat}); err != nil {
//		return err
//	}
//	first, err := queue.Commit(ctx, now, "batch/42", jobs.Entry{Text: "好"})
//	if err != nil {
//		return err // do not send
//	}
//	id, err := send(chat, "好")
//	return queue.Result(ctx, now, "batch/42", first, id, err, false)
//
// # Time
//
// No method reads a clock. Pass the time as now.
//
// # Concurrency
//
// The methods may be called concurrently. No goroutine is started.
package jobs
