package heartflow

import (
	_ "embed"

	"github.com/hearth-bot/hearth/internal/texts"
)

// A Code is a reason, for statistics, comparison and translation. Policies and callers may use their own codes.
type Code string

// Reasons for which a message addresses the bot.
const (
	WhyPrivate   Code = "private"
	WhyMentioned Code = "mentioned"
	WhyRepliedTo Code = "replied_to"
	WhyNamed     Code = "named"
	WhyWakeWord  Code = "wake_word"
	WhyKeyword   Code = "keyword"
)

// Reasons of a verdict, and reasons to refuse a message in [Attention.Speak].
const (
	WhyNotCalled    Code = "not_called"
	WhyActive       Code = "active_window" // the bot spoke recently
	WhyPartner      Code = "partner"       // its last partner continues
	WhyTopic        Code = "topic"         // the messages are still about its last topic
	WhyNotDrawn     Code = "not_drawn"     // the random draw failed
	WhyTired        Code = "tired"         // energy decided the draw
	WhyMood         Code = "mood"          // mood decided the draw
	WhyWelcome      Code = "welcome"       // what people thought of the bot's earlier messages decided it
	WhyCappedWindow Code = "capped_window"
	WhyCappedPerson Code = "capped_person" // this person has got enough replies
	WhyCappedInRow  Code = "capped_in_row"
	WhyCappedBots   Code = "capped_bots"
	WhyMuted        Code = "muted"     // sending to the chat is muted
	WhyMutedAll     Code = "muted_all" // sending by the account is muted
	WhyOffline      Code = "offline"
	WhyOff          Code = "off"   // by this chat's Settings
	WhyQuiet        Code = "quiet" // quiet hours
	WhyOverBudget   Code = "over_budget"
	WhySaving       Code = "saving"        // the budget is half used, so weak interjections are dropped
	WhyNoJudge      Code = "no_judge"      // the budget is low, so no model decides about interjections
	WhyMentionsOnly Code = "mentions_only" // the budget is nearly used up, so only addressed messages are answered
	WhyStale        Code = "stale"
	WhyNotJudged    Code = "not_judged" // no verdict permits it
	WhyRetracted    Code = "recalled"   // the message that addressed the bot was retracted
	WhyPassed       Code = "passed"     // too many newer messages
	WhyAnswered     Code = "answered"   // somebody else addressed the same author
	WhyRepeated     Code = "repeated"   // nearly the same as a recent own message
)

// Reasons to end a turn without a reply, for [Attention.SkipTurn].
const (
	WhyModelSilent  Code = "model_silent"
	WhyModelError   Code = "model_error"
	WhyModelRetry   Code = "model_retry" // the model failed, and the batch returns to the waiting messages for another try
	WhySuperseded   Code = "superseded"  // the batch returns to the waiting messages and is judged again
	WhyAlreadySpoke Code = "already_spoke"
	WhyNoWindow     Code = "no_window" // the platform permits no reply any more
)

// Reasons of a state change that a caller traces with [Attention.AddTrace] when it saves model usage.
const (
	WhyOneCall      Code = "one_call"      // a turn uses one model call instead of three
	WhyShortContext Code = "short_context" // the prompts of a turn are shorter
)

// WhyUnsent marks the rest of a reply that is not sent, in a trace of [Attention.LogUnsent]. The cause follows it.
const WhyUnsent Code = "cut"

// Reasons of a state change, in addition to those above.
const (
	WhySpoke      Code = "spoke"
	WhyActiveOver Code = "active_over"
	WhyLapsed     Code = "lapsed" // the bot did not answer in time
	WhyUnmuted    Code = "unmuted"
	WhySlept      Code = "slept"
	WhyWoke       Code = "woke"
)

// Text returns c as a text for people. It is Chinese if lang begins with "zh", otherwise English. Codes of other
// packages are returned unchanged.
func (c Code) Text(lang string) string { return codeText(string(c), lang) }

//go:embed codes.txt
var codeFile string

var codeText = texts.Of(codeFile)

// A reasons set holds the reasons for which a message addresses the bot.
type reasons uint8

const (
	isPrivate reasons = 1 << iota
	isMention
	isReply
	isName
	isWakeWord
	isKeyword
	reasonSets // number of possible sets
)

var reasonCodes = [...]Code{WhyPrivate, WhyMentioned, WhyRepliedTo, WhyNamed, WhyWakeWord, WhyKeyword}

// codes lists the reasons in the order of their constants. The empty set returns nil.
func (c reasons) codes() []Code {
	var list []Code
	for i, code := range reasonCodes {
		if c&(1<<i) != 0 {
			list = append(list, code)
		}
	}
	return list
}
