// Package memory gives a being its memory: records kept by where they were said, found again by words and by vectors,
// and told only to those who may know.
//
// Three things are kept apart. A [Store] is the truth; it ranks nothing. An [Index] proposes candidates in one space; it can be
// lost and rebuilt. A [Memory] joins them and ranks; what others get of it is a [Reader].
//
//	mem, err := memory.New(memory.NewStore(), memory.Options{}) // or sqlite.Open: see memory/sqlite
//
//	// as it is heard
//	err = mem.Keep(ctx, memory.Record{ID: "17", Space: "qq:group:123", Person: "10001", Name: "小明", Text: "周五爬山", At: now})
//
//	// for the next prompt of that chat
//	history, err := mem.Recent(ctx, "qq:group:123", 50)
//	hits, err := mem.Reader("qq:group:123").Recall(ctx, now, memory.Query{Text: "哪天爬山"})
//
// # Who may know
//
// Where something was said is its [Space], and a Reader is made for spaces: no query, tag or ID reaches beyond them, and it can only be
// narrowed. A secret record lies in a space of its own, [Space.Secret], which [Memory.Reader] never names; [Memory.Hide] moves it there.
// What the owner told is read for others by a [Reader.Redacted]. Every candidate that an index proposes is read again from the store, in that space, before it becomes a [Hit]. What is made of records, a summary
// or an impression, belongs in the space that it was made from.
//
// Each record, note, summary and impression bears a [Label]: the spaces that it came from, and whether only the owner had a hand in it. A Reader finds nothing
// that came from spaces that it does not read. The owner sets labels aside by [Memory.Endorse] and [Memory.Declassify].
//
// # Finding
//
// Words come first: BM25 over single and paired Han glyphs and over stemmed and folded words of other scripts, where each
// message also counts what was said just around it; see [LexicalIndex]. No network, weights or dictionary are needed. With an embedder and an index of vectors
// (memory/flat, memory/chromem, memory/vectorstore) the two are blended. A time that the question names (昨天, 上周五, last week) lifts what was said then; see memory/when. Recency, importance and
// affinity decide between what is about equally to the point. What was said before in nearly the same words is folded into the newest. [Reader.Recall] states the sum,
// and every hit carries its terms and the messages that it comes from.
//
// # What is made of it
//
// Memory has three layers: the last messages ([Memory.Recent]; [Memory.RecentTurns] counts turns), a hot summary of each space ([Memory.Summarizer]), and what nights make of both
// ([Memory.Dream]): facts with importance and sources. Functions of yours sum up and dream; memory knows no model.
//
//	sums := mem.Summaries(sumUp, memory.SummaryOptions{})
//	_, err = sums.Update(ctx, now, space)                            // after a turn: every 20 turns, or on a new topic
//	_, err = mem.Dream(ctx, now, consolidate, memory.DreamOptions{}) // whenever NextDream says so: once a night
//
// Beside them lie, in the space that they were learned in, [People] (relation, impression, nicknames) and [Notes] (inner state, slots, scratch), all
// as rows of a [State]; [People.Learn] takes in what one look at some messages taught. Who deletes or hides a message deletes or hides what was made of it; [Memory.ErasePerson] and
// [Memory.EraseSpace] do so everywhere, and tell [Options].Forgotten, for rows that others keep. [Memory.Export] writes it all as JSON lines, and [Memory.Trim] keeps a space within a [Quota].
//
// # Time
//
// Nothing here starts a goroutine, and only [Memory.Run] has a clock: [Reader.Recall] is told what now is, records say when they were said.
// History and neighbours go by the order of arrival. With an embedder, say go mem.Run(ctx): it makes the vectors of what was kept.
//
// # Concurrency
//
// All types may be used concurrently. Writes to one space (and its secret twin) take turns, those to others do not wait for them;
// recall waits for no writer, save for the first recall of a space, which reads it into the indexes ([Memory.Preload] does so ahead).
//
// # Caveats
//
// A text is searched in its first 64 KiB, and refused beyond [MaxText]. The word index holds the texts of the spaces that were read,
// with its lists about 1 KB for a message of 20 glyphs. Scores say what is best among what there is, not whether the best is any good.
// An ID belongs to its space: make it of what tells messages apart for good, since some platforms use an ID again.
//
// Several processes may read one store; only one may write through a Memory, as its indexes hear of nobody else's writes.
// What was deleted behind its back is never told all the same.
package memory
