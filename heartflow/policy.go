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

// A Policy judges what was heard in a chat: keep silent, let a model decide, or speak. It is asked only when nothing
// forbids speaking, and only to judge: the caps are tested again when something is said.
//
// Judge is called without a lock, and from several goroutines at once for different chats. It must not keep the Moment
// or anything that hangs from it. All chance comes from [PolicyInput.Draw], all that is worth knowing later goes into
// [PolicyInput.Gate]. The Why of its verdict must not be changed afterwards.
//
// A Policy may also have a method Validate() error; it is asked before the policy is taken into use.
type Policy interface{ Judge(*PolicyInput) Verdict }

// A Verdict is what was judged.
type Verdict struct {
	Do        Decision
	Score     float64 // how much there is to say; of the policy's own scale, 0 to 1 for those of this package
	Why       []Code  // read only
	Addressed bool    // set by Judge: a message of the batch called, and not too long ago
	State     State   // set by Judge: the state that was judged in
}

// String is "ask 1: mentioned".
func (v Verdict) String() string {
	why := make([]string, len(v.Why))
	for i, c := range v.Why {
		why[i] = string(c)
	}
	return fmt.Sprintf("%v %.3g: %s", v.Do, v.Score, strings.Join(why, " "))
}

// A PolicyInput is what a [Policy] judges: a chat now, and what was heard in it since the last verdict.
type PolicyInput struct {
	Now               time.Time
	Chat              string // the key as fmt.Sprint writes it
	State             State
	Addressed         bool       // a message calls, and not longer ago than MaxAge
	AddressedBy       []Code     // why; read only
	AddressedEarlier  bool       // none does, though one did longer ago
	Batch             []Received // the newest 32, oldest first; own messages are not among them
	Total             int        // how many there were
	Partner           string     // whom it last spoke with; empty: nobody
	LastSpoke         time.Time  // when it last said something here; zero: never
	RecentReplies     int        // what it said within the caps' window
	Consecutive       int        // what it said since anybody else did
	ConsecutiveToBots int        // how often it replied to bots since a human spoke
	Energy            float64    // for this chat, from Energy.Floor to 1
	Mood              float64    // from -1 to 1
	TokensLeft        int        // tokens of the budget, of all chats or of this one; math.MaxInt without a limit
	Level             Level      // of the budget
	QuietHours        bool       // it is a quiet hour: what is not called will be silent

	holder // what a policy with a lookback.Source sees

	gates  []Gate
	direct bool // something calls that is not a keyword
	budget standing
	topic  []uint32
	dice   rand.PCG
	turn   uint64 // of the chat's turn that this judges
	shut   Code   // the gate that closed; empty: the policy is asked
}

type holder = lookback.Holder

// Draw returns a number above 0 and below 1 of the chat's own chance: the same seed and the same past draw the same.
func (m *PolicyInput) Draw() float64 { return pcg.Draw(&m.dice) }

// Gate adds a test to the trace, and returns whether it passed.
func (m *PolicyInput) Gate(g Gate) (pass bool) {
	m.gates = append(m.gates, g)
	return g.Pass
}

// TopicOverlap says how far the batch is about what the bot last spoke of: 0 not at all, .5 a message shares one word with
// it, 1 two words or more. Han characters count in pairs. It is 0 unless the State is Active.
func (m *PolicyInput) TopicOverlap() float64 {
	best := 0
	for i := range m.Batch {
		best = max(best, fold.Shared(m.Batch[i].Text, m.topic))
	}
	return float64(min(best, 2)) / 2
}

// MentionOnly lets the model decide when the bot is called, and keeps silent otherwise.
type MentionOnly struct{}

// Judge implements [Policy].
func (MentionOnly) Judge(m *PolicyInput) Verdict {
	switch {
	case m.Addressed:
		return Verdict{Do: Ask, Score: 1, Why: m.AddressedBy}
	case m.AddressedEarlier:
		return Verdict{Why: onlyStale}
	}
	return Verdict{Why: onlyNotCalled}
}

// Shared by all verdicts, so that judging need not allocate.
var (
	onlyNotCalled = []Code{WhyNotCalled}
	onlyStale     = []Code{WhyStale}
	onlyQuiet     = []Code{WhyQuiet}
)
