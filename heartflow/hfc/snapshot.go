package hfc

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

const snapshotVersion = 1

// saved is the JSON form of a Flow. Times are nanoseconds since 1970, and minutes in Mind.
type saved[K comparable] struct {
	Version   int
	Attention json.RawMessage
	Flow      *savedFlow[K]
}

type savedFlow[K comparable] struct {
	Now    tick.Tick
	Dice   []byte
	Mind   globalMachine
	Pick   tick.Tick `json:",omitempty"`
	Closed tick.Tick `json:",omitempty"`
	IDs    uint64    `json:",omitempty"`
	Chats  []savedChat[K]
}

type savedChat[K comparable] struct {
	Chat K
	Dice []byte
	chatRecord
	Place   int             `json:",omitempty"` // index among the candidates, from 1
	Topic   []uint32        `json:",omitempty"`
	Recent  waitingMessages `json:",omitempty"`
	Begun   bool            `json:",omitempty"`
	Owed    bool            `json:",omitempty"`
	Called  bool            `json:",omitempty"`
	To      string          `json:",omitempty"`
	Level   json.RawMessage `json:",omitempty"`
	Willing json.RawMessage `json:",omitempty"`
	Cycle   json.RawMessage `json:",omitempty"`
}

// Snapshot returns the state that later decisions depend on, as JSON: the Snapshot of the Attention, the global
// state, the random generators, and each chat with its interest, willingness and cycle. An open Question or step is
// repeated after a restart. Sleep and Settings are not included.
func (f *Flow[K]) Snapshot() ([]byte, error) {
	attention, err := f.Attention.Snapshot()
	if err != nil {
		return nil, err
	}
	return f.snapshot(attention, func(*savedChat[K]) {})
}

// SnapshotWithoutMessages is Snapshot without messages. Use it if a journal replays the messages after a restart, as
// with [heartflow.Attention.SnapshotWithoutMessages].
func (f *Flow[K]) SnapshotWithoutMessages() ([]byte, error) {
	attention, err := f.Attention.SnapshotWithoutMessages()
	if err != nil {
		return nil, err
	}
	return f.snapshot(attention, func(s *savedChat[K]) {
		s.Recent, s.Waits, s.Wants, s.Begun, s.Owed, s.Called, s.To = nil, 0, pendingNothing, false, false, false, ""
	})
}

func (f *Flow[K]) snapshot(attention []byte, trim func(*savedChat[K])) ([]byte, error) {
	all, err := f.save(trim)
	if err != nil {
		return nil, fmt.Errorf("hfc: snapshot: %w", err)
	}
	b, err := json.Marshal(saved[K]{Version: snapshotVersion, Attention: attention, Flow: all})
	if err != nil {
		return nil, fmt.Errorf("hfc: snapshot: %w", err)
	}
	return b, nil
}

func (f *Flow[K]) save(trim func(*savedChat[K])) (*savedFlow[K], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dice, _ := f.shared.dice.MarshalBinary() // never returns an error
	all := &savedFlow[K]{Now: f.shared.now, Dice: dice, Mind: f.shared.global, Pick: f.chats.nextDraw, Closed: f.shared.muted, IDs: f.chats.ids}
	for _, s := range slices.SortedFunc(maps.Values(f.chats.byKey), func(a, b *chat[K]) int { return a.Order - b.Order }) {
		one, err := s.save()
		if err != nil {
			return nil, err
		}
		trim(&one)
		all.Chats = append(all.Chats, one)
	}
	return all, nil
}

func (s *chat[K]) save() (o savedChat[K], err error) {
	dice, _ := s.dice.MarshalBinary()
	o = savedChat[K]{
		Chat: s.key, Dice: dice, chatRecord: s.chatRecord, Place: s.candidateIndex + 1, Topic: s.topic,
		Recent: s.pendingMessages(), Begun: s.replying, Owed: s.mustAnswer, Called: s.answering, To: s.replyTo,
	}
	switch {
	case s.question.id == 0:
	case s.question.to == Chatting:
		o.Wants = pendingChatQuestion
	default:
		o.Wants = pendingFocusQuestion
	}
	var errs [3]error
	o.Level, errs[0] = json.Marshal(&s.interest)
	if s.willingness != nil {
		o.Willing, errs[1] = json.Marshal(s.willingness)
	}
	if s.cycle != nil {
		o.Cycle, errs[2] = json.Marshal(s.cycle)
	}
	return o, errors.Join(errs[:]...)
}

// pendingMessages returns the messages without a verdict, ten at most.
func (s *chat[K]) pendingMessages() waitingMessages {
	all := slices.Concat(s.judging, s.waiting)
	return all[max(len(all)-maxWaitingMessages, 0):]
}

// Restore replaces the state by a Snapshot or a SnapshotWithoutMessages. Settings stay. With the same Options and
// Settings, later decisions equal those of the saved Flow. It also accepts a Snapshot of an Attention; the Flow then
// starts empty. The next Due reports the global state and every chat that is not Absent. An invalid snapshot changes
// nothing.
func (f *Flow[K]) Restore(snapshot []byte) error {
	var s saved[K]
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("hfc: restore: %w", err)
	}
	if s.Attention == nil {
		s = saved[K]{Version: snapshotVersion, Attention: snapshot}
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("hfc: restore: unknown version %d", s.Version)
	}
	r := decodedSnapshot[K]{f: f, byKey: map[K]*chat[K]{}}
	if s.Flow != nil {
		if err := r.decode(s.Flow); err != nil {
			return fmt.Errorf("hfc: restore: %w", err)
		}
	}
	if err := f.Attention.Restore(s.Attention); err != nil {
		return err
	}
	r.apply(s.Flow)
	return nil
}

