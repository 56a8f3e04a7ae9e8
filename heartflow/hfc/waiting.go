package hfc

import (
	"math"
	"slices"
)

// A WaitingMessage is a message that is not yet answered or skipped.
type WaitingMessage struct {
	ID        string  // message id of the platform
	Interest  float64 // of this message alone
	Addressed bool    `json:"Mentioned"` // it addresses the bot
	From      string  // author
	EmojiOnly bool    // only a sticker, a face or a picture
	Relation  int     // with From: -2 (worst) to 3 (best)
}

// waitingMessages holds the last ten messages of a chat, oldest first.
type waitingMessages []WaitingMessage

const maxWaitingMessages = 10

// Add appends n and drops the oldest message beyond ten.
func (r *waitingMessages) Add(n WaitingMessage) {
	if len(*r) >= maxWaitingMessages {
		*r = slices.Delete(*r, 0, len(*r)-maxWaitingMessages+1)
	}
	*r = append(*r, n)
}

// Outliers returns the messages worth an answer when a chat with waiting messages becomes Chatting. Their interest is
// above the mean by more than one (sample) standard deviation. It returns the two highest at most, oldest first.
func (r waitingMessages) Outliers() []WaitingMessage {
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

// lowest returns the index of the lowest interest, the oldest among equals.
func lowest(list []WaitingMessage) int {
	at := 0
	for i, n := range list {
		if n.Interest < list[at].Interest {
			at = i
		}
	}
	return at
}
