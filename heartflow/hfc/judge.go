package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// Judge returns a verdict like [heartflow.Attention.Judge]: within the same gates, by the state of the chat.
//
//   - Absent: Ask if a message addresses the bot, unless Options.IgnoreCalls is set.
//   - Chatting: willingness gives each message a chance, and Ask if one draw passes. If Options.Attention.Policy is set,
//     it decides instead.
//   - Focused: Ask. The turn then consists of steps: see [Flow.NextStep]. While the cycle rests or a step is open, the
//     verdict is Silent. The next thought sees these messages, and Due wants a turn for it.
func (f *Flow[K]) Judge(now time.Time, chat K) heartflow.Verdict { return f.JudgeUpTo(now, chat, "") }

// JudgeUpTo is Judge for the messages up to the one with id last.
func (f *Flow[K]) JudgeUpTo(now time.Time, chat K, last string) heartflow.Verdict {
	at := f.enter(now)
	s := f.chat(chat, at)
	s.Waits = 0
	if s.State == Chatting { // otherwise they wait for a change of the state
		s.takeJudging(last)
	}
	s.dropReply(at)
	f.leave()

	v := f.Attention.JudgeUpTo(now, chat, last)

	at = f.enter(now)
	defer f.leave()
	if s := f.chats.byKey[chat]; s != nil {
		s.concluded(v, at)
		s.mustAnswer, s.answering = false, v.Do != heartflow.Silent && s.State == Absent
	}
	return v
}

// BeginTurn opens a turn without messages, like [heartflow.Attention.BeginTurn]. Use it for a turn that Due wants, a
// timer or an order of the owner.
func (f *Flow[K]) BeginTurn(now time.Time, chat K, why heartflow.Code) heartflow.Verdict {
	v := f.Attention.BeginTurn(now, chat, why)
	at := f.enter(now)
	defer f.leave()
	s := f.chat(chat, at)
	s.dropReply(at)
	s.concluded(v, at)
	return v
}
