package hfc

import (
	"encoding/json"
	"time"
)

// A Willingness is how much the bot wants to answer in one CHAT, message by message. What decides is its own, and all of
// it survives encoding/json. It is used by one goroutine at a time. A time before the latest it was given counts as that.
//
// One that draws by chance also has Seed(uint64), which is called once before it is used.
type Willingness interface {
	// Chance takes a message and returns the chance, 0 to 1, that the bot answers it.
	Chance(now time.Time, s Stimulus) float64
	// Began tells that a reply to from is being written: Sent or Dropped follows.
	Began(now time.Time, from string)
	// Sent tells that the reply to from was said.
	Sent(now time.Time, from string)
	// Dropped tells that it was not.
	Dropped(now time.Time, from string)

	json.Marshaler
	json.Unmarshaler
}

// A Stimulus is a message as a [Willingness] feels it.
type Stimulus struct {
	From         string  // who said it
	Mentioned    bool    // it calls the bot
	Interest     float64 // 0: none
	EmojiOnly    bool    // nothing in it but a sticker, a face or a picture
	Down         bool    // in a group where the bot should speak less
	Gain         float64 // multiplies the willingness: mood and energy; 0 means 1
	Relation     int     // with From: -2 (worst) to 3 (best); 0: strangers
	InFlight     int     // other messages of this chat whose replies are being written
	InFlightFrom int     // those among them of From
}
