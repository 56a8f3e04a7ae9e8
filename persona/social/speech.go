package social

import (
	"context"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/speech"
)

// Speech splits a reply into short parts and types each at a human pace. The zero value splits at the ends of
// sentences and types at the pace of MaiBot. Messages of tools and answers to commands are sent whole.
//
// The parts of one reply count as one for the caps and for the limiter's time between replies. Each part is committed
// before it is sent. After each wait the bot checks again whether it may continue. If the chat was muted or the
// answered message was retracted meanwhile, the rest is not sent, and a trace ([heartflow.WhyUnsent]) reports it. Only
// the first part mentions and quotes. There are eight parts at most, and the last holds the rest; a sticker may
// follow.
//
// A reply with <item>…</item> has its items as parts, and each stretch of other text is one, too. Tell the model so
// in Options.Reply.Prompts or in the profile.
type Speech struct {
	Split speech.SplitOptions // Seed is ignored: the parts follow from the bot's seed, the job and the text
	Pace  speech.Pace         // Seed is ignored; the mood of the chat adds to Arousal

	// Stickers picks a sticker after a reply: in HFC's focus if the plan asks for one, else with StickerChance. The
	// query is the feeling in the plan, or the text. If none is similar enough, none is sent. With Stickers a plan
	// may choose emoji_reply, which is a sticker without text. The link needs EncodeImage. Use the bot's Store as the
	// picker's State, so that its counts outlive a restart. Nil means no stickers.
	Stickers      *speech.StickerPicker
	StickerChance float64 // 0 means .2, negative never

	// Stream sends each <item> of a reply as soon as the model has completed it. If there is other text before the
	// first item or between two, the rest waits for the complete answer, because that text may be thinking aloud
	// before a tool call. It is off by default: after the first sent item a chain of models does not try another
	// model, and many providers do not report the cost of a stream.
	Stream bool

	// Voice sends some replies as voice messages, if the link can. Nil sends text. Models.Speak or Voice.Voicer speaks.
	Voice *Voice
	Long  Long // how long and tabular replies are sent; zero sends them as a merged forward
}

// Voice says which replies are voice messages: those that answer a voice message, and others by chance. They have at most
// MaxRunes characters and no address or code, and mention nobody. If speaking or sending fails, the reply is sent as text.
type Voice struct {
	Voicer   persona.Voicer // speaks the text; must be nil with Models.Speak. The bot does not meter its calls
	Chance   float64        // for replies to text, from 0 to 1; 0 never
	MaxRunes int            // 0 means 60
}

// Long says how a reply is sent that is too long for a chat or that has a table in Markdown: as a picture of Renderer if there
// is one, otherwise as a merged forward of the bot's own messages if the link has those, otherwise as text in parts. If the
// first one fails, the reply is sent in the next form.
type Long struct {
	Runes int // a longer reply is long; 0 means 600, negative means that only tables are
	// Renderer draws a text in Markdown as a picture. It may be called concurrently. Nil draws nothing.
	Renderer  func(ctx context.Context, markdown string) (picture []byte, err error)
	NoForward bool // sends no merged forwards
}
