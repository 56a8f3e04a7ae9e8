package main

import (
	"cmp"
	"context"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

const defaultWait, maxWait = 30, 300 // seconds

// maxWaits limits concurrent waits of all clients. It is below the limit of calls, so other calls are still possible.
const maxWaits = 32

var errTooManyWaits = nit.ModelError("同时在等的太多了，等其中一个返回再试；或者用 get_recent_context 看有没有新消息")

type waitIn struct {
	Target nit.ID `json:"target,omitempty" jsonschema:"群号或私聊的 QQ 号；留空就是所有允许的聊天"`
	Type   string `json:"target_type,omitempty" jsonschema:"group 是群聊，private 是私聊"`
	Time   int    `json:"timeout_seconds,omitempty" jsonschema:"最多等多少秒；不少客户端等 60 秒就放弃"`
	After  nit.ID `json:"after,omitempty" jsonschema:"只要这条 message_id 之后的；这之后已经有别人的消息就马上返回。需要 target"`
	AtMe   bool   `json:"at_me,omitempty" jsonschema:"只等 @ 你（或 @全体成员）的消息"`
}

type waitOut struct {
	TimedOut bool            `json:"timed_out"`
	Messages []waitedMessage `json:"messages" jsonschema:"oldest first of each chat; own messages are not among them"`
	Problem  string          `json:"problem,omitempty" jsonschema:"why messages may be missing: QQ is not connected or not online"`
}

// A waitedMessage is a message with its chat.
type waitedMessage struct {
	Target     string `json:"target"`
	TargetType string `json:"target_type"`
	messageOutput
}

func (p *program) waitTool() (nit.Tool, error) {
	return nit.Define("wait_for_message", nit.L1,
		"等下一条别人发的消息，来了就返回，到时间没有就返回 timed_out。上一条的 message_id 写在 after 里，两次等待之间的消息就不会漏掉。",
		p.wait, nit.ReadOnly(), nit.Timeout((maxWait+5)*time.Second),
		targetType(numberRange("timeout_seconds", 1, maxWait, defaultWait)))
}

func (p *program) wait(ctx context.Context, in waitIn) (out waitOut, err error) {
	select {
	case p.waitSlots <- struct{}{}:
		defer func() { <-p.waitSlots }()
	default:
		return waitOut{}, errTooManyWaits
	}
	defer func() { out.Problem = p.account.problem() }()
	end := time.NewTimer(time.Duration(cmp.Or(in.Time, defaultWait)) * time.Second)
	defer end.Stop()
	w := waiter{p: p, in: in, from: map[chat]uint64{}}
	if in.Target != "" {
		r, err := p.findChat(chatTarget{in.Target, in.Type})
		if err != nil {
			return waitOut{}, err
		}
		w.only = r
	}
	for _, r := range w.chats() { // before the first check
		w.from[r.chat] = r.receivedCount()
	}
	out.Messages = []waitedMessage{}
	if in.After != "" {
		if w.only == nil {
			return out, nit.ModelError("after 需要 target：消息编号只在一个聊天里有意义")
		}
		id, err := in.After.Int64()
		if err != nil {
			return out, nit.ModelError("after 不是消息编号")
		}
		if out.Messages = w.after(onebot.MessageKey(id)); len(out.Messages) > 0 {
			return out, nil
		}
	}
	for {
		changed := p.chats.changed()
		if out.Messages = w.newMessages(false); len(out.Messages) > 0 {
			return out, nil
		}
		select {
		case <-changed:
		case <-end.C:
			out.Messages = w.newMessages(true)
			out.TimedOut = len(out.Messages) == 0
			return out, nil
		case <-p.closing:
			out.TimedOut = true
			return out, nil
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}

// A waiter is one call of wait_for_message. from has the counts that it has checked; a chat that opens later begins at 0.
type waiter struct {
	p    *program
	in   waitIn
	only *chatState
	from map[chat]uint64
}

func (w *waiter) chats() []*chatState {
	if w.only != nil {
		return []*chatState{w.only}
	}
	return w.p.chats.list()
}

// newMessages returns the messages since the last check. Pending messages are included in the last check only, because
// earlier ones may still be inserted before them.
func (w *waiter) newMessages(last bool) []waitedMessage {
	out := []waitedMessage{}
	for _, r := range w.chats() {
		if r.receivedCount() != w.from[r.chat] {
			var news []message
			news, w.from[r.chat] = r.newSince(w.from[r.chat])
			out = w.pick(out, r, news)
		}
		if last {
			out = w.pick(out, r, r.pendingMessages())
		}
	}
	return out[max(len(out)-maxLimit, 0):]
}

// after returns the messages of others after one, or none if it is unknown.
func (w *waiter) after(key uint32) []waitedMessage {
	return w.pick([]waitedMessage{}, w.only, w.only.after(key))
}

func (w *waiter) pick(out []waitedMessage, r *chatState, all []message) []waitedMessage {
	for i := range all {
		if m := &all[i]; !m.self && (m.atMe || !w.in.AtMe) {
			out = append(out, waitedMessage{r.chat.target(), r.chat.kind(), m.output(w.p.zone)})
		}
	}
	return out
}
