// Package speech makes the replies of a bot look typed by a person. It splits a reply into short messages, computes a typing
// delay for each, and picks stickers by emotion.
//
//	start := time.Now() // before the model is called
//	…
//	var last time.Time
//	for _, part := range speech.Split(reply, speech.SplitOptions{Seed: seed}) {
//		sleep(ctx, pace.Wait(part, start, last, time.Now()))
//		send(part)
//		last = time.Now()
//	}
//
// [Split] cuts at the ends of sentences and loses no text. [ItemParser] parses a reply with <item> tags while the model still
// streams it. [Pace] computes the typing time. [StickerPicker] picks a sticker from a [StickerSource], for example from a directory
// ([StickerDir]).
//
// The default numbers are those of MaiBot unless stated otherwise: the chances to split by length, .2 s for a Chinese
// character and .1 s for another, and the ten nearest stickers.
//
// # Randomness
//
// All random choices depend on a Seed and the text only. The same seed and text give the same result.
//
// # Time
//
// No function reads a clock or sleeps. Methods of [StickerPicker] may block until another one returns.
//
// # Concurrency
//
// [SplitOptions] and [Pace] are values. An [ItemParser] belongs to one goroutine. [StickerPicker] and [StickerDir] may be used concurrently. The
// package starts no goroutines.
//
// # Caveats
//
// Words end at spaces. Thai and other scripts without spaces are cut only if they are too long. Only common English
// abbreviations before a full stop are known. [Similarity] compares the spelling of phrases and not their meaning: 高兴 and 开心
// have similarity 0 without an [Embedder], so give a sticker several tags.
package speech
