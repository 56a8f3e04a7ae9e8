package hfc

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Speak is [heartflow.Attention.Speak], and keeps that the being spoke.
func (f *Flow[K]) Speak(now time.Time, chat K, text string) error {
	err := f.Attention.Speak(now, chat, text)
	if err == nil {
		f.said(now, chat, text, true)
	}
	return err
}

// Volunteer is [heartflow.Attention.Volunteer], and keeps that the being spoke.
func (f *Flow[K]) Volunteer(now time.Time, chat K, text string, why heartflow.Code) error {
	err := f.Attention.Volunteer(now, chat, text, why)
	if err == nil {
		f.said(now, chat, text, false)
	}
	return err
}

func (f *Flow[K]) said(now time.Time, chat K, text string, reply bool) {
	topic := heartflow.Terms(nil, text)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	s := f.sub(chat, at)
	s.spoke, s.topic, s.drifted = at, topic, 0
	if reply && s.begun {
		s.begun = false
		s.willing.Sent(at.Time(f.loc), s.replying)
	}
}

// Skip is [heartflow.Attention.Skip], and keeps that no reply came of the turn. In Chat, where willingness has let a batch
// be answered and it is given back ([heartflow.WhySuperseded]), the next verdict is Ask without another draw.
func (f *Flow[K]) Skip(now time.Time, chat K, why heartflow.Code) {
	f.Attention.Skip(now, chat, why)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	if s := f.subs[chat]; s != nil {
		s.owed = s.begun && why == heartflow.WhySuperseded
		f.dropped(s, at)
	}
}

// dropped tells willingness that the reply that was being written is not sent.
func (f *Flow[K]) dropped(s *sub[K], at tick.Tick) {
	if s.begun {
		s.begun = false
		s.willing.Dropped(at.Time(f.loc), s.replying)
	}
}

// Recalled is [heartflow.Attention.Recalled]; a message that was taken back is not answered in Chat either.
func (f *Flow[K]) Recalled(now time.Time, chat K, id string) {
	f.Attention.Recalled(now, chat, id)
	var out outbox[K]
	f.enter(now, &out)
	defer f.leave(&out)
	if s := f.subs[chat]; s != nil && id != "" {
		taken := func(n Noted) bool { return n.ID == id }
		s.recent = slices.DeleteFunc(s.recent, taken)
		s.judging = slices.DeleteFunc(s.judging, taken)
	}
}
