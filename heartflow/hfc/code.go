package hfc

import (
	_ "embed"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/texts"
)

// Codes of the states. The trace of a change begins with the new state. The code of a verdict is the state of its
// chat.
const (
	WhyAbsent  heartflow.Code = "absent"
	WhyChat    heartflow.Code = "chat"
	WhyFocused heartflow.Code = "focused"

	WhyOffline     heartflow.Code = "mind_offline"
	WhyPeeking     heartflow.Code = "mind_peeking"
	WhyNormalChat  heartflow.Code = "mind_normal_chat"
	WhyFocusedChat heartflow.Code = "mind_focused_chat"
)

// Reasons of a verdict, in addition to those of heartflow.
const (
	WhyWilling    heartflow.Code = "willing"
	WhyNotWilling heartflow.Code = "not_willing"
	WhyResting    heartflow.Code = "resting"  // between two cycles, or waiting for a message
	WhyThinking   heartflow.Code = "thinking" // a step of the cycle is open
)

// Decisions of a planner, in the traces of [heartflow.Attention.LogPlan]. They are the Actions as codes.
const (
	WhyTextReply  heartflow.Code = "text_reply"
	WhyEmojiReply heartflow.Code = "emoji_reply"
	WhyReact      heartflow.Code = "react"
	WhyNoReply    heartflow.Code = "no_reply"
	WhyExitFocus  heartflow.Code = "exit_focus_mode"
)

// Reasons of a change of the global state or of a chat's state.
const (
	WhyPaused         heartflow.Code = "looked_away" // the small chance per minute to pause
	WhyDurationOver   heartflow.Code = "long_enough" // the minimum time in the old state was over, and another state was drawn
	WhyNothingFocused heartflow.Code = "unloaded"    // no chat was Focused for a while
	WhyInterest       heartflow.Code = "interest"    // interest, and a draw that passed
	WhyPrivateTalk    heartflow.Code = "private_talk"
	WhyJudgedIn       heartflow.Code = "judged_in"  // a Question was answered with yes
	WhyJudgedOut      heartflow.Code = "judged_out" // a Question was answered with no; the state stays
	WhyNoJudgement    heartflow.Code = "no_judgement"
	WhyLongSilent     heartflow.Code = "long_silent" // no own message in the chat for a long time
	WhyLeftByChance   heartflow.Code = "drifted"     // the chance per minute to leave
	WhyLeft           heartflow.Code = "left"        // the planner chose exit_focus_mode
	WhyGaveUp         heartflow.Code = "gave_up"     // too many silent cycles
	WhyAbandoned      heartflow.Code = "abandoned"   // nobody carried out the steps of the cycle
	WhyLimit          heartflow.Code = "limit"       // more chats than the global state allows
	WhyClosed         heartflow.Code = "closed"      // sending is muted, in the chat or the account
)

// Text returns c as a text for people, like [heartflow.Code.Text]. It also knows the codes of this package.
func Text(c heartflow.Code, lang string) string {
	if t := codeText(string(c), lang); t != string(c) {
		return t
	}
	return c.Text(lang)
}

//go:embed codes.txt
var codeFile string

var codeText = texts.Of(codeFile)
