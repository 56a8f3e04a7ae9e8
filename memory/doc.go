// Package memory is long-term memory for chat bots. It stores messages and facts by chat and finds them with hybrid search:
// BM25 over words, and vector search if you configure an embedding model. Chinese text needs no dictionary.
//
// A [Store] is the source of truth and ranks nothing. An [Index] proposes search candidates and can be rebuilt from the store.
// A [Memory] combines them and ranks the results. A [Reader] is a restricted view of a Memory, for one prompt.
//
//	mem, err := memory.New(memory.NewMemStore(), memory.Options{ // in a file: sqlite.Open of memory/sqlite
//		Embedder: embedder, EmbedderID: "bge-m3", // without these, search is by words
//	})
//
//	// for each message; vectors are made by go mem.Run(ctx), or at once by mem.EmbedMissing(ctx, nil)
//	err = mem.Put(ctx, memory.Record{ID: "17", Space: "qq:group:123", Person: "10001", Name: "小明", Text: "周五爬山", At: now})
//
//	// for the next prompt in that chat
//	history, err := mem.Recent(ctx, "qq:group:123", 50)
//	hits, err := mem.Reader("qq:group:123").Recall(ctx, now, memory.Query{Text: "哪天爬山"})
//
// Sub-packages add a SQLite store (memory/sqlite), vector indexes (memory/flat, memory/chromem, memory/vectorstore),
// facts about people in versions (memory/facts), PII redaction (memory/redact), time expressions (memory/when) and patches for Markdown documents (memory/patch).
//
// # Access control
//
// Each chat is a [Space]. A Reader is made for a list of spaces: no query, tag or ID reaches beyond them, and it can only be
// narrowed. A secret record lies in a separate space, [Space.Secret]. [Memory.Reader] never reads secret spaces.
// [Memory.Hide] makes a record secret.
//
// [Reader.Redacted] masks private data before others see it. Recall reads each candidate from the store again and drops it if
// it does not match. A summary or an impression is stored in the space of its source messages.
//
// Each record, note, summary and impression has a [Label]. The label names the spaces that its data came from, and says whether
// only the owner contributed to it (trusted). A Reader never returns data from spaces that it does not read. The owner can
// override labels with [Memory.Endorse] and [Memory.Declassify].
//
// # Search
//
// Word search is always on. It uses BM25 over single Han characters and pairs of them, and over stemmed words in other scripts.
// The words of neighboring messages count, too; see [LexicalIndex]. Word search needs no network and no model.
//
// With an embedder, Recall blends both scores. Without an index of your own, vectors are compared one by one; memory/flat is an
// index for large spaces. A time expression in the query (昨天, 上周五, last week) raises messages from that time; see memory/when. Recency, importance and affinity decide between results of similar relevance.
// Near duplicates are merged into the newest record. [Reader.Recall] documents the formula. Each hit lists its score terms and
// its source messages.
//
// # Summaries and facts
//
// Memory has three layers: the last messages, a rolling summary for each space, and permanent facts. [Memory.Recent] and
// [Memory.RecentTurns] return the last messages. [Memory.Summarizer] maintains the summaries. [Memory.Dream] turns messages and
// summaries into facts once a night. You supply the functions that summarize and dream; memory calls no language model.
//
//	sums := mem.Summarizer(summarize, memory.SummaryOptions{})
//	_, err = sums.Update(ctx, now, space)                            // call it after each turn; it runs after 20 turns or on a new topic
//	_, err = mem.Dream(ctx, now, consolidate, memory.DreamOptions{}) // call it at the time that NextDream returns
//
// [People] stores relations, impressions and nicknames for one space; [People.Learn] updates them from messages. [Notes] stores
// the bot's inner state, slots and scratch notes for one space. Both use rows of a [State].
//
// # Deletion
//
// [Memory.Delete] and [Memory.Hide] also handle all data derived from a message. [Memory.ErasePerson] and [Memory.EraseSpace]
// erase a person or a chat everywhere. Set [Options].OnErase to delete your own rows, too. [Memory.Export] writes all
// data as JSON lines. [Memory.Trim] keeps a space within a [Quota].
//
// # Time
//
// Only [Memory.Run] reads the clock. All other functions take the current time as now, and records carry their own time.
// History and neighbors follow the order of arrival.
//
// # Concurrency
//
// All types may be used concurrently. Nothing here starts a goroutine. With an embedder, run go mem.Run(ctx), which embeds new
// records in the background.
//
// Writes to one space and its secret counterpart are serialized. Writes to other spaces do not wait for them. Recall waits for
// no writer, except that the first recall of a space loads that space into the indexes. [Memory.Preload] does this in advance.
//
// # Caveats
//
// Search covers the first 64 KiB of a text. [MaxText] is the limit for storing one. The word index keeps the texts of all loaded
// spaces in memory. A message of 20 Chinese characters takes about 1 KB there.
//
// Scores compare the hits of one query. A high score does not prove that a hit is relevant.
//
// An ID belongs to its space. Some platforms reuse message IDs, so build IDs from values that stay unique.
//
// Several processes may read one store, but only one may write through a Memory. Its indexes do not see other writers. A record
// deleted by another process is never returned, because Recall reads every hit from the store.
package memory
