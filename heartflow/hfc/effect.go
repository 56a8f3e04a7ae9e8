package hfc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// EffectKind is what an [Effect] tells.
type EffectKind string

const (
	AttentionChanged   EffectKind = "perceived"    // a Change of the Attention
	GlobalStateChanged EffectKind = "mind_changed" // the global state
	ChatChanged        EffectKind = "chat_changed" // the state of a chat
	QuestionAsked      EffectKind = "judge"        // a Question: answer it by Flow.Decide
	TurnWanted         EffectKind = "turn_wanted"  // the being wants to do something in a chat by itself: Flow.Begin a turn with its Why
)

// An Effect is something that [Flow.Due] tells. Fields that its Kind does not name are zero.
type Effect[K comparable] struct {
	Kind       EffectKind
	Chat       K                   // of all but MindChanged
	At         time.Time           // when it became so
	Why        heartflow.Code      // of MindChanged and ChatChanged: the reason of the last change; of TurnWanted: WhyFocused (Flow.Step it) or WhyWilling
	Change     heartflow.Change[K] // of Perceived
	GlobalFrom GlobalState         // of MindChanged
	GlobalTo   GlobalState
	From       ChatState // of ChatChanged
	To         ChatState
	Question   Question // of Judged
}

// String is one line: time, chat, kind, and what changed or is asked.
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

// A Question is whether a chat shall be looked at. It is answered once, by [Flow.AnswerQuestion], before it expires.
type Question struct {
	ID          uint64    // never 0
	Chat        string    // the key as fmt.Sprint writes it
	To          ChatState // Chat: whether to chat along; Focused: whether to give the chat full attention
	From        ChatState
	GlobalState GlobalState
	Interest    float64          // the level of the chat
	Chance      float64          // to become Focused, that led to the question
	Recent      []WaitingMessage // the last messages that nobody dealt with
	Expires     time.Time        // then it counts as answered with no
}

// ParseDecision reads a judge's answer to a [Question]: {"decision": true, "reason": "…"}, with anything around it.
func ParseDecision(text string) (yes bool, reason string, err error) {
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return false, "", errors.New("hfc: a decision without JSON")
	}
	var d struct {
		Decision *bool
		Reason   string
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), &d); err != nil {
		return false, "", fmt.Errorf("hfc: a decision: %w", err)
	}
	if d.Decision == nil {
		return false, "", errors.New("hfc: a decision without one")
	}
	return *d.Decision, d.Reason, nil
}
