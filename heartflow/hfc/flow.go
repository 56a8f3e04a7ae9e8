package hfc

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Flow is Heart Flow Chat over an [heartflow.Attention]: one global state, and for each chat whether the being looks
// at it, chats along, or gives it its full attention. Who calls, caps, freshness, mutes, budget and traces are the
// Attention's; the Flow is its policy.
//
// All methods may be called concurrently; no lock is held while a function of the Options runs. Two keys must not be
// written alike by fmt.Sprint.
type Flow[K comparable] struct {
	*heartflow.Attention[K]
	topics []uint32

	mu    sync.Mutex
	being being
	chats chats[K]
}

// New returns a Flow that knows no chat, or the error of [Options.Validate].
func New[K comparable](o Options) (*Flow[K], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	f := &Flow[K]{topics: topicsOf(slices.Concat(o.Topics, o.Attention.Keywords)), being: being{o: o, willing: o.Willingness.willingness, loc: time.UTC}}
	f.chats = chats[K]{
		being: &f.being, subs: map[K]*sub[K]{}, named: map[string]*sub[K]{}, settings: map[K]*tuning{},
		fresh: &tuning{policy: o.Attention.Policy},
	}
	below := o.Attention
	below.Policy = f.policyFor(o.Attention.Policy)
	var err error
	if f.Attention, err = heartflow.New[K](below); err != nil {
		return nil, err
	}
	f.being.dice.Seed(f.Seed(), mindStream)
	return f, nil
}

// Observe takes a message as [heartflow.Attention.Observe] does, and feeds the interest of its chat. Its notice is also Called
// while the chat is Focused: what has gathered should be judged soon. A turn of a cycle that is superseded gives its step
// back by [ErrWithdrawn].
func (f *Flow[K]) Observe(now time.Time, chat K, m heartflow.Message) heartflow.Notice {
	notice := f.Attention.Observe(now, chat, m)
	called := notice.Addressed
	var topic []uint32
	if f.being.o.MessageInterest == nil && !m.Own {
		topic = f.topicOf(chat)
	}
	n := WaitingMessage{ID: m.ID, From: m.From, Addressed: called}
	if !m.Own {
		if f.being.o.MessageInterest != nil {
			n.Interest = f.being.o.MessageInterest(m, called)
		} else {
			n.Interest = value(m.Text, called, f.topics, topic)
		}
		n.EmojiOnly = f.being.o.EmojiOnly(m)
		if f.being.o.Relation != nil {
			n.Relation = f.being.o.Relation(fmt.Sprint(chat), m.From)
		}
	}

	at := f.enter(now)
	defer f.leave()
	t := f.chats.settings[chat]
	if t != nil && t.off || !m.At.IsZero() && tick.Of(m.At).Add(f.being.maxAge()) < at {
		return notice
	}
	s := f.sub(chat, at)
	if m.Own {
		s.Spoke, s.Drifted = at, 0
		return notice
	}
	s.Private = s.Private || m.Private
	f.chats.heard(s, n, at)
	notice.Addressed = called || s.State == Focused
	return notice
}

// topicOf returns what the being last said in chat. It does not change.
func (f *Flow[K]) topicOf(chat K) []uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.chats.subs[chat]; s != nil {
		return s.topic
	}
	return nil
}

// sub returns the flow of that chat, and makes it where it is new.
func (f *Flow[K]) sub(key K, at tick.Tick) *sub[K] {
	s := f.chats.subs[key]
	if s == nil {
		s = &sub[K]{key: key, name: fmt.Sprint(key), place: -1, interest: newInterest(f.being.o.Interest)}
		s.Since, s.Heard, s.IDs = at, at, f.chats.ids
		s.dice.Seed(f.Seed(), pcg.Stream(s.name)^mindStream)
		f.chats.adopt(s)
		f.chats.reschedule(s)
	}
	return s
}

// GlobalState returns the global state at now.
func (f *Flow[K]) GlobalState(now time.Time) GlobalState {
	f.enter(now)
	defer f.leave()
	return f.being.mind.State
}

// ChatState returns how the being takes part in chat at now.
func (f *Flow[K]) ChatState(now time.Time, chat K) ChatState {
	s, _ := f.known(now, chat)
	defer f.leave()
	if s != nil {
		return s.State
	}
	return Absent
}

// Interest returns the level of interest in chat at now, and the chance, drawn every 5 seconds, to become Focused.
func (f *Flow[K]) Interest(now time.Time, chat K) (level, chance float64) {
	s, at := f.known(now, chat)
	defer f.leave()
	if s != nil {
		return s.interest.Level(s.time(at)), s.interest.Chance(s.time(at))
	}
	return 0, 0
}

// Records returns the last cycles of the latest focus on chat, ten at most, oldest first.
func (f *Flow[K]) Records(chat K) []CycleRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.chats.subs[chat]; s != nil && s.cycle != nil {
		return s.cycle.Records()
	}
	return nil
}

// Forget lets go of what is known of chat, except for its Settings.
func (f *Flow[K]) Forget(chat K) {
	f.Attention.Forget(chat)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.chats.subs[chat]; s != nil {
		f.chats.remove(s)
	}
}

// Configure replaces the Settings of chat, as [heartflow.Attention.Configure] does.
func (f *Flow[K]) Configure(chat K, s Settings) error {
	t := &tuning{off: s.Off, down: s.SpeakLess, noFocus: s.NoFocus, policy: cmp.Or(s.Policy, f.being.o.Attention.Policy)}
	if v, ok := t.policy.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("hfc: policy %T: %w", t.policy, err)
		}
	}
	s.Policy = f.policyFor(t.policy)
	if err := f.Attention.Configure(chat, s.Settings); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.leave()
	f.chats.settings[chat] = t
	if s := f.chats.subs[chat]; s != nil {
		s.tuning = t
		f.chats.withdraw(s, f.being.now, heartflow.WhyOff)
	}
	return nil
}

// enter locks, sets the clock to now, and lets happen what was due by then.
func (f *Flow[K]) enter(now time.Time) tick.Tick {
	f.mu.Lock()
	f.being.now, f.being.loc = max(f.being.now, tick.Of(now)), now.Location()
	f.chats.settle()
	return f.being.now
}

// known is enter for what concerns a chat that is known; nil: it is not.
func (f *Flow[K]) known(now time.Time, chat K) (*sub[K], tick.Tick) {
	at := f.enter(now)
	return f.chats.subs[chat], at
}

// leave unlocks and delivers the traces.
func (f *Flow[K]) leave() {
	notes := f.chats.notes
	f.chats.notes = nil
	f.mu.Unlock()
	for _, n := range notes {
		switch trace := f.being.o.Attention.OnTrace; {
		case !n.all:
			f.AddTrace(n.at, n.chat, n.gates, n.why...)
		case trace != nil:
			trace(heartflow.Trace{At: n.at, Kind: heartflow.KindState, State: n.state, Why: n.why})
		}
	}
}
