package onebot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A QuickHandler receives an event like a [Handler] and returns the operation to perform; nil: none. Over HTTP POST
// ([Webhook.RunQuick]) the operation is the response. Over other links [FromQuickHandler] performs it by calls.
type QuickHandler func(ctx context.Context, bot *Bot, e Event) QuickOperation

// QuickOperation is a quick operation on an event: a [QuickReply], [QuickFriendDecision] or [QuickGroupDecision].
type QuickOperation interface {
	// fits reports whether the operation applies to the event.
	fits(e Event) bool
	perform(ctx context.Context, b *Bot, e Event) error
}

// QuickReply replies to a *GroupMessage or *PrivateMessage in its chat. Delete, Kick and Ban apply to groups.
//
// As a quick operation, NapCat quotes the message in groups and ignores Delete, Kick and Ban: see [Bot.Perform].
type QuickReply struct {
	Reply    Message       // nil: no reply
	AtSender bool          // at_sender: start with a mention of the author; in groups
	Delete   bool          // recall the message
	Kick     bool          // remove the author from the group
	Ban      time.Duration // ban with ban_duration: mute the author, in whole seconds; 0: no
}

// QuickFriendDecision answers a *FriendRequest.
type QuickFriendDecision struct {
	Approve bool   `json:"approve"`
	Remark  string `json:"remark,omitempty"` // the bot's private remark for the new friend
}

// QuickGroupDecision answers a *GroupRequest.
type QuickGroupDecision struct {
	Approve bool   `json:"approve"`
	Reason  string `json:"reason,omitempty"` // shown to the user if rejected
}

// FromQuickHandler converts a QuickHandler to a Handler that performs the operation by [Bot.Perform]. It calls failed with the
// errors of Perform; nil discards them.
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

// Perform performs an operation by ordinary calls, completely and with every implementation. It joins the errors of
// several calls.
func (b *Bot) Perform(ctx context.Context, e Event, op QuickOperation) error {
	if err := checkOperation(e, op); err != nil {
		return err
	}
	return op.perform(ctx, b, e)
}

// HandleQuickOperation lets the implementation perform the operation (".handle_quick_operation"). This is one call,
// but implementations differ, and LLOneBot and Lagrange lack the action. Prefer [Bot.Perform].
func (b *Bot) HandleQuickOperation(ctx context.Context, e Event, op QuickOperation) error {
	if err := checkOperation(e, op); err != nil {
		return err
	}
	return b.Call(ctx, quickAction, quickParams{e.Raw(), op}, nil)
}

const quickAction = ".handle_quick_operation"

type quickParams struct {
	Context   json.RawMessage `json:"context"`
	Operation QuickOperation  `json:"operation"`
}

func checkOperation(e Event, op QuickOperation) error {
	if op == nil || !op.fits(e) {
		return fmt.Errorf("onebot: operation %T does not apply to %T: %w", op, e, ErrBadParams)
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

// MarshalJSON returns the wire form. It writes all members, because implementations have different defaults.
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
