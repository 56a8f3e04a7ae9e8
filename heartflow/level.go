package heartflow

import "github.com/hearth-bot/hearth/heartflow/internal/enum"

// A Level is how far the models may be used. It follows from the largest share that is used of any limit, of the chat
// or of all chats, and from nothing else: the same figures give the same level, whichever way they were reached.
type Level uint8

const (
	LevelFull         Level = iota // as the policy says
	LevelNoJudge                   // no model is asked whether to join in uncalled; what the policy decides by itself stays
	LevelMentionsOnly              // only who calls the bot is answered, and a keyword is no call
	LevelOff                       // no model is asked for anything
)

// String returns full, no_judge, mentions_only or off.
func (l Level) String() string {
	return enum.Name(l, "Level", "full", "no_judge", "mentions_only", "off")
}

// A standing is where a chat stands in a budget.
type standing struct {
	level Level
	share float64 // used of the limit that is the nearest
	from  float64 // where the level begins
	left  int     // tokens; 0 also where calls have run out
}

// levelWhy is why a verdict is silent by a level.
var levelWhy = [...][]Code{LevelNoJudge: {WhyNoJudge}, LevelMentionsOnly: {WhyMentionsOnly}}

// govern makes a verdict silent where the level of the budget does not allow it. LevelOff is tested before.
func (m *PolicyInput) govern(v Verdict) Verdict {
	if m.shut != "" || m.Level != LevelNoJudge && m.Level != LevelMentionsOnly {
		return v
	}
	pass := v.Do == Silent || m.direct || m.Level == LevelNoJudge && (m.Addressed || v.Do == Speak)
	why := levelWhy[m.Level]
	if m.Gate(Gate{Code: why[0], Value: m.budget.share, Threshold: m.budget.from, Pass: pass}) {
		return v
	}
	return Verdict{Score: v.Score, Why: why}
}
