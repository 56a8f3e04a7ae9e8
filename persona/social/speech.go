package social

import "github.com/hearth-bot/hearth/persona/speech"

// Speech says how a reply leaves a being: in parts, typed as somebody would. The zero value splits at the ends of
// sentences and types at MaiBot's pace. What tools say and what commands answer leaves as it is, in one message.
//
// The parts of one reply count as one against caps and the limiter's time between replies. After every wait it is looked
// at again whether the turn may go on: where the chat was closed meanwhile, or what it answers taken back, the rest is
// not said, and a trace ([heartflow.WhyCut]) tells. Only the first part mentions and answers. There are eight at most,
// the last of which holds the rest, and perhaps a sticker.
//
// A reply that holds <item>…</item> has its items as parts, and other text between them is one each. A model writes them
// where Options.Reply.Prompts, or the profile, says that it may.
type Speech struct {
	Split speech.SplitOptions // Seed is left out: parts follow from the being's seed, the errand and the text
	Pace  speech.Pace         // Seed likewise; the mood of the chat adds to Arousal

	// Stickers follow a reply in HFC's focus where its plan asks for one, and else by StickerChance, for what the plan or
	// the words feel like; with them a plan may choose emoji_reply, a sticker alone. None that is close: there is none. The
	// link needs an EncodeImage. Give it the being's Store as State, and how often each was used outlives a restart.
	Stickers      *speech.StickerPicker
	StickerChance float64 // 0 means .2, negative never

	// Stream says the <item>s of a reply while the model still writes it, each as soon as it is complete. What stands
	// before the first, or between two, makes the rest wait for the whole answer: it may be thinking aloud beside a call.
	// Off by default: once something was streamed no chain of models tries another, and many providers do not tell then
	// what the call has cost.
	Stream bool
}