// A decodedSnapshot is a validated snapshot that Restore has not applied yet.
type decodedSnapshot[K comparable] struct {
	f     *Flow[K]
	dice  rand.PCG
	list  []*chat[K]
	byKey map[K]*chat[K]
}

// decode validates s. It does not change the Flow.
func (r *decodedSnapshot[K]) decode(s *savedFlow[K]) error {
	if err := r.dice.UnmarshalBinary(s.Dice); err != nil {
		return err
	}
	if m := s.Mind; m.State > FocusedChat || min(m.Since, m.Decided, m.Loaded) < 0 || min(s.Now, s.Pick, s.Closed) < 0 {
		return errors.New("invalid global state")
	}
	for i := range s.Chats {
		c, err := s.Chats[i].chat(&r.f.shared)
		if err != nil {
			return fmt.Errorf("chat %v: %w", s.Chats[i].Chat, err)
		}
		if r.byKey[c.key] != nil {
			return fmt.Errorf("duplicate chat %v", c.key)
		}
		r.byKey[c.key] = c
		r.list = append(r.list, c)
	}
	return nil
}

func (o *savedChat[K]) chat(b *shared) (*chat[K], error) {
	s := &chat[K]{
		chatRecord: o.chatRecord, shared: b, key: o.Chat, name: fmt.Sprint(o.Chat), candidateIndex: -1, topic: o.Topic, waiting: o.Recent,
		replying: o.Begun, mustAnswer: o.Owed, answering: o.Called, replyTo: o.To, interest: newInterest(b.o.Interest),
	}
	switch {
	case o.State > Focused || o.Wants > pendingTurn || o.State == Focused && o.Cycle == nil || o.Begun && o.Willing == nil:
		return nil, errors.New("invalid state")
	case min(o.Since, o.Heard, o.Spoke, o.Muted, o.Cooled, o.Judged, o.Poll, o.Stepped, o.Nudged, o.Waits) < 0:
		return nil, errors.New("invalid time")
	case o.Drifted < 0 || o.Place < 0 || o.Place > 0 && o.State != Absent || len(o.Recent) > maxWaitingMessages:
		return nil, errors.New("invalid count")
	}
	slices.Sort(s.topic)
	if err := s.dice.UnmarshalBinary(o.Dice); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(o.Level, &s.interest); err != nil {
		return nil, err
	}
	if o.Willing != nil {
		s.willingness = b.newWillingness()
		if err := json.Unmarshal(o.Willing, s.willingness); err != nil {
			return nil, err
		}
	}
	if o.Cycle != nil {
		s.cycle = newCycle(s.time(s.Since), 1, b.o.Cycle)
		if err := json.Unmarshal(o.Cycle, s.cycle); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// apply replaces the state of the Flow.
func (r *decodedSnapshot[K]) apply(s *savedFlow[K]) {
	f := r.f
	f.mu.Lock()
	b, c := &f.shared, &f.chats
	b.now, b.muted, b.asleep, b.wakeAt = 0, 0, false, 0
	b.tempo.wall = 0
	b.global, b.reported, b.why = globalMachine{}, Offline, ""
	b.dice.Seed(f.Seed(), globalStream)
	*c = chats[K]{shared: b, byKey: map[K]*chat[K]{}, byName: map[string]*chat[K]{}, settings: c.settings, defaults: c.defaults, ids: c.ids, overBudget: c.overBudget}
	defer f.leave()
	if s == nil {
		return
	}
	b.now, b.muted, b.global, b.dice, c.nextDraw, c.ids = s.Now, s.Closed, s.Mind, r.dice, s.Pick, s.IDs
	if b.o.GlobalState.Fixed != Offline {
		b.global.begin(b.o.GlobalState, b.global.Decided)
	}
	var candidates []savedChat[K]
	for i, one := range r.list {
		c.add(one)
		if one.State != Absent {
			c.byState[one.State] = append(c.byState[one.State], one)
			c.markChanged(one)
		}
		if one.Wants != pendingNothing {
			c.pending = append(c.pending, one)
		}
		if s.Chats[i].Place > 0 {
			candidates = append(candidates, s.Chats[i])
		}
		c.reschedule(one)
	}
	slices.SortStableFunc(candidates, func(a, b savedChat[K]) int { return cmp.Compare(a.Place, b.Place) })
	for i, o := range candidates {
		c.byKey[o.Chat].candidateIndex = i
		c.candidates = append(c.candidates, c.byKey[o.Chat])
	}
	for _, state := range []ChatState{Chatting, Focused} {
		slices.SortStableFunc(c.byState[state], func(a, b *chat[K]) int { return cmp.Compare(a.Since, b.Since) })
	}
	c.enforceLimits(b.now, WhyLimit) // the limits may be lower now
}
