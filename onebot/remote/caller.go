package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/relay"
)

// A caller calls actions over the relay.
type caller struct{ s *Source }

// Connected reports whether the account is connected to a gateway.
func (c caller) Connected() bool { return c.s.owner.Link().Connected }

// Call implements [onebot.Caller].
func (c caller) Call(ctx context.Context, action string, params, result any) error {
	q := request{Action: action}
	if params != nil {
		var err error
		if q.Params, err = json.Marshal(params); err != nil {
			return fmt.Errorf("onebot/remote: call %s: %w: %w", action, onebot.ErrBadParams, err)
		}
	}
	r, err := c.s.exchange(ctx, q, c.s.o.CallTimeout)
	if err != nil {
		return fmt.Errorf("onebot/remote: call %s: %w", action, translate(action, err))
	}
	data, err := r.result(action)
	if err != nil {
		return err
	}
	if result == nil || len(data) == 0 || string(data) == "null" {
		return nil
	}
	if err := json.Unmarshal(data, result); err != nil {
		err = fmt.Errorf("onebot/remote: call %s: result: %w", action, err)
		if onebot.IsSend(action) {
			err = fmt.Errorf("%w: %w", onebot.ErrUnclear, err)
		}
		return err
	}
	return nil
}

// translate adds the errors of package onebot that an error of the relay matches.
func translate(action string, err error) error {
	var as error
	switch {
	case errors.Is(err, relay.ErrUnclear) && onebot.IsSend(action):
		as = onebot.ErrUnclear
	case errors.Is(err, context.DeadlineExceeded):
		as = onebot.ErrTimeout
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, relay.ErrTooLarge):
		as = onebot.ErrBadParams
	default:
		as = onebot.ErrDisconnected
	}
	return fmt.Errorf("%w: %w", as, err)
}
