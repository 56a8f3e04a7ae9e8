package napcat

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

//go:generate go run ./internal/gen

// A Bot is an account in NapCat: the actions of [onebot.Bot], and NapCat's own.
//
//	url, err := napcat.Bot{Bot: bot}.GetAIRecord(ctx, groupID, character, "你好")
//
// Actions that answer with [json.RawMessage] do so because the answer is QQ's
// own, differs between its versions, or is not known: see "Raw results" above.
type Bot struct {
	*onebot.Bot
}

// result is a result that decodes itself, or one of the plain types.
func resultOf[T any](ctx context.Context, b Bot, action string, params any) (T, error) {
	var x T
	err := b.Call(ctx, action, params, &x)
	return x, err
}

// text is a result that is a string, or nothing.
func textOf(ctx context.Context, b Bot, action string, params any) (string, error) {
	raw, err := resultOf[json.RawMessage](ctx, b, action, params)
	return lenient.Text(raw), err
}

// member is one member of a result.
func memberOf[T any](ctx context.Context, b Bot, action string, params any, key string) (x T, err error) {
	object, err := resultOf[map[string]json.RawMessage](ctx, b, action, params)
	if err != nil || object[key] == nil {
		return x, err
	}
	return x, lenient.Unmarshal(object[key], &x)
}

// performed calls an action that answers by what QQ says: its refusal is an error.
func (b Bot) performed(ctx context.Context, action string, params any) error {
	raw, err := resultOf[json.RawMessage](ctx, b, action, params)
	if err != nil || len(raw) == 0 || raw[0] != '{' {
		return err
	}
	var said struct {
		Result  int64  `json:"result"`
		Wording string `json:"errMsg"`
	}
	if lenient.Unmarshal(raw, &said) == nil && said.Result != 0 {
		return &onebot.APIError{Action: action, Code: int(said.Result), Wording: said.Wording}
	}
	return nil
}

// stream calls an action that answers in parts.
func (b Bot) stream(ctx context.Context, action string, params any) iter.Seq2[StreamPart, error] {
	return func(yield func(StreamPart, error) bool) {
		for raw, err := range b.Stream(ctx, action, params) {
			var part StreamPart
			if err == nil {
				err = part.UnmarshalJSON(raw)
			}
			if !yield(part, err) || err != nil {
				return
			}
		}
	}
}
