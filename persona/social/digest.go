package social

import (
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/tmc/langchaingo/llms"
)

// Digest derives data from chats in the background. It keeps a rolling summary of each chat, and relations,
// impressions and nicknames of the people there. Once a night it stores memories of lasting facts ("dreams").
// Relations also affect the willingness of Options.When.HFC if its formula has a term for them. The zero value
// enables all.
//
// The model calls are not part of any turn. [Stats].BackgroundCalls counts them. A failed call is retried later, and
// nothing waits for it. Replies come first: no call is made while the budget is used up to
// [heartflow.BudgetOptions].NoJudgeFrom or more. Derived data belongs to the chat, and only turns of that chat see
// it. Deleting a message deletes the data derived from it.
type Digest struct {
	NoSummary bool // no rolling summaries
	NoPeople  bool // no relations, impressions and nicknames; they cost one call per reply or several replies
	NoDream   bool // no dreams

	Summary memory.SummaryOptions // when a summary is due; by default every 20 turns or on a new topic
	Dream   memory.DreamOptions   // Dream has defaults of its own for Location and Quota, those of Options, and for MaxRunes, 12,000.

	// Model makes the calls, such as a cheaper model. It uses the same budget. Nil means Options.Models.Background.
	Model       llms.Model
	CallOptions []llms.CallOption // of its calls, instead of those of TurnOptions
	Timeout     time.Duration     // of one call; 0 means 2 min
}
