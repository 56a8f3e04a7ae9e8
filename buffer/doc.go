// Package buffer gathers what people say in pieces, so that a bot can answer a thought rather than
// a line.
//
// A [Buffer] collects items by key (a chat, say) and hands them out as a [Batch]: after some quiet,
// a short time after a summons, when there are enough, or when the first has waited long enough. A
// [Runner] does so on the wall clock and calls a handler. A [Window] is what comes after: the last
// items of a chat and a summary of what came before, with a model asked for it, or any function.
//
//	r := buffer.NewRunner(func(ctx context.Context, b buffer.Batch[int64, string]) error {
//		return answer(ctx, b.Key, b.Items) // one batch of a key at a time
//	}, buffer.Options{})
//	go r.Run(ctx)
//
//	r.Add(group, "我想问一下")
//	r.Summon(group, "@小炉 在吗") // due in 2 s, not in 20
//	r.Add(group, "明天几点集合")   // still belongs to it
//
// A summons waits a short fixed time that nothing extends, because people write "@bot" first and
// the question after.
//
// # Time
//
// Buffer and Window have no clock. Every method of a Buffer that depends on time takes it, so that
// a day of chat can be replayed in milliseconds: feed it, ask [Buffer.Next] when it matters, collect
// with [Buffer.Due]. Wall time is used, never the monotonic part, and a time before the latest one
// seen counts as that one. At one instant what is due goes before what is pushed: an item that
// arrives at the deadline of a batch is too late for it. Times further than 292 years from the
// first one are cut to that, and deadlines there never come.
//
// A Runner takes the time itself. If the system's clock is set back, it goes on at the pace of the
// monotonic one, so that nobody waits for an hour because of a corrected hour.
//
// # Concurrency
//
// Buffer and Window belong to one goroutine, or to a lock. A Runner may be used by many; it starts
// no goroutine but in Run, which returns after all of them have ended. No lock is held while
// functions of the caller run.
//
// # Nothing is lost
//
// An item that was added is in exactly one batch, or was taken out by [Buffer.Drop]. Batches of a
// key come one at a time and in order; one that is given back ([Buffer.Requeue], [ErrRetry]) goes in
// front. What is left at the end comes out of Close. A Window lets go of an item only after it was
// summed up.
//
// # Caveats
//
// All is in memory: journal what must survive a crash before it is added. What waits is not
// limited: if a handler hangs, its key gathers for as long as it hangs. The memory of keys that
// have drained is given back as their number falls.
package buffer
