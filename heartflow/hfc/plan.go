package hfc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/modeljson"
)

// An Action is what a [Plan] may choose.
type Action string

// The actions, as a planner's JSON names them.
const (
	TextReply  Action = "text_reply"      // say something, perhaps with a sticker, a mention or a poke
	EmojiReply Action = "emoji_reply"     // send a sticker alone
	NoReply    Action = "no_reply"        // wait for a message, or for a time
	ExitFocus  Action = "exit_focus_mode" // turn away from this chat
)

// actions in the order in which a planner is told of them: the first are withheld first.
var actions = [...]Action{TextReply, EmojiReply, NoReply, ExitFocus}

// A Plan is a planner's answer.
type Plan struct {
	Action     Action   `json:"action"`
	Reasoning  string   `json:"reasoning,omitempty"`
	EmojiQuery string   `json:"emoji_query,omitempty"` // what the sticker should show; empty: none
	AtUser     []string `json:"at_user,omitempty"`     // ids to @
	PokeUser   []string `json:"poke_user,omitempty"`   // ids to poke
}

// ErrPlan is wrapped by the errors of [ParsePlan].
var ErrPlan = errors.New("hfc: not a plan")

// ParsePlan reads a planner's JSON out of what a model answered: the last JSON object that has an action. Text and code
// fences around it, full-width punctuation, line breaks within strings and commas too many do no harm. The people to @ and
// to poke may be one id, a list parted by commas, or an array; what does not consist of digits is left out, for it is no id.
//
// No object, a broken one, or an action that is none of the four is an error that wraps [ErrPlan].
func ParsePlan(text string) (Plan, error) {
	var p Plan
	err := errors.New("no JSON object")
	found := false
	for object := range modeljson.Objects(text) {
		var a answer
		if e := json.Unmarshal(object, &a); e != nil {
			if !found {
				err = e
			}
		} else if a.Action != nil {
			p, err, found = a.plan(), nil, true
		} else if !found {
			err = errors.New("no action")
		}
	}
	if err == nil && !slices.Contains(actions[:], p.Action) {
		err = fmt.Errorf("action %q is not known", p.Action)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("%w: %v", ErrPlan, err)
	}
	return p, nil
}

// An answer is a Plan as models write it.
type answer struct {
	Action     *string         `json:"action"`
	Reasoning  modeljson.Text  `json:"reasoning"`
	EmojiQuery modeljson.Text  `json:"emoji_query"`
	AtUser     modeljson.Texts `json:"at_user"`
	PokeUser   modeljson.Texts `json:"poke_user"`
}

func (a *answer) plan() Plan {
	return Plan{
		Action:     Action(strings.ToLower(strings.TrimSpace(*a.Action))),
		Reasoning:  strings.TrimSpace(string(a.Reasoning)),
		EmojiQuery: strings.TrimSpace(string(a.EmojiQuery)),
		AtUser:     ids(a.AtUser),
		PokeUser:   ids(a.PokeUser),
	}
}

// ids are account ids: digits, each once.
func ids(texts modeljson.Texts) (all []string) {
	for _, some := range texts {
		for _, id := range strings.FieldsFunc(string(some), func(r rune) bool { return strings.ContainsRune(",，、;； \t\n", r) }) {
			id = strings.TrimPrefix(id, "@")
			if isDigits(id) && !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return all
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) <= 20
}
