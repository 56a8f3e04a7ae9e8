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

// A Flow is an [heartflow.Attention] with Heart Flow Chat as its policy. It has one global state. Each chat is
// Absent, Chatting or Focused. The Attention still detects messages that address the bot, and enforces caps,
// staleness, mutes and the budget.
//
// All methods may be called concurrently. No lock is held while a function of the Options runs. fmt.Sprint must
// format different keys differently.
type Flow[K comparable] struct {
	*heartflow.Attention[K]
	topics topicWords

	mu     sync.Mutex
	shared shared
	chats  chats[K]
}

// New returns a Flow without chats. Its error is that of [Options.Validate].
func New[K comparable](o Options) (*Flow[K], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	f := &Flow[K]{topics: newTopicWords(slices.Concat(o.Topics, o.Attention.Keywords)), shared: shared{o: o, newWillingness: o.Willingness.newWillingness, loc: time.UTC, tempo: tempo{speed: o.Speed}}}
	f.chats = chats[K]{
		shared: &f.shared, byKey: map[K]*chat[K]{}, byName: map[string]*chat[K]{}, settings: map[K]*compiledSettings{},
		defaults: &compiledSettings{policy: o.Attention.Policy},
	}
	f.chats.overBudget = func(at tick.Tick, chat K) bool {
		return o.Attention.Budget != nil && f.Level(f.shared.tempo.tickTime(at, f.shared.loc), chat) >= heartflow.LevelNoJudge
	}
	attention := o.Attention
	attention.Policy = f.policyFor(o.Attention.Policy)
	var err error
	if f.Attention, err = heartflow.New[K](attention); err != nil {
		return nil, err
	}
	f.shared.dice.Seed(f.Seed(), globalStream)
	return f, nil
}

// Observe takes a message like [heartflow.Attention.Observe], and adds to the interest of its chat. In a Focused chat
// every notice is Addressed, because the batch should be judged soon. If a notice supersedes a turn of a cycle,
// finish its step with [ErrWithdrawn].
func (f *Flow[K]) Observe(now time.Time, chat K, m heartflow.Message) heartflow.Notice {
	notice := f.Attention.Observe(now, chat, m)
	addressed := notice.Addressed
	var topic []uint32
	if f.shared.o.MessageInterest == nil && !m.Own {
		topic = f.topicOf(chat)
	}
	n := WaitingMessage{ID: m.ID, From: m.From, Addressed: addressed}
	if !m.Own {
		if f.shared.o.MessageInterest != nil {
			n.Interest = f.shared.o.MessageInterest(fmt.Sprint(chat), m, addressed)
		} else {
			n.Interest = textInterest(m.Text, addressed, f.topics, topic)
		}
		n.EmojiOnly = f.shared.o.EmojiOnly(m)
		if f.shared.o.Relation != nil {
			n.Relation = f.shared.o.Relation(fmt.Sprint(chat), m.From)
		}
	}

	at := f.enter(now)
	defer f.leave()
	t := f.chats.settings[chat]
	if t != nil && t.off || !m.At.IsZero() && f.shared.tempo.tickOf(m.At.Add(f.shared.maxAge())) < at {
		return notice
	}
	s := f.chat(chat, at)
	if m.Own {
		s.Spoke, s.Drifted = at, 0
		return notice
	}
	s.Private = s.Private || m.Private
	f.chats.observe(s, n, at)
	notice.Addressed = addressed || s.State == Focused
	return notice
}

// topicOf returns the terms of the bot's last message in chat. The slice is immutable.
func (f *Flow[K]) topicOf(chat K) []uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.chats.byKey[chat]; s != nil {
		return s.topic
	}
	return nil
}

// chat returns the chat with that key. It creates an unknown chat.
func (f *Flow[K]) chat(key K, at tick.Tick) *chat[K] {
	s := f.chats.byKey[key]
	if s == nil {
		s = &chat[K]{key: key, name: fmt.Sprint(key), candidateIndex: -1, interest: newInterest(f.shared.o.Interest)}
		s.Since, s.Heard, s.IDs = at, at, f.chats.ids
		s.dice.Seed(f.Seed(), pcg.Stream(s.name)^globalStream)
		f.chats.add(s)
		f.chats.reschedule(s)
	}
	return s
}

// GlobalState returns the global state at now.
func (f *Flow[K]) GlobalState(now time.Time) GlobalState {
	f.enter(now)
	defer f.leave()
	return f.shared.global.State
}

// ChatState returns the state of chat at now.
func (f *Flow[K]) ChatState(now time.Time, chat K) ChatState {
	s, _ := f.known(now, chat)
	defer f.leave()
	if s != nil {
		return s.State
	}
	return Absent
}

// Interest returns the interest level of chat at now, and the chance to become Focused in a draw every 5 seconds.
func (f *Flow[K]) Interest(now time.Time, chat K) (level, chance float64) {
	s, at := f.known(now, chat)
	defer f.leave()
	if s != nil {
		return s.interest.Level(s.time(at)), s.interest.Chance(s.time(at))
	}
	return 0, 0
}

// Records returns up to ten cycles of the latest focus on chat, oldest first.
func (f *Flow[K]) Records(chat K) []CycleRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.chats.byKey[chat]; s != nil && s.cycle != nil {
		records := s.cycle.Records()
		for i := range records {
			records[i].Began, records[i].Ended = f.shared.tempo.wallTime(records[i].Began), f.shared.tempo.wallTime(records[i].Ended)
		}
		return records
	}
	return nil
}

// Forget removes all data about chat except its Settings.
func (f *Flow[K]) Forget(chat K) {
	f.Attention.Forget(chat)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.chats.byKey[chat]; s != nil {
		f.chats.remove(s)
	}
}

// Configure replaces the Settings of chat, like [heartflow.Attention.Configure].
func (f *Flow[K]) Configure(chat K, s Settings) error {
	t := &compiledSettings{off: s.Off, speakLess: s.SpeakLess, noFocus: s.NoFocus, policy: cmp.Or(s.Policy, f.shared.o.Attention.Policy)}
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
	if s := f.chats.byKey[chat]; s != nil {
		s.settings = t
		f.chats.withdrawBlocked(s, f.shared.now, heartflow.WhyOff)
	}
	return nil
}

// enter locks f, sets its time to now, and applies what is due.
func (f *Flow[K]) enter(now time.Time) tick.Tick {
	f.mu.Lock()
	f.shared.tempo.start(now, f.shared.now)
	f.shared.now, f.shared.loc = max(f.shared.now, f.shared.tempo.tickOf(now)), now.Location()
	f.chats.advance()
	return f.shared.now
}

// known is enter for one chat. It returns nil for an unknown chat.
func (f *Flow[K]) known(now time.Time, chat K) (*chat[K], tick.Tick) {
	at := f.enter(now)
	return f.chats.byKey[chat], at
}

// leave unlocks f and delivers the traces.
func (f *Flow[K]) leave() {
	notes := f.chats.traces
	f.chats.traces = nil
	f.mu.Unlock()
	for _, n := range notes {
		switch trace := f.shared.o.Attention.OnTrace; {
		case !n.all:
			f.AddTrace(n.at, n.chat, n.gates, n.why...)
		case trace != nil:
			trace(heartflow.Trace{At: n.at, Kind: heartflow.KindState, State: n.state, Why: n.why})
		}
	}
}
