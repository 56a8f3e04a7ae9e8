package heartflow

import "github.com/hearth-bot/hearth/heartflow/internal/enum"

// A Level restricts the use of models. It depends only on the largest used share of any limit, of the chat or in
// total.
type Level uint8

const (
	LevelFull         Level = iota // no restriction
	LevelSaving                    // interjections must pass a second draw; callers make fewer and shorter model calls
	LevelNoJudge                   // no model decides about interjections; a policy may still decide Speak
	LevelMentionsOnly              // only messages to the bot are answered, and a keyword does not count
	LevelOff                       // no model calls
)

// String returns full, saving, no_judge, mentions_only or off.
func (l Level) String() string {
	return enum.Name(l, "Level", "full", "saving", "no_judge", "mentions_only", "off")
}

// A standing is the state of a budget for one chat.
type standing struct {
	level Level
	share float64 // largest used share of any limit
	from  float64 // share at which the level begins
	left  int     // remaining tokens; also 0 if no calls remain
}

// levelWhy holds the reason of a verdict that a level silences.
var levelWhy = [...][]Code{LevelNoJudge: {WhyNoJudge}, LevelMentionsOnly: {WhyMentionsOnly}}

// applyLevel silences a verdict that the level of the budget forbids. LevelOff is checked earlier.
func (m *PolicyInput) applyLevel(v Verdict) Verdict {
	if m.blockedBy != "" {
		return v
	}
	switch m.Level {
	case LevelSaving:
		return m.drawAgain(v)
	case LevelNoJudge, LevelMentionsOnly:
	default:
		return v
	}
	pass := v.Do == Silent || m.direct || m.Level == LevelNoJudge && (m.Addressed || v.Do == Speak)
	why := levelWhy[m.Level]
	if m.Gate(Gate{Code: why[0], Value: m.budget.share, Threshold: m.budget.from, Pass: pass}) {
		return v
	}
	return Verdict{Score: v.Score, Why: why}
}

var whySaving = []Code{WhySaving}

// drawAgain lets an interjection pass with its score as the chance, so that weak ones are dropped first. If the score
// is not above 0 and at most 1, the chance is .5.
func (m *PolicyInput) drawAgain(v Verdict) Verdict {
	m.Gate(Gate{Code: WhySaving, Value: m.budget.share, Threshold: m.budget.from, Pass: true})
	if m.Addressed || v.Do != Ask {
		return v
	}
	chance := v.Score
	if !(chance > 0 && chance <= 1) {
		chance = .5
	}
	draw := m.Draw()
	if m.Gate(Gate{Code: WhySaving, Value: chance, Draw: draw, Pass: draw < chance}) {
		return v
	}
	return Verdict{Score: v.Score, Why: whySaving}
}
