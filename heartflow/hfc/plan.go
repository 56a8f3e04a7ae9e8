package hfc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Action is what a [Plan] may choose.
type Action string

const (
	TextReply  Action = "text_reply"
	EmojiReply Action = "emoji_reply"
	NoReply    Action = "no_reply"
	ExitFocus  Action = "exit_focus_mode"
)

// actions in the order in which a planner is told of them.
var actions = [...]Action{TextReply, EmojiReply, NoReply, ExitFocus}

// A Plan is a planner's answer.
type Plan struct {
	Action     Action   `json:"action"`
	Reasoning  string   `json:"reasoning,omitempty"`
	EmojiQuery string   `json:"emoji_query,omitempty"` // what the sticker should show; empty: none
	AtUser     []string `json:"at_user,omitempty"`     // ids to @
	PokeUser   []string `json:"poke_user,omitempty"`   // ids to poke
}

// ErrPlan is in the errors of [ParsePlan].
var ErrPlan = errors.New("hfc: not a plan")

// ParsePlan reads a planner's JSON out of its answer.
func ParsePlan(text string) (Plan, error) {
	i, j := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if i < 0 || j < i {
		return Plan{}, fmt.Errorf("%w: no JSON object", ErrPlan)
	}
	var p Plan
	if err := json.Unmarshal([]byte(text[i:j+1]), &p); err != nil {
		return Plan{}, fmt.Errorf("%w: %v", ErrPlan, err)
	}
	if !slices.Contains(actions[:], p.Action) {
		return Plan{}, fmt.Errorf("%w: unknown action %q", ErrPlan, p.Action)
	}
	return p, nil
}
