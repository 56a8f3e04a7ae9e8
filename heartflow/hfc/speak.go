package hfc

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/fold"
)

// Speak is [heartflow.Attention.Speak], and keeps that the being spoke.
func (f *Flow[K]) Speak(now time.Time, chat K, text string) error {
	err := f.Attention.Speak(now, chat, text)
	if err == nil {
		f.said(now, chat, text, true)
	}
	return err
}

// SpeakUnprompted is [heartflow.Attention.SpeakUnprompted], and keeps that the being spoke.
func (f *Flow[K]) SpeakUnprompted(now time.Time, chat K, text string, why heartflow.Code) error {
	err := f.Attention.SpeakUnprompted(now, chat, text, why)
	if err == nil {
		f.said(now, chat, text, false)
	}
	return err
}

func (f *Flow[K]) said(now time.Time, chat K, text string, reply bool) {
	topic := fold.Terms(nil, text)
	at := f.enter(now)
	defer f.leave()
	s := f.sub(chat, at)
	s.Spoke, s.topic, s.Drifted = at, topic, 0
	if reply && s.begun {
		s.begun = false
		s.willing.Sent(s.time(at), s.replying)
	}
}

// SkipTurn is [heartflow.Attention.SkipTurn], and keeps that no reply came of the turn. In Chat, where willingness has let a batch
// be answered and it is given back ([heartflow.WhySuperseded]), the next verdict is Ask without another draw.
func (f *Flow[K]) SkipTurn(now time.Time, chat K, why heartflow.Code) {
	f.Attention.SkipTurn(now, chat, why)
	at := f.enter(now)
	defer f.leave()
	if s := f.chats.subs[chat]; s != nil {
		s.owed = s.begun && why == heartflow.WhySuperseded
		s.dropped(at)
	}
}

// Retract is [heartflow.Attention.Retract]; a message that was taken back is not answered in Chat either.
func (f *Flow[K]) Retract(now time.Time, chat K, id string) {
	f.Attention.Retract(now, chat, id)
	f.enter(now)
	defer f.leave()
	if s := f.chats.subs[chat]; s != nil && id != "" {
		taken := func(n WaitingMessage) bool { return n.ID == id }
		s.recent = slices.DeleteFunc(s.recent, taken)
		s.judging = slices.DeleteFunc(s.judging, taken)
	}
}
