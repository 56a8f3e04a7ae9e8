package social

import (
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/tmc/langchaingo/llms"
)

// Digest are what a being makes of what it hears, beside keeping it: a hot summary of each chat, what it thinks of the
// people there and what they are called, and at night what is worth remembering. It is made in the background, by model
// calls that are not part of any turn, and kept and told only in the chat that it was made from. The zero value makes
// all of it.
//
// A call that fails is made again later, and nothing waits for it. None is made while more of the budget is spent than
// [heartflow.BudgetOptions].NoJudge: what is said comes first. See [Stats].Asides for what it costs.
type Digest struct {
	NoSummary bool // no hot summaries
	NoPeople  bool // no relations, impressions and nicknames; they cost a call after each reply, or one for several
	NoDream   bool // no dreams

	Summary memory.SummaryOptions // when one is due; zero: every 20 turns, or on a new topic
	Dream   memory.DreamOptions   // Location, Quota and Most have defaults of their own: Options.Location and Quota, and 12 000

	Model       llms.Model        // a cheaper one, perhaps; nil: that of Options. It spends the same budget
	CallOptions []llms.CallOption // of its calls; those of TurnOptions are not for them
	Timeout     time.Duration     // of one call; 0 means 2 min
}
