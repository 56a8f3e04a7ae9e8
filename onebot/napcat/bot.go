package napcat

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

//go:generate go run ./internal/gen

// A Bot is an account in NapCat: the actions of [onebot.Bot] and NapCat's own.
//
//	url, err := napcat.Bot{Bot: bot}.GetAIRecord(ctx, groupID, character, "你好")
//
// Actions that return [json.RawMessage] return QQ's own JSON. It differs between versions or is undocumented: see
// "Raw results" above.
type Bot struct {
	*onebot.Bot
}

// resultOf calls an action and decodes its result.
func resultOf[T any](ctx context.Context, b Bot, action string, params any) (T, error) {
	var x T
	err := b.Call(ctx, action, params, &x)
	return x, err
}

// textOf calls an action with a string or nothing as its result.
func textOf(ctx context.Context, b Bot, action string, params any) (string, error) {
	raw, err := resultOf[json.RawMessage](ctx, b, action, params)
	return lenient.Text(raw), err
}

// memberOf calls an action and returns one member of its result.
func memberOf[T any](ctx context.Context, b Bot, action string, params any, key string) (x T, err error) {
	object, err := resultOf[map[string]json.RawMessage](ctx, b, action, params)
	if err != nil || object[key] == nil {
		return x, err
	}
	return x, lenient.Unmarshal(object[key], &x)
}

// performed calls an action with QQ's own status in its result. A refusal by QQ is an error.
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

// stream calls an action that responds in parts.
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
