package hfc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/modeljson"
)

// An Action is the action of a [Plan].
type Action string

// The actions, by their names in the planner's JSON.
const (
	TextReply  Action = "text_reply"      // send a text, optionally with a sticker, a mention or a poke
	EmojiReply Action = "emoji_reply"     // send only a sticker
	React      Action = "react"           // add a face to the last message
	NoReply    Action = "no_reply"        // wait for a message or some time
	ExitFocus  Action = "exit_focus_mode" // end the focus on this chat
)

// actions are in the order of the planner's prompt. The first ones are withheld first.
var actions = [...]Action{TextReply, EmojiReply, React, NoReply, ExitFocus}

var actionNames = [...]string{string(TextReply), string(EmojiReply), string(React), string(NoReply), string(ExitFocus)}

// A Plan is the answer of a planner.
type Plan struct {
	Action     Action   `json:"action"`
	Reasoning  string   `json:"reasoning,omitempty"`
	EmojiQuery string   `json:"emoji_query,omitempty"` // content of the sticker; empty: none
	Face       string   `json:"face,omitempty"`        // name of the face for React
	AtUser     []string `json:"at_user,omitempty"`     // ids of people to mention
	PokeUser   []string `json:"poke_user,omitempty"`   // ids of people to poke
}

// ErrPlan is wrapped by the errors of [ParsePlan].
var ErrPlan = errors.New("hfc: invalid plan")

// ParsePlan parses the plan in a model's answer: the JSON object with an action. It accepts text and code fences around it,
// and the usual mistakes of models: single or Chinese quotes, full-width punctuation, missing quotes and commas, comments,
// line breaks in strings, a missing end. at_user and poke_user may be one id, a list separated by commas, or an array. An id is a
// number of at most 20 digits, or an openid: 8 to 128 ASCII letters, digits, _ and -, among them a digit and a letter. Anything
// else, such as a name, is dropped.
//
// The error wraps [ErrPlan] if there is no such object, if there are several that differ, if one cannot be read, or if its
// action is unknown. messages are those that the model saw. An object that repeats one of them is a quote and not a plan,
// unless it is the whole answer.
func ParsePlan(text string, messages ...string) (Plan, error) {
	var a answer
	if err := modeljson.Decode(text, &a, modeljson.Options{Keys: []string{"action"}, Messages: messages}); err != nil {
		return Plan{}, fmt.Errorf("%w: %v", ErrPlan, err)
	}
	name := *cmp.Or(a.Action, new(string))
	action, ok := modeljson.Text(name).Word(actionNames[:]...)
	if !ok {
		return Plan{}, fmt.Errorf("%w: unknown action %q", ErrPlan, name)
	}
	return a.plan(Action(action)), nil
}

// An answer is a Plan as models write it.
type answer struct {
	Action     *string         `json:"action"`
	Reasoning  modeljson.Text  `json:"reasoning"`
	EmojiQuery modeljson.Text  `json:"emoji_query"`
	Face       modeljson.Text  `json:"face"`
	AtUser     modeljson.Texts `json:"at_user"`
	PokeUser   modeljson.Texts `json:"poke_user"`
}

func (a *answer) plan(action Action) Plan {
	return Plan{
		Action:     action,
		Reasoning:  strings.TrimSpace(string(a.Reasoning)),
		EmojiQuery: strings.TrimSpace(string(a.EmojiQuery)),
		Face:       strings.Trim(strings.TrimSpace(string(a.Face)), "[]/"),
		AtUser:     ids(a.AtUser),
		PokeUser:   ids(a.PokeUser),
	}
}

// ids returns the account ids in texts, without duplicates.
func ids(texts modeljson.Texts) (all []string) {
	for _, some := range texts {
		for _, id := range strings.FieldsFunc(string(some), func(r rune) bool { return strings.ContainsRune(",，、;； \t\n", r) }) {
			id = strings.TrimPrefix(id, "@")
			if isID(id) && !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return all
}

// isID reports whether s is a number or an openid: see [ParsePlan].
func isID(s string) bool {
	digit, other := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digit = true
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '-' && i > 0:
			other = true
		default:
			return false
		}
	}
	if other {
		return digit && len(s) >= 8 && len(s) <= 128
	}
	return digit && len(s) <= 20
}
