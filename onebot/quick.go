package onebot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A QuickHandler gets an event as a [Handler] does and returns what is to be done about it; nil: nothing. Over HTTP
// POST ([Webhook.RunQuick]) that goes into the response, over any other link [FromQuickHandler] makes calls of it.
type QuickHandler func(ctx context.Context, bot *Bot, e Event) QuickOperation

// An QuickOperation is a quick operation on an event: a [QuickReply], [QuickFriendDecision] or [QuickGroupDecision].
type QuickOperation interface {
	// fits tells whether there is such an operation on such an event.
	fits(e Event) bool
	perform(ctx context.Context, b *Bot, e Event) error
}

// QuickReply answers a *GroupMessage or *PrivateMessage where it was said. Delete, Kick and Ban are for groups.
//
// As a quick operation, NapCat quotes the message in groups and ignores Delete, Kick and Ban: see [Bot.Perform].
type QuickReply struct {
	Reply    Message       // nil: say nothing
	AtSender bool          // at_sender: begin with a mention of who spoke; in groups
	Delete   bool          // take the message back
	Kick     bool          // remove who spoke
	Ban      time.Duration // ban with ban_duration: mute who spoke, in whole seconds; 0: do not
}

// QuickFriendDecision answers a *FriendRequest.
type QuickFriendDecision struct {
	Approve bool   `json:"approve"`
	Remark  string `json:"remark,omitempty"` // what the friend is called from then on
}

// QuickGroupDecision answers a *GroupRequest.
type QuickGroupDecision struct {
	Approve bool   `json:"approve"`
	Reason  string `json:"reason,omitempty"` // is told when it is refused
}

// FromQuickHandler makes a Handler of a QuickHandler: [Bot.Perform] does what it returns. failed gets the errors of that; nil:
// nobody wants them.
func FromQuickHandler(h QuickHandler, failed func(bot *Bot, e Event, err error)) Handler {
	return func(ctx context.Context, bot *Bot, e Event) {
		op := h(ctx, bot, e)
		if op == nil {
			return
		}
		if err := bot.Perform(ctx, e, op); err != nil && failed != nil {
			failed(bot, e, err)
		}
	}
}

// Perform does what an operation says by ordinary calls, all of it with every implementation. The errors of several
// calls are joined.
func (b *Bot) Perform(ctx context.Context, e Event, op QuickOperation) error {
	if err := fitting(e, op); err != nil {
		return err
	}
	return op.perform(ctx, b, e)
}

// HandleQuickOperation lets the implementation do it (".handle_quick_operation"), which is one call but differs from
// one to the other; LLOneBot and Lagrange have no such action. Prefer [Bot.Perform].
func (b *Bot) HandleQuickOperation(ctx context.Context, e Event, op QuickOperation) error {
	if err := fitting(e, op); err != nil {
		return err
	}
	return b.Call(ctx, quickAction, quickParams{e.Raw(), op}, nil)
}

const quickAction = ".handle_quick_operation"

type quickParams struct {
	Context   json.RawMessage `json:"context"`
	Operation QuickOperation  `json:"operation"`
}

func fitting(e Event, op QuickOperation) error {
	if op == nil || !op.fits(e) {
		return fmt.Errorf("onebot: operation %T on %T: %w", op, e, ErrBadParams)
	}
	return nil
}

func (QuickReply) fits(e Event) bool {
	switch e.(type) {
	case *GroupMessage, *PrivateMessage:
		return true
	}
	return false
}

func (q QuickReply) perform(ctx context.Context, b *Bot, e Event) error {
	g, ok := e.(*GroupMessage)
	if !ok {
		if q.Reply == nil {
			return nil
		}
		_, err := b.SendPrivateMsg(ctx, e.(*PrivateMessage).PeerID(), q.Reply)
		return err
	}
	var errs [4]error
	if q.Reply != nil {
		m := q.Reply
		if q.AtSender {
			m = append(Message{At(g.UserID), Text(" ")}, m...)
		}
		_, errs[0] = b.SendGroupMsg(ctx, g.GroupID, m)
	}
	if q.Delete {
		errs[1] = b.DeleteMsg(ctx, g.MessageID)
	}
	if q.Ban > 0 {
		errs[2] = b.SetGroupBan(ctx, g.GroupID, g.UserID, q.Ban)
	}
	if q.Kick {
		errs[3] = b.SetGroupKick(ctx, g.GroupID, g.UserID, false)
	}
	return errors.Join(errs[:]...)
}

// MarshalJSON gives the wire form. What is false by default in one implementation is true in another, so that all of
// it is told.
func (q QuickReply) MarshalJSON() ([]byte, error) {
	var reply *Message
	if q.Reply != nil {
		reply = &q.Reply
	}
	return json.Marshal(struct {
		Reply    *Message `json:"reply,omitempty"`
		AtSender bool     `json:"at_sender"`
		Delete   bool     `json:"delete"`
		Kick     bool     `json:"kick"`
		Ban      bool     `json:"ban"`
		For      int64    `json:"ban_duration,omitempty"`
	}{reply, q.AtSender, q.Delete, q.Kick, q.Ban > 0, int64(q.Ban / time.Second)})
}

func (QuickFriendDecision) fits(e Event) bool { _, ok := e.(*FriendRequest); return ok }

func (q QuickFriendDecision) perform(ctx context.Context, b *Bot, e Event) error {
	return b.SetFriendAddRequest(ctx, e.(*FriendRequest).Flag, q.Approve, q.Remark)
}

func (QuickGroupDecision) fits(e Event) bool { _, ok := e.(*GroupRequest); return ok }

func (q QuickGroupDecision) perform(ctx context.Context, b *Bot, e Event) error {
	r := e.(*GroupRequest)
	return b.SetGroupAddRequest(ctx, r.Flag, r.SubType, q.Approve, q.Reason)
}
