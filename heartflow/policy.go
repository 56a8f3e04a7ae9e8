package heartflow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/internal/fold"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// A Policy judges the received messages of a chat: stay silent, let a model decide, or speak. It is called only if no
// gate forbids speaking. It cannot bypass the caps, because Speak checks them again.
//
// Judge is called without a lock, and concurrently for different chats. It must not keep the PolicyInput or anything
// in it. Use [PolicyInput.Draw] for random numbers, and add useful checks to the trace with [PolicyInput.Gate]. Do
// not change the Why of a returned verdict.
//
// A Policy may have a method Validate() error. It is called before the policy is used.
type Policy interface{ Judge(*PolicyInput) Verdict }

// A Verdict is the decision about the received messages of a chat.
type Verdict struct {
	Do        Decision
	Score     float64 // wish to speak, on the policy's own scale; 0 to 1 in this package
	Why       []Code  // read only
	Addressed bool    // set by Judge: a message of the batch addresses the bot and is not older than MaxAge
	Called    bool    // set by Judge: one of them is by a person, and addresses the bot by anything but a keyword
	State     State   // set by Judge: the state of the chat before the verdict
}

// String returns a text like "ask 1: mentioned".
func (v Verdict) String() string {
	why := make([]string, len(v.Why))
	for i, c := range v.Why {
		why[i] = string(c)
	}
	return fmt.Sprintf("%v %.3g: %s", v.Do, v.Score, strings.Join(why, " "))
}

// A PolicyInput is the input of a [Policy]: the state of a chat and its messages since the last verdict.
type PolicyInput struct {
	Now               time.Time
	Chat              string // the key formatted by fmt.Sprint
	State             State
	Addressed         bool       // a message not older than MaxAge addresses the bot
	AddressedBy       []Code     // reasons for Addressed; read only
	AddressedEarlier  bool       // only older messages address the bot
	Batch             []Received // the newest 32 messages, oldest first, without own messages
	Total             int        // all messages since the last verdict, also those not in Batch
	Partner           string     // author of the last message that the bot answered; empty: none
	LastSpoke         time.Time  // time of the last own message; zero: never
	RecentReplies     int        // own messages within the window of the caps
	Consecutive       int        // own messages since the last one by somebody else
	ConsecutiveToBots int        // own replies to bots since the last human message
	Energy            float64    // of this chat, from Energy.Min to 1
	Mood              float64    // from -1 to 1
	Welcome           float64    // from -1 to 1: Options.Welcome for the author of the last message; 0 for messages that address the bot
	TokensLeft        int        // remaining tokens of the budget, in total or for this chat; math.MaxInt without a limit
	Level             Level      // of the budget
	QuietHours        bool       // quiet hours: an interjection will be silenced

	holder // input of policies with a lookback.Source

	gates      []Gate
	direct     bool // a reason other than a keyword addresses the bot
	to         addressee
	budget     standing
	topicTerms []uint32
	dice       rand.PCG
	preset     []float64 // the next results of Draw
	turn       uint64    // id of the judged turn
	blockedBy  Code      // code of the failed gate; empty: the policy is called
}

type holder = lookback.Holder

// Draw returns a random number above 0 and below 1 from the chat's own generator. The same seed and the same earlier
// calls give the same number.
func (m *PolicyInput) Draw() float64 {
	if len(m.preset) > 0 {
		drawn := m.preset[0]
		m.preset = m.preset[1:]
		return drawn
	}
	return pcg.Draw(&m.dice)
}

// Gate adds a check to the trace and returns whether it passed.
func (m *PolicyInput) Gate(g Gate) (pass bool) {
	m.gates = append(m.gates, g)
	return g.Pass
}

// TopicOverlap compares the batch with the bot's last topic. It returns 0 without a common word, .5 if a message
// shares one word, and 1 if it shares two or more. Han characters count in pairs. It returns 0 unless the State is
// Active.
func (m *PolicyInput) TopicOverlap() float64 {
	best := 0
	for i := range m.Batch {
		best = max(best, fold.Shared(m.Batch[i].Text, m.topicTerms))
	}
	return float64(min(best, 2)) / 2
}

// MentionOnly asks a model about messages that address the bot, and is silent otherwise.
type MentionOnly struct{}

// Judge implements [Policy].
func (MentionOnly) Judge(m *PolicyInput) Verdict {
	switch {
	case m.Addressed:
		return Verdict{Do: Ask, Score: 1, Why: m.AddressedBy}
	case m.AddressedEarlier:
		return Verdict{Why: whyStale}
	}
	return Verdict{Why: whyNotCalled}
}

// Shared by all verdicts and traces to avoid allocations.
var (
	whyNotCalled  = []Code{WhyNotCalled}
	whyStale      = []Code{WhyStale}
	whyQuiet      = []Code{WhyQuiet}
	whySpoke      = []Code{WhySpoke}
	whyActiveOver = []Code{WhyActiveOver}
	whyLapsed     = []Code{WhyLapsed}
)
