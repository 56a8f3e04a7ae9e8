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
	for found := false; ; {
		i := strings.IndexAny(text, "{｛")
		if i < 0 {
			break
		}
		object, n := strictJSON(text[i:])
		text = text[i+n:]
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
	Action     *string `json:"action"`
	Reasoning  loose   `json:"reasoning"`
	EmojiQuery loose   `json:"emoji_query"`
	AtUser     ids     `json:"at_user"`
	PokeUser   ids     `json:"poke_user"`
}

func (a *answer) plan() Plan {
	return Plan{
		Action:     Action(strings.ToLower(strings.TrimSpace(*a.Action))),
		Reasoning:  strings.TrimSpace(string(a.Reasoning)),
		EmojiQuery: strings.TrimSpace(string(a.EmojiQuery)),
		AtUser:     a.AtUser,
		PokeUser:   a.PokeUser,
	}
}

// A loose text is a string, or whatever else stands in its place; null is empty.
type loose string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *loose) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) != nil {
		*l = loose(b)
	} else if s != nil {
		*l = loose(*s)
	}
	return nil
}

// ids are account ids: digits, each once.
type ids []string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *ids) UnmarshalJSON(b []byte) error {
	var list []loose
	if json.Unmarshal(b, &list) != nil {
		list = []loose{""}
		if err := list[0].UnmarshalJSON(b); err != nil {
			return err
		}
	}
	*l = nil
	for _, some := range list {
		for _, id := range strings.FieldsFunc(string(some), func(r rune) bool { return strings.ContainsRune(",，、;； \t\n", r) }) {
			id = strings.TrimPrefix(id, "@")
			if isDigits(id) && !slices.Contains(*l, id) {
				*l = append(*l, id)
			}
		}
	}
	return nil
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) <= 20
}
