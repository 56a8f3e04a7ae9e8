package hfc

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Flow is Heart Flow Chat over an [heartflow.Attention]: one global state, and for each chat whether the being looks
// at it, chats along, or gives it its full attention. Who calls, caps, freshness, mutes, budget and traces are the
// Attention's; the Flow is its policy.
//
// All methods may be called concurrently; no lock is held while a function of the Options runs. Only Options.Willing and
// what it makes are called with the lock, and must not call the Flow. Two keys must not be written alike by fmt.Sprint.
type Flow[K comparable] struct {
	*heartflow.Attention[K]
	o      Options
	topics []uint32

	mu       sync.Mutex
	now      tick.Tick // the latest time seen
	loc      *time.Location
	dice     rand.PCG // of the being; each chat has its own
	mind     mind
	toldMind MindState // what Due said last
	whyMind  heartflow.Code
	subs     map[K]*sub[K]
	named    map[string]*sub[K]
	settings map[K]*tuning
	fresh    *tuning             // of a chat without Settings
	count    int                 // of chats ever made: their order
	ids      uint64              // of questions and steps of chats that were let go of: late answers are known by them
	in       [3][]*sub[K]        // those in Chat and in Focused, as they came
	standing []*sub[K]           // Absent, and something was heard since they were judged: one of them is drawn
	pick     tick.Tick           // when the next is drawn
	live     tick.Queue[*sub[K]] // chats that change by themselves, the next on top
	changed  []*sub[K]           // chats of which Due has to tell a change
	wanting  []*sub[K]           // chats for which Due has to ask a Question, or wants a turn

	asleep bool
	wakeAt tick.Tick
	closed tick.Tick // the account cannot send until then
}

// New returns a Flow that knows no chat. It panics where [Options.Validate] returns an error.
func New[K comparable](o Options) *Flow[K] {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	o = o.withDefaults()
	f := &Flow[K]{
		o: o, topics: topicsOf(slices.Concat(o.Topics, o.Attention.Keywords)), loc: time.UTC,
		subs: map[K]*sub[K]{}, named: map[string]*sub[K]{}, settings: map[K]*tuning{},
		fresh: &tuning{policy: o.Attention.Policy},
	}
	below := o.Attention
	below.Policy = policy[K]{f, o.Attention.Policy}
	f.Attention = heartflow.New[K](below)
	f.dice.Seed(f.Seed(), mindStream)
	return f
}

// mindStream tells the chance of the being from that of its chats.
const mindStream = 0x4d494e44

// Hear takes a message as [heartflow.Attention.Hear] does, and feeds the interest of its chat. Its notice is also Called
// while the chat is Focused: what has gathered should be judged soon. A turn of a cycle that is superseded gives its step
// back by [ErrWithdrawn].
func (f *Flow[K]) Hear(now time.Time, chat K, m heartflow.Message) heartflow.Notice {
	notice := f.Attention.Hear(now, chat, m)
	called := notice.Called
	var topic []uint32
	if f.o.Value == nil && !m.Own {
		topic = f.topicOf(chat)
	}
	n := Noted{ID: m.ID, From: m.From, Mentioned: called}
	if !m.Own {
		if f.o.Value != nil {
			n.Interest = f.o.Value(m, called)
		} else {
			n.Interest = value(m.Text, called, f.topics, topic)
		}
		n.EmojiOnly = f.o.EmojiOnly(m)
		if f.o.Relation != nil {
			n.Relation = f.o.Relation(fmt.Sprint(chat), m.From)
		}
	}

	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	t := f.settings[chat]
	if t != nil && t.off || !m.At.IsZero() && tick.Of(m.At).Add(f.maxAge()) < at {
		return notice
	}
	s := f.sub(chat, at)
	if m.Own {
		s.spoke, s.drifted = at, 0
		return notice
	}
	s.private = s.private || m.Private
	f.heard(s, n, at, &out)
	notice.Called = called || s.state == Focused
	return notice
}

// topicOf returns what the being last said in chat. It does not change.
func (f *Flow[K]) topicOf(chat K) []uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.subs[chat]; s != nil {
		return s.topic
	}
	return nil
}

func (f *Flow[K]) maxAge() time.Duration { return cmp.Or(f.o.Attention.MaxAge, 2*time.Minute) }

