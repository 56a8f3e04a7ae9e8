package qq

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

// Account is what the tools need of an account besides speaking. *onebot.Bot is one.
type Account interface {
	GetStrangerInfo(ctx context.Context, userID int64, noCache bool) (onebot.StrangerInfo, error)
	GroupPoke(ctx context.Context, groupID, userID int64) error
	FriendPoke(ctx context.Context, userID int64) error
}

// Mouth says something, and commits to it first. target is "group_123" or "user_987", and empty for the session of
// the turn. id is the message's. An error that is onebot.ErrUnclear means that it may have been said.
type Mouth interface {
	Say(ctx context.Context, target string, m onebot.Message) (id string, err error)
}

// Options of the tools. The zero value is ready.
type Options struct {
	MaxText int // characters that one qq_send_text may have; 0 means 3000
}

// Tools makes the tools, all in tier L1.
func Tools(account Account, mouth Mouth, o *Options) ([]nit.Tool, error) {
	if account == nil || mouth == nil {
		return nil, errors.New("qq: tools need an account and a mouth")
	}
	var opts Options
	if o != nil {
		opts = *o
	}
	switch {
	case opts.MaxText < 0:
		return nil, errors.New("qq: MaxText is negative")
	case opts.MaxText == 0:
		opts.MaxText = 3000
	}
	var tools []nit.Tool
	for _, define := range []func() (nit.Tool, error){
		sender{mouth}.define(opts.MaxText), poker{account}.define, stranger{account}.define,
	} {
		t, err := define()
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// explain tells the model that what it wanted did not happen, or may have; the cause stays with the log.
func explain(failed, unclear string, err error) error {
	if errors.Is(err, onebot.ErrUnclear) {
		return errors.Join(nit.Tell(unclear), err)
	}
	return errors.Join(nit.Tell(failed), err)
}
