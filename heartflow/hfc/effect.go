package hfc

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/modeljson"
)

// EffectKind is the kind of an [Effect].
type EffectKind string

const (
	AttentionChanged   EffectKind = "perceived"    // a Change of the Attention
	GlobalStateChanged EffectKind = "mind_changed" // a change of the global state
	ChatChanged        EffectKind = "chat_changed" // a change of a chat's state
	QuestionAsked      EffectKind = "judge"        // a Question: answer it with Flow.AnswerQuestion
	TurnWanted         EffectKind = "turn_wanted"  // the bot wants a turn in a chat: open it with Flow.BeginTurn and the Why
)

// An Effect is a result of [Flow.Due]. Fields that do not belong to its Kind are zero.
type Effect[K comparable] struct {
	Kind       EffectKind
	Chat       K                   // for all but GlobalStateChanged
	At         time.Time           // time of the change
	Why        heartflow.Code      // for GlobalStateChanged and ChatChanged: the last reason; for TurnWanted: WhyFocused (continue with Flow.NextStep) or WhyWilling
	Change     heartflow.Change[K] // for AttentionChanged
	GlobalFrom GlobalState         // for GlobalStateChanged
	GlobalTo   GlobalState
	From       ChatState // for ChatChanged
	To         ChatState
	Question   Question // for QuestionAsked
}

// String returns one line: time, chat, kind, and the change or the question.
func (e Effect[K]) String() string {
	head := e.At.Format("15:04:05 ")
	if e.Kind != GlobalStateChanged && !e.Change.AllChats {
		head += fmt.Sprint(e.Chat) + " "
	}
	head += string(e.Kind)
	switch e.Kind {
	case AttentionChanged:
		return fmt.Sprintf("%s %v -> %v", head, e.Change.From, e.Change.To)
	case GlobalStateChanged:
		return fmt.Sprintf("%s %v -> %v: %s", head, e.GlobalFrom, e.GlobalTo, e.Why)
	case ChatChanged:
		return fmt.Sprintf("%s %v -> %v: %s", head, e.From, e.To, e.Why)
	case QuestionAsked:
		q := e.Question
		return fmt.Sprintf("%s %d: %v -> %v, interest %.3g, %d messages, until %s", head, q.ID, q.From, q.To, q.Interest, len(q.Recent), q.Expires.Format("15:04:05"))
	}
	return fmt.Sprintf("%s: %s", head, e.Why)
}

// A Question asks whether the bot should join a chat or focus on it. Answer it once with [Flow.AnswerQuestion],
// before it expires.
type Question struct {
	ID          uint64    // never 0
	Chat        string    // the key formatted by fmt.Sprint
	To          ChatState // Chatting: should the bot join? Focused: should it focus on the chat?
	From        ChatState
	GlobalState GlobalState
	Interest    float64          // interest level of the chat
	Chance      float64          // chance to become Focused
	Recent      []WaitingMessage // the last messages without a verdict
	Expires     time.Time        // then it counts as answered with no
}

// ParseDecision parses a model's answer to a [Question]: {"decision": true, "reason": "…"}. It accepts what [ParsePlan]
// accepts, and yes, no, 1, 0, 是 and 否 as a decision. messages are those that the model saw.
func ParseDecision(text string, messages ...string) (yes bool, reason string, err error) {
	var d struct {
		Decision modeljson.Text
		Reason   modeljson.Text
	}
	if err := modeljson.Decode(text, &d, modeljson.Options{Keys: []string{"decision"}, Messages: messages}); err != nil {
		return false, "", fmt.Errorf("hfc: decision: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(string(d.Decision))) {
	case "true", "yes", "1", "是":
		yes = true
	case "false", "no", "0", "否":
	default:
		return false, "", errors.New("hfc: decision: it is neither true nor false")
	}
	return yes, string(d.Reason), nil
}