// heard lets a message work on s.
func (f *Flow[K]) heard(s *sub[K], n Noted, at tick.Tick, out *outbox[K]) {
	s.heard, s.waits = at, at
	s.interest.Add(at.Time(f.loc), n.Interest)
	if s.state == Focused {
		s.cycle.Heard(at.Time(f.loc))
		f.reschedule(s)
		return
	}
	s.recent.Add(n)
	if f.shut(s, at) {
		return
	}
	if s.private && s.state == Absent && at >= s.cooled && !s.tuning.noFocus && f.room(Focused) {
		f.turn(s, Focused, at, WhyPrivateTalk, nil, out)
		return
	}
	f.stand(s, at)
	f.heat(s, at)
}

// Mind returns the global state at now.
func (f *Flow[K]) Mind(now time.Time) MindState {
	var out outbox[K]
	f.enter(now, &out)
	defer f.leave(&out)
	return f.mind.State
}

// ChatState returns how the being takes part in chat at now.
func (f *Flow[K]) ChatState(now time.Time, chat K) ChatState {
	var out outbox[K]
	f.enter(now, &out)
	defer f.leave(&out)
	if s := f.subs[chat]; s != nil {
		return s.state
	}
	return Absent
}

// Interest returns the level of interest in chat at now, and the chance, drawn every 5 seconds, to become Focused.
func (f *Flow[K]) Interest(now time.Time, chat K) (level, chance float64) {
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	if s := f.subs[chat]; s != nil {
		return s.interest.Level(at.Time(f.loc)), s.interest.Chance(at.Time(f.loc))
	}
	return 0, 0
}

// Records returns the last cycles of the latest focus on chat, ten at most, oldest first.
func (f *Flow[K]) Records(chat K) []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.subs[chat]; s != nil && s.cycle != nil {
		return s.cycle.Records()
	}
	return nil
}

// Forget lets go of what is known of chat, except for its Settings.
func (f *Flow[K]) Forget(chat K) {
	f.Attention.Forget(chat)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.subs[chat]; s != nil {
		f.remove(s)
	}
}

// Configure replaces the Settings of chat, as [heartflow.Attention.Configure] does.
func (f *Flow[K]) Configure(chat K, s Settings) error {
	t := &tuning{off: s.Off, down: s.Down, noFocus: s.NoFocus, policy: s.Policy}
	if t.policy == nil {
		t.policy = f.o.Attention.Policy
	}
	if v, ok := t.policy.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("hfc: policy %T: %w", t.policy, err)
		}
	}
	s.Policy = policy[K]{f, t.policy}
	if err := f.Attention.Configure(chat, s.Settings); err != nil {
		return err
	}
	var out outbox[K]
	f.mu.Lock()
	defer f.leave(&out)
	f.settings[chat] = t
	if s := f.subs[chat]; s != nil {
		s.tuning = t
		f.withdraw(s, f.now, heartflow.WhyOff, &out)
	}
	return nil
}

// A tuning is Settings in use. It does not change.
type tuning struct {
	off, down, noFocus bool
	policy             heartflow.Policy // in Chat; nil: willingness
}

// An outbox holds what is to be told when the lock is released.
type outbox[K comparable] struct{ notes []note[K] }

type note[K comparable] struct {
	chat  K
	all   bool // of the being
	at    time.Time
	state heartflow.State
	gates []heartflow.Gate
	why   []heartflow.Code
}

// enter locks, sets the clock to now, and lets happen what was due by then.
func (f *Flow[K]) enter(now time.Time, out *outbox[K]) tick.Tick {
	f.mu.Lock()
	f.now, f.loc = max(f.now, tick.Of(now)), now.Location()
	f.settle(out)
	return f.now
}

// leave unlocks and delivers the traces.
func (f *Flow[K]) leave(out *outbox[K]) {
	f.mu.Unlock()
	for _, n := range out.notes {
		switch trace := f.o.Attention.Trace; {
		case !n.all:
			f.Note(n.at, n.chat, n.gates, n.why...)
		case trace != nil:
			trace(heartflow.Trace{At: n.at, Kind: heartflow.KindState, State: n.state, Why: n.why})
		}
	}
}
