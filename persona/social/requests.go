package social

import "github.com/hearth-bot/hearth/persona/social/internal/requests"

// Requests says how the bot answers friend requests and group invites.
type Requests uint8

const (
	// JudgeRequests lets the bot decide by one model call for each request. The bot approves it, rejects it, or
	// leaves it to the owner. The prompt has the remark, the messages of the requester in shared groups, and the
	// bot's impression of them. The answer goes out 5 to 15 seconds after the request and at most once, also over
	// crashes.
	//
	// A request is never approved if the call fails, if its answer is invalid, if most of the budget is used, or if
	// the request is older than a week. The owner is notified instead. Only the decision leaves the call. The reason
	// goes to the owner. A new friend is greeted by another turn, which reads the private chat only.
	JudgeRequests Requests = iota
	// AskOwner notifies the owner and answers nothing.
	AskOwner
	// NoRequests ignores requests.
	NoRequests
)

// ErrAnswered is returned by [Bot.AnswerRequest] if the request was answered before, or may have been.
var ErrAnswered = requests.ErrAnswered
