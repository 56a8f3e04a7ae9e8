package social

import (
	"context"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/requests"
)

// Requests says how the bot answers friend requests and group invites.
type Requests uint8

const (
	// JudgeRequests lets the bot decide by one turn for each request, by a call of the link's tool for it or by its
	// text. The bot approves it, rejects it, or leaves it to the owner. While the bot sleeps, and in quiet hours that
	// end, requests wait. The prompt has the remark, the messages of the requester in shared groups, and the
	// bot's impression of them. The answer goes out 5 to 15 seconds after the request and at most once, also over
	// crashes.
	//
	// A request is never approved if the call fails, if its answer is invalid, if most of the budget is used, or if
	// the request is older than a week. The owner is notified instead. Only the decision leaves the call. The reason
	// goes to the owner. A new friend is greeted by another turn, which reads the private chat only.
	JudgeRequests Requests = iota
	// AskOwner notifies the owner, who answers by [Bot.AnswerRequest], or in the private chat: by quoting the notice with
	// 同意 or 拒绝, or with the code in it, as in 同意 K7QM2P. The same goes for requests that the bot leaves to the owner.
	// Each notice can be answered once, within a week.
	AskOwner
	// NoRequests ignores requests.
	NoRequests
)

// ErrAnswered is returned by [Bot.AnswerRequest] if the request was answered before, or may have been.
var ErrAnswered = requests.ErrAnswered

// PendingRequests returns the requests that wait for the owner's decision, oldest first: those that the bot left to the owner, and
// those that OnJoinRequest got. Decide by [Bot.AnswerRequest]. A request waits for a week at most. There are none if the link
// cannot answer requests. It waits until [Bot.Run] has started.
func (b *Bot) PendingRequests(ctx context.Context) ([]persona.Request, error) {
	return b.requests.Waiting(ctx)
}
