package heartflow

import (
	_ "embed"

	"github.com/hearth-bot/hearth/internal/texts"
)

// A Code is a reason in a form that can be counted, compared and translated. A policy or a caller may use codes of
// its own; those have no other text than themselves.
type Code string

// Why a message calls.
const (
	WhyPrivate   Code = "private"
	WhyMentioned Code = "mentioned"
	WhyRepliedTo Code = "replied_to"
	WhyNamed     Code = "named"
	WhyWakeWord  Code = "wake_word"
	WhyKeyword   Code = "keyword"
)

// Why a verdict asks or is silent, and why a [Attention.Speak] is refused.
const (
	WhyNotCalled    Code = "not_called"
	WhyActive       Code = "active_window" // it spoke a short while ago
	WhyPartner      Code = "partner"       // the one it last spoke with goes on
	WhyTopic        Code = "topic"         // the talk is still about what it spoke of
	WhyNotDrawn     Code = "not_drawn"     // it might have joined, and chance said no
	WhyTired        Code = "tired"         // energy made the difference
	WhyMood         Code = "mood"          // mood made the difference
	WhyCappedWindow Code = "capped_window"
	WhyCappedInRow  Code = "capped_in_row"
	WhyCappedBots   Code = "capped_bots"
	WhyMuted        Code = "muted"     // the chat is closed for sending
	WhyMutedAll     Code = "muted_all" // the account is closed for sending
	WhyOffline      Code = "offline"
	WhyOff          Code = "off"   // by this chat's Settings
	WhyQuiet        Code = "quiet" // a quiet hour
	WhyOverBudget   Code = "over_budget"
	WhyNoJudge      Code = "no_judge"      // the budget runs low: no model is asked whether to join in uncalled
	WhyMentionsOnly Code = "mentions_only" // the budget is nearly used up: only who calls the bot is answered
	WhyStale        Code = "stale"
	WhyNotJudged    Code = "not_judged" // nothing has judged that it may speak
	WhyRetracted    Code = "recalled"   // the message that called was taken back
	WhyPassed       Code = "passed"     // too many newer messages
	WhyAnswered     Code = "answered"   // somebody else turned to whom it would have answered
	WhyRepeated     Code = "repeated"   // it has just said the same
)

// Why a judged turn ended without words, for [Attention.SkipTurn].
const (
	WhyModelSilent  Code = "model_silent"
	WhyModelError   Code = "model_error"
	WhySuperseded   Code = "superseded" // its batch was given back: what called in it calls again
	WhyAlreadySpoke Code = "already_spoke"
)

// WhyUnsent is why the rest of a reply is not said, for [Attention.LogUnsent]: what stopped it stands behind.
const WhyUnsent Code = "cut"

// Why a state changed, beside those above.
const (
	WhySpoke      Code = "spoke"
	WhyActiveOver Code = "active_over"
	WhyLapsed     Code = "lapsed" // a call that nothing came of in time
	WhyUnmuted    Code = "unmuted"
	WhySlept      Code = "slept"
	WhyWoke       Code = "woke"
)

// Text says c for people, in Chinese when lang begins with "zh" and in English otherwise. A code that is not of this
// package is returned as it is.
func (c Code) Text(lang string) string { return codeText(string(c), lang) }

//go:embed codes.txt
var codeFile string

var codeText = texts.Of(codeFile)

// A calls set holds the reasons why a message calls.
type calls uint8

const (
	isPrivate calls = 1 << iota
	isMention
	isReply
	isName
	isWakeWord
	isKeyword
	manyCalls // one more than the largest set
)

var callCodes = [...]Code{WhyPrivate, WhyMentioned, WhyRepliedTo, WhyNamed, WhyWakeWord, WhyKeyword}

// codes lists the reasons in the order of their constants; nil for none.
func (c calls) codes() []Code {
	var list []Code
	for i, code := range callCodes {
		if c&(1<<i) != 0 {
			list = append(list, code)
		}
	}
	return list
}
