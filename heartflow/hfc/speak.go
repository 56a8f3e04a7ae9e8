package hfc

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/fold"
)

// Speak is [heartflow.Attention.Speak]. It also records the message for the state of the chat.
func (f *Flow[K]) Speak(now time.Time, chat K, text string, reasons ...heartflow.Code) error {
	err := f.Attention.Speak(now, chat, text, reasons...)
	if err == nil {
		f.recordOwn(now, chat, text, len(reasons) == 0)
	}
	return err
}

func (f *Flow[K]) recordOwn(now time.Time, chat K, text string, reply bool) {
	topic := fold.Terms(nil, text)
	at := f.enter(now)
	defer f.leave()
	s := f.chat(chat, at)
	s.Spoke, s.topic, s.Drifted = at, topic, 0
	if !reply {
		return
	}
	s.answering = false
	if s.replying {
		s.replying = false
		s.willingness.Sent(s.time(at), s.replyTo)
	}
}

// SkipTurn is [heartflow.Attention.SkipTurn]. It also records that the turn had no reply. A batch that is superseded or tried again
// ([heartflow.WhySuperseded], [heartflow.WhyModelRetry]) is judged again. The verdict is Ask without a draw if the willingness chose
// to answer the batch, or if it calls the bot and the chat was Absent then.
func (f *Flow[K]) SkipTurn(now time.Time, chat K, why heartflow.Code) {
	f.Attention.SkipTurn(now, chat, why)
	at := f.enter(now)
	defer f.leave()
	if s := f.chats.byKey[chat]; s != nil {
		again := why == heartflow.WhySuperseded || why == heartflow.WhyModelRetry
		s.mustAnswer = again && (s.replying || s.answering)
		s.dropReply(at)
		s.turnBegan = 0
	}
}

// Retract is [heartflow.Attention.Retract]. A Chatting chat does not answer the recalled message either.
func (f *Flow[K]) Retract(now time.Time, chat K, id string) {
	f.Attention.Retract(now, chat, id)
	f.enter(now)
	defer f.leave()
	if s := f.chats.byKey[chat]; s != nil && id != "" {
		isRecalled := func(n WaitingMessage) bool { return n.ID == id }
		s.waiting = slices.DeleteFunc(s.waiting, isRecalled)
		s.judging = slices.DeleteFunc(s.judging, isRecalled)
	}
}
