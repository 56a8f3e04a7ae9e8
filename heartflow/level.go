package heartflow

import (
	"fmt"
	"strconv"
	"time"
)

// A Level is how far the models may be used. It follows from the largest share that is used of any limit, of the chat
// or of all chats, and from nothing else: the same figures give the same level, whichever way they were reached.
type Level uint8

const (
	LevelFull     Level = iota // as the policy says
	LevelNoJudge               // no model is asked whether to join in uncalled; what the policy decides by itself stays
	LevelMentions              // only who calls the bot is answered, and a keyword is no call
	LevelOff                   // no model is asked for anything
)

var levelNames = [...]string{"full", "no_judge", "mentions_only", "off"}

// String returns full, no_judge, mentions_only or off.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return "Level(" + strconv.Itoa(int(l)) + ")"
}

// levelWhy is why a verdict is silent by a level.
var levelWhy = [...][]Code{LevelNoJudge: {WhyNoJudge}, LevelMentions: {WhyMentionsOnly}}

// Level returns how far the models may be used for chat at now, by the Budget and the chat's own Limits; LevelFull where
// there is no Budget. Who asks a model about a chat on its own account asks here first.
func (a *Attention[K]) Level(now time.Time, chat K) Level {
	b := a.o.Budget
	if b == nil {
		return LevelFull
	}
	a.mu.Lock()
	limits := a.tuning(chat).limitsOf(b)
	a.mu.Unlock()
	return b.standing(now, fmt.Sprint(chat), limits).level
}

// limitsOf returns what a chat may use of b.
func (t *tuning) limitsOf(b *Budget) Limits {
	if t.limits != nil {
		return *t.limits
	}
	return b.o.Chat
}

// govern makes a verdict silent where the level of the budget does not allow it. LevelOff is tested before.
func (m *Moment) govern(v Verdict) Verdict {
	if m.shut != "" || m.Level != LevelNoJudge && m.Level != LevelMentions {
		return v
	}
	pass := v.Do == Silent || m.direct || m.Level == LevelNoJudge && (m.Called || v.Do == Speak)
	why := levelWhy[m.Level]
	if m.Gate(Gate{Code: why[0], Value: m.budget.share, Threshold: m.budget.from, Pass: pass}) {
		return v
	}
	return Verdict{Score: v.Score, Why: why}
}
