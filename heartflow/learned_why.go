package heartflow

import (
	"sync"

	"github.com/hearth-bot/hearth/heartflow/internal/gate"
)

// Why [Learned] finds a message worth an answer, or not: what its weights gave the most for.
const (
	WhyLikely       Code = "likely" // the chance that it would answer
	WhyToMe         Code = "to_me"
	WhyToOthers     Code = "to_others"
	WhyGoesOn       Code = "goes_on" // with the bot's lines, or a talk in which it has part
	WhyOtherTalk    Code = "other_talk"
	WhyStranger     Code = "stranger" // its author and the bot have not spoken lately; the opposite is WhyPartner
	WhyPresent      Code = "present"  // the bot has been talking just now
	WhyAway         Code = "away"
	WhyWantsWords   Code = "wants_words" // by its own words
	WhyNeedsNone    Code = "needs_none"
	WhyUsual        Code = "usual" // the bot answers the like of it here
	WhyUnusual      Code = "unusual"
	WhyNobodyElse   Code = "nobody_else" // nobody else speaks with its author
	WhySomebodyElse Code = "somebody_else"
	WhyRoom         Code = "room" // by the pace of the talk
	WhyBusy         Code = "busy"
)

// groupCodes are the reasons for and against of each group of features.
var groupCodes = [gate.Groups][2]Code{
	gate.OfAddress: {WhyToMe, WhyToOthers}, gate.OfThread: {WhyGoesOn, WhyOtherTalk}, gate.OfPartner: {WhyPartner, WhyStranger},
	gate.OfPresence: {WhyPresent, WhyAway}, gate.OfWords: {WhyWantsWords, WhyNeedsNone}, gate.OfHabit: {WhyUsual, WhyUnusual},
	gate.OfOthers: {WhyNobodyElse, WhySomebodyElse}, gate.OfPace: {WhyRoom, WhyBusy},
}

// explain returns the chance that the bot would answer, and puts the groups that gave the most for and against it into
// the trace.
func (m *Moment) explain(x *gate.Features) (p float32, why []Code) {
	var by [gate.NumFeatures]float32
	p = builtin().Explain(x, &by)
	var sum [gate.Groups]float32
	for f, v := range by {
		sum[gate.GroupOf[f]] += v
	}
	var top [2]int
	for n := range top {
		best := -1
		for g, v := range sum {
			if (n == 0 || g != top[0]) && (best < 0 || abs(v) > abs(sum[best])) {
				best = g
			}
		}
		top[n] = best
	}
	var signed [2]int
	for n, g := range top {
		signed[n] = 2 * g
		if sum[g] < 0 {
			signed[n]++
		}
		m.Gate(Gate{Code: groupCodes[g][signed[n]&1], Value: float64(sum[g]), Pass: sum[g] >= 0})
	}
	return p, pairs()[signed[0]][signed[1]]
}

// pairs returns every pair of reasons as a list, so that judging need not allocate.
var pairs = sync.OnceValue(func() *[2 * gate.Groups][2 * gate.Groups][]Code {
	all := new([2 * gate.Groups][2 * gate.Groups][]Code)
	for i := range all {
		for j := range all[i] {
			all[i][j] = []Code{groupCodes[i/2][i%2], groupCodes[j/2][j%2]}
		}
	}
	return all
})

func abs(v float32) float32 { return max(v, -v) }
