package social

import "github.com/hearth-bot/hearth/persona/social/internal/requests"

// Requests says who decides whether somebody becomes a friend of the being, and which groups it joins.
type Requests uint8

const (
	// JudgeRequests lets the being decide, by one model call for each: approve, reject, or leave it to the owner. It
	// answers 5 to 15 seconds after it was asked. What fails, is not understood, or comes when most of the budget is spent
	// or later than a week after it was asked, is never approved: the owner is told.
	JudgeRequests Requests = iota
	// AskOwner tells the owner, and answers nothing.
	AskOwner
	// NoRequests passes them over.
	NoRequests
)

// ErrAnswered is what [Bot.AnswerRequest] gives for a request that was answered before, or perhaps was.
var ErrAnswered = requests.ErrAnswered
