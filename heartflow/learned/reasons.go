package learned

import (
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// Reasons in the verdicts and traces of a [Policy]. All but the first come in pairs, for and against an answer.
// Verdict.Why contains the two with the most weight.
const (
	WhyLikely       heartflow.Code = "likely" // the score
	WhyToMe         heartflow.Code = "to_me"
	WhyToOthers     heartflow.Code = "to_others"
	WhyGoesOn       heartflow.Code = "goes_on" // it continues a conversation of the bot
	WhyOtherTalk    heartflow.Code = "other_talk"
	WhyStranger     heartflow.Code = "stranger" // no recent exchange between author and bot; the opposite is heartflow.WhyPartner
	WhyPresent      heartflow.Code = "present"  // the bot has just spoken
	WhyAway         heartflow.Code = "away"
	WhyWantsWords   heartflow.Code = "wants_words" // its words ask for an answer
	WhyNeedsNone    heartflow.Code = "needs_none"
	WhyUsual        heartflow.Code = "usual" // the bot often answers such messages in this chat
	WhyUnusual      heartflow.Code = "unusual"
	WhyNobodyElse   heartflow.Code = "nobody_else" // nobody else talks with the author
	WhySomebodyElse heartflow.Code = "somebody_else"
	WhyRoom         heartflow.Code = "room" // the chat is slow enough
	WhyBusy         heartflow.Code = "busy"
)

// groupCodes holds the reasons for and against of each group of features.
var groupCodes = [lookback.Groups][2]heartflow.Code{
	lookback.OfAddress: {WhyToMe, WhyToOthers}, lookback.OfThread: {WhyGoesOn, WhyOtherTalk}, lookback.OfPartner: {heartflow.WhyPartner, WhyStranger},
	lookback.OfPresence: {WhyPresent, WhyAway}, lookback.OfWords: {WhyWantsWords, WhyNeedsNone}, lookback.OfHabit: {WhyUsual, WhyUnusual},
	lookback.OfOthers: {WhyNobodyElse, WhySomebodyElse}, lookback.OfPace: {WhyRoom, WhyBusy},
}

// explain returns the highest score of the messages, and the reasons of the two groups of features with the most weight in it.
// It adds both to the trace. Without a known message there are no reasons.
func explain(m *heartflow.PolicyInput, model *lookback.Model, messages []lookback.Message) (score float32, why []heartflow.Code) {
	var by [lookback.NumFeatures]float32
	score, known := model.Explain(messages, &by)
	if !known {
		return 0, nil
	}
	var sum [lookback.Groups]float32
	for f, v := range by {
		sum[lookback.GroupOf[f]] += v
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
		m.Gate(heartflow.Gate{Code: groupCodes[g][signed[n]&1], Value: float64(sum[g]), Pass: sum[g] >= 0})
	}
	return score, pairs()[signed[0]][signed[1]]
}

// pairs holds every pair of reasons as a list, to avoid allocations.
var pairs = sync.OnceValue(func() *[2 * lookback.Groups][2 * lookback.Groups][]heartflow.Code {
	all := new([2 * lookback.Groups][2 * lookback.Groups][]heartflow.Code)
	for i := range all {
		for j := range all[i] {
			all[i][j] = []heartflow.Code{groupCodes[i/2][i%2], groupCodes[j/2][j%2]}
		}
	}
	return all
})

func abs(v float32) float32 { return max(v, -v) }
