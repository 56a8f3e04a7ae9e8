package hfc

import (
	_ "embed"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/texts"
)

// The states as reasons: of a change, the first says what it became; of a verdict, it says in which state.
const (
	WhyAbsent  heartflow.Code = "absent"
	WhyChat    heartflow.Code = "chat"
	WhyFocused heartflow.Code = "focused"

	WhyOffline     heartflow.Code = "mind_offline"
	WhyPeeking     heartflow.Code = "mind_peeking"
	WhyNormalChat  heartflow.Code = "mind_normal_chat"
	WhyFocusedChat heartflow.Code = "mind_focused_chat"
)

// Why a verdict is what it is, beside those of heartflow.
const (
	WhyWilling    heartflow.Code = "willing"
	WhyNotWilling heartflow.Code = "not_willing"
	WhyResting    heartflow.Code = "resting"  // between two cycles, or waiting for a message
	WhyThinking   heartflow.Code = "thinking" // a step of the cycle is being done
)

// Why the global state, or a chat's, changed.
const (
	WhyPaused         heartflow.Code = "looked_away" // the small chance of every minute to look away
	WhyDurationOver   heartflow.Code = "long_enough" // it was in the state before as long as that takes, and another was drawn
	WhyNothingFocused heartflow.Code = "unloaded"    // no chat was Focused for a while
	WhyInterest       heartflow.Code = "interest"    // what was said is interesting, and chance agreed
	WhyPrivateTalk    heartflow.Code = "private_talk"
	WhyJudgedIn       heartflow.Code = "judged_in"  // the judge said yes
	WhyJudgedOut      heartflow.Code = "judged_out" // the judge said no: nothing changes
	WhyNoJudgement    heartflow.Code = "no_judgement"
	WhyLongSilent     heartflow.Code = "long_silent" // the being said nothing there for long
	WhyLeftByChance   heartflow.Code = "drifted"     // the chance of a minute to stop looking
	WhyLeft           heartflow.Code = "left"        // the planner chose to end focus
	WhyGaveUp         heartflow.Code = "gave_up"     // silence upon silence
	WhyAbandoned      heartflow.Code = "abandoned"   // nobody did the steps of the cycle
	WhyLimit          heartflow.Code = "limit"       // more chats than the global state allows
	WhyClosed         heartflow.Code = "closed"      // muted, or the account cannot send
)

// Text says c for people as [heartflow.Code.Text] does, and knows the codes of this package too.
func Text(c heartflow.Code, lang string) string {
	if t := codeText(string(c), lang); t != string(c) {
		return t
	}
	return c.Text(lang)
}

//go:embed codes.txt
var codeFile string

var codeText = texts.Of(codeFile)
