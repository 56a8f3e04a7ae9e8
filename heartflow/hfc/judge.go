package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// Judge gives a verdict on what was heard in chat since the last one, as [heartflow.Attention.Judge] does: within its
// gates, by the state of the chat.
//
//   - Absent: Ask where it is called, unless Options.IgnoreCalls.
//   - Chat: willingness gives a chance for each message, and Ask where one is drawn; or Options.Attention.Policy decides.
//   - Focused: Ask. The turn is then made of steps: see [Flow.NextStep]. It is silent while the cycle rests, or has a step
//     under way: what was heard is seen by the next thought, and Due wants a turn for that.
func (f *Flow[K]) Judge(now time.Time, chat K) heartflow.Verdict { return f.JudgeUpTo(now, chat, "") }

// JudgeUpTo is Judge of what was heard up to the message with that id.
func (f *Flow[K]) JudgeUpTo(now time.Time, chat K, last string) heartflow.Verdict {
	at := f.enter(now)
	s := f.sub(chat, at)
	s.Waits = 0
	if s.State == Chatting { // else they wait for a look at the chat
		s.take(last)
	}
	s.dropped(at)
	f.leave()

	v := f.Attention.JudgeUpTo(now, chat, last)

	at = f.enter(now)
	defer f.leave()
	if s := f.chats.subs[chat]; s != nil {
		s.concluded(v, at)
	}
	return v
}

// BeginTurn opens a turn for which nothing was heard, as [heartflow.Attention.BeginTurn] does: what Due wanted one for, a timer,
// an order of the owner.
func (f *Flow[K]) BeginTurn(now time.Time, chat K, why heartflow.Code) heartflow.Verdict {
	v := f.Attention.BeginTurn(now, chat, why)
	at := f.enter(now)
	defer f.leave()
	s := f.sub(chat, at)
	s.dropped(at)
	s.concluded(v, at)
	return v
}
