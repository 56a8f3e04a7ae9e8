// Package speech makes a reply look as if somebody had typed it: in a few short messages, at the pace of typing, now and
// then with a sticker.
//
//	began := time.Now() // thinking
//	…
//	var last time.Time
//	for _, part := range speech.Split(reply, speech.Options{Seed: seed}) {
//		sleep(ctx, pace.Wait(part, began, last, time.Now()))
//		say(part)
//		last = time.Now()
//	}
//
// [Split] cuts a reply at the ends of sentences, and [ItemParser] finds the <item>s of one that has them, while a model is still
// writing it. Text is never lost or invented: see [Split] for what is trimmed. [Pace] tells how
// long typing takes. [StickerPicker] picks a picture for a feeling from a [StickerSource], for example a directory ([StickerDir]).
//
// The numbers are those of MaiBot, where nothing else is said: the chances to split by length, .2 s for a Chinese
// character and .1 s for another, the nearest ten stickers.
//
// # Chance
//
// Everything that is left to chance follows from a Seed and the text: the same give the same.
//
// # Time
//
// Nothing here reads a clock or waits, but [StickerPicker] for its turn.
//
// # Concurrency
//
// [SplitOptions] and [Pace] are values. An [ItemParser] belongs to one goroutine. [StickerPicker] and [StickerDir] may be used
// concurrently. No goroutine is started.
//
// # Caveats
//
// A word is what spaces end: Thai and other scripts without spaces are cut only where they are too long. Abbreviations
// before a full stop are known for English, and not all of them. [Similarity] compares how phrases are written, not what
// they mean: 高兴 and 开心 have nothing in common without an [Embedder], so give a sticker several tags.
package speech
