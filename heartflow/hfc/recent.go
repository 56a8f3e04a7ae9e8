package hfc

import (
	"math"
	"slices"
)

// A WaitingMessage message is what waits in a chat to be answered or passed over.
type WaitingMessage struct {
	ID        string  // the platform's
	Interest  float64 // of this message alone
	Addressed bool    `json:"Mentioned"` // it calls the bot
	From      string  // who said it
	EmojiOnly bool    // nothing in it but a sticker, a face or a picture
	Relation  int     // with From: -2 (worst) to 3 (best)
}

// recent holds the last ten messages of a chat, oldest first.
type recent []WaitingMessage

const recentLen = 10

// Add appends n, and drops the oldest beyond ten.
func (r *recent) Add(n WaitingMessage) {
	if len(*r) >= recentLen {
		*r = slices.Delete(*r, 0, len(*r)-recentLen+1)
	}
	*r = append(*r, n)
}

// Standing returns what is worth an answer when CHAT begins with messages that wait already: those whose interest is
// above the mean by more than one (sample) standard deviation, the two highest at most, oldest first.
func (r recent) Standing() []WaitingMessage {
	const most = 2
	if len(r) < 2 {
		return nil
	}
	var sum, squares float64
	for _, n := range r {
		sum += n.Interest
	}
	mean := sum / float64(len(r))
	for _, n := range r {
		squares += (n.Interest - mean) * (n.Interest - mean)
	}
	limit := mean + math.Sqrt(squares/float64(len(r)-1))
	var list []WaitingMessage
	for _, n := range r {
		if n.Interest <= limit {
			continue
		}
		if list = append(list, n); len(list) > most {
			list = slices.Delete(list, lowest(list), lowest(list)+1)
		}
	}
	return list
}

// lowest is the index of the least interesting, the oldest among equals.
func lowest(list []WaitingMessage) int {
	at := 0
	for i, n := range list {
		if n.Interest < list[at].Interest {
			at = i
		}
	}
	return at
}
