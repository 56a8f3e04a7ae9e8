// Package buffer debounces chat messages: it merges the messages that a user sends in quick succession into one
// batch, so that a bot answers once instead of once per line.
//
// A [Buffer] collects items by key, such as a chat id, and returns each key's items as a [Batch]. A batch is due
// after a debounce, a short time after an urgent item, when it has enough items, or when its first item has waited
// for the maximum time. A [Runner] runs a Buffer on the wall clock and calls a handler. A [Window] keeps the latest
// items of a chat and a rolling summary of the older ones; the caller makes the summary, usually with a model.
//
//	r := buffer.NewRunner(func(ctx context.Context, b buffer.Batch[int64, string]) error {
//		return answer(ctx, b.Key, b.Items) // one batch of a key at a time
//	}, buffer.Options{})
//	go r.Run(ctx)
//
//	r.Add(group, "我想问一下")
//	r.AddUrgent(group, "@小炉 在吗") // due in 2 s instead of 20 s
//	r.Add(group, "明天几点集合")      // still in the same batch
//
// The delay after an urgent item is short and fixed. People often write "@bot" first and the question afterwards, so
// the batch waits a moment for the question.
//
// # Concurrency
//
// A Buffer and a Window are not safe for concurrent use: use each from one goroutine or guard it with a lock. A
// Runner is safe for concurrent use. It starts goroutines only in Run, and Run returns after all of them have ended.
// No lock is held while a handler or another function of the caller runs.
//
// # Time
//
// Buffer and Window have no clock. Every method of a Buffer that depends on time takes it as a parameter, so tests
// can replay a day of chat in milliseconds: add items, call [Buffer.Next] for the next deadline, and collect batches
// with [Buffer.Due]. A Buffer uses wall time and ignores the monotonic part. A time before the latest one counts as
// the latest one. An item that arrives exactly at the deadline of a batch is not in that batch. Times more than 292
// years from the first one are capped, and deadlines there never pass.
//
// A Runner reads the clock itself. If the system clock is set back, the Runner continues at the pace of the monotonic
// clock, so a correction of one hour does not delay a batch by one hour.
//
// # Delivery
//
// Each added item is in exactly one batch unless [Buffer.Drop] removes it. Batches of a key come one at a time and in
// order. A batch that is given back, by [Buffer.Requeue] or by a handler that returns [ErrRetry], goes in front of
// newer items. After Run, [Runner.Drain] returns the items that were not handled. A Window removes an item only after
// a summary covers it, or if summaries fail for long; [Window.Dropped] counts these items.
//
// # Caveats
//
// All state is in memory. Persist an item before adding it if it must survive a crash. The number of pending items is
// not limited: while a handler hangs, the items of its key accumulate. Memory of drained keys is freed as the number
// of keys falls.
package buffer
