package main

import (
	"cmp"
	"context"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

const usualWait, maxWait = 30, 300 // seconds

// maxWaits is how many waits there may be at once, of all clients: fewer than there may be calls, so that some are left for the rest.
const maxWaits = 32

var errWaits = nit.ModelError("同时在等的太多了，等其中一个返回再试；或者用 get_recent_context 看有没有新消息")

type waitIn struct {
	Target nit.ID `json:"target,omitempty" jsonschema:"群号或私聊的 QQ 号；留空就是所有允许的聊天"`
	Type   string `json:"target_type,omitempty" jsonschema:"group 是群聊，private 是私聊"`
	Time   int    `json:"timeout_seconds,omitempty" jsonschema:"最多等多少秒；不少客户端等 60 秒就放弃"`
	After  nit.ID `json:"after,omitempty" jsonschema:"只要这条 message_id 之后的；这之后已经有别人的消息就马上返回。需要 target"`
	AtMe   bool   `json:"at_me,omitempty" jsonschema:"只等 @ 你（或 @全体成员）的消息"`
}

type waitOut struct {
	TimedOut bool      `json:"timed_out"`
	Messages []waitFor `json:"messages" jsonschema:"oldest first of each chat; own messages are not among them"`
}

// A waitFor is a message and where it was said.
type waitFor struct {
	Target     string `json:"target"`
	TargetType string `json:"target_type"`
	said
}

func (p *program) waitTool() (nit.Tool, error) {
	return nit.Define("wait_for_message", nit.L1,
		"等下一条别人发的消息，来了就返回，到时间没有就返回 timed_out。上一条的 message_id 写在 after 里，两次等待之间的消息就不会漏掉。",
		p.wait, nit.ReadOnly(), nit.Timeout((maxWait+5)*time.Second),
		targetType(bounded("timeout_seconds", 1, maxWait, usualWait)))
}

func (p *program) wait(ctx context.Context, in waitIn) (waitOut, error) {
	select {
	case p.waits <- struct{}{}:
		defer func() { <-p.waits }()
	default:
		return waitOut{}, errWaits
	}
	end := time.NewTimer(time.Duration(cmp.Or(in.Time, usualWait)) * time.Second)
	defer end.Stop()
	w := waiting{p: p, in: in, from: map[chat]uint64{}}
	if in.Target != "" {
		r, err := p.find(aim{in.Target, in.Type})
		if err != nil {
			return waitOut{}, err
		}
		w.only = r
	}
	for _, r := range w.rooms() { // before anything is looked at
		w.from[r.chat] = r.heard()
	}
	out := waitOut{Messages: []waitFor{}}
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
		changed := p.rooms.changed()
		if out.Messages = w.news(false); len(out.Messages) > 0 {
			return out, nil
		}
		select {
		case <-changed:
		case <-end.C:
			out.Messages = w.news(true)
			out.TimedOut = len(out.Messages) == 0
			return out, nil
		case <-p.leaving:
			out.TimedOut = true
			return out, nil
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}

// waiting is one wait. What it has looked at, by count, it does not look at again; a room that opens meanwhile counts from 0.
type waiting struct {
	p    *program
	in   waitIn
	only *room
	from map[chat]uint64
}

func (w *waiting) rooms() []*room {
	if w.only != nil {
		return []*room{w.only}
	}
	return w.p.rooms.list()
}

// news is what was said meanwhile. What waits for the history is left out, for something may come before it, unless it is the last look.
func (w *waiting) news(last bool) []waitFor {
	out := []waitFor{}
	for _, r := range w.rooms() {
		if r.heard() != w.from[r.chat] {
			var news []message
			news, w.from[r.chat] = r.since(w.from[r.chat])
			out = w.pick(out, r, news)
		}
		if last {
			out = w.pick(out, r, r.waiting())
		}
	}
	return out[max(len(out)-maxLimit, 0):]
}

// after gives what others said since a message. Of one that is not known any more nothing can be said.
func (w *waiting) after(key uint32) []waitFor {
	return w.pick([]waitFor{}, w.only, w.only.following(key))
}

func (w *waiting) pick(out []waitFor, r *room, all []message) []waitFor {
	for i := range all {
		if m := &all[i]; !m.self && (m.atMe || !w.in.AtMe) {
			out = append(out, waitFor{r.chat.target(), r.chat.kind(), m.told(w.p.zone)})
		}
	}
	return out
}
