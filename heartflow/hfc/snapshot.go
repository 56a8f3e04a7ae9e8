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

// saved is a snapshot. Times are nanoseconds since 1970, those of the mind minutes.
type saved[K comparable] struct {
	Version   int
	Attention json.RawMessage
	Flow      *savedFlow[K]
}

type savedFlow[K comparable] struct {
	Now    tick.Tick
	Dice   []byte
	Mind   mind
	Pick   tick.Tick `json:",omitempty"`
	Closed tick.Tick `json:",omitempty"`
	IDs    uint64    `json:",omitempty"`
	Chats  []savedSub[K]
}

type savedSub[K comparable] struct {
	Chat K
	Dice []byte
	subState
	Place   int             `json:",omitempty"` // among those that stand to be drawn, from 1
	Topic   []uint32        `json:",omitempty"`
	Recent  recent          `json:",omitempty"`
	Begun   bool            `json:",omitempty"`
	Owed    bool            `json:",omitempty"`
	To      string          `json:",omitempty"`
	Level   json.RawMessage `json:",omitempty"`
	Willing json.RawMessage `json:",omitempty"`
	Cycle   json.RawMessage `json:",omitempty"`
}

// Snapshot returns all that decides what comes next, as JSON: what [heartflow.Attention.Snapshot] keeps, and the global
// state, the flow of every chat with its interest, willingness and cycle, and chance. A Question or a step that is
// outstanding is asked anew after a restart. Sleep and Settings are not kept.
func (f *Flow[K]) Snapshot() ([]byte, error) {
	below, err := f.Attention.Snapshot()
	if err != nil {
		return nil, err
	}
	return f.snapshot(below, func(*savedSub[K]) {})
}

// SnapshotWithoutMessages is Snapshot without what was heard, for whoever keeps a journal, as [heartflow.Attention.SnapshotCounts]
// is.
func (f *Flow[K]) SnapshotWithoutMessages() ([]byte, error) {
	below, err := f.Attention.SnapshotWithoutMessages()
	if err != nil {
		return nil, err
	}
	return f.snapshot(below, func(s *savedSub[K]) {
		s.Recent, s.Waits, s.Wants, s.Begun, s.Owed, s.To = nil, 0, wantsNothing, false, false, ""
	})
}

func (f *Flow[K]) snapshot(below []byte, trim func(*savedSub[K])) ([]byte, error) {
	all, err := f.save(trim)
	if err != nil {
		return nil, fmt.Errorf("hfc: snapshot: %w", err)
	}
	b, err := json.Marshal(saved[K]{Version: snapshotVersion, Attention: below, Flow: all})
	if err != nil {
		return nil, fmt.Errorf("hfc: snapshot: %w", err)
	}
	return b, nil
}

func (f *Flow[K]) save(trim func(*savedSub[K])) (*savedFlow[K], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dice, _ := f.being.dice.MarshalBinary() // has no error to give
	all := &savedFlow[K]{Now: f.being.now, Dice: dice, Mind: f.being.mind, Pick: f.chats.pick, Closed: f.being.closed, IDs: f.chats.ids}
	for _, s := range slices.SortedFunc(maps.Values(f.chats.subs), func(a, b *sub[K]) int { return a.Order - b.Order }) {
		one, err := s.save()
		if err != nil {
			return nil, err
		}
		trim(&one)
		all.Chats = append(all.Chats, one)
	}
	return all, nil
}

func (s *sub[K]) save() (o savedSub[K], err error) {
	dice, _ := s.dice.MarshalBinary()
	o = savedSub[K]{
		Chat: s.key, Dice: dice, subState: s.subState, Place: s.place + 1, Topic: s.topic,
		Recent: s.waiting(), Begun: s.begun, Owed: s.owed, To: s.replying,
	}
	switch {
	case s.question.id == 0:
	case s.question.to == Chatting:
		o.Wants = wantsChat
	default:
		o.Wants = wantsFocus
	}
	var errs [3]error
	o.Level, errs[0] = json.Marshal(&s.interest)
	if s.willing != nil {
		o.Willing, errs[1] = json.Marshal(s.willing)
	}
	if s.cycle != nil {
		o.Cycle, errs[2] = json.Marshal(s.cycle)
	}
	return o, errors.Join(errs[:]...)
}

// waiting are the messages that no verdict has been given on, ten at most.
func (s *sub[K]) waiting() recent {
	all := slices.Concat(s.judging, s.recent)
	return all[max(len(all)-recentLen, 0):]
}

// Restore replaces all that the Flow knows by what a Snapshot, or a SnapshotCounts, held, except for Settings. With the
// same Options and Settings it goes on as the one that was saved would have. What an Attention alone has saved is taken
// as well: the flow begins anew then. The first Due tells the global state and every chat that is not Absent. An invalid
// snapshot is refused as a whole.
func (f *Flow[K]) Restore(snapshot []byte) error {
	var s saved[K]
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("hfc: restore: %w", err)
	}
	if s.Attention == nil {
		s = saved[K]{Version: snapshotVersion, Attention: snapshot}
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("hfc: restore: version %d is not known", s.Version)
	}
	r := restoring[K]{f: f, subs: map[K]*sub[K]{}}
	if s.Flow != nil {
		if err := r.read(s.Flow); err != nil {
			return fmt.Errorf("hfc: restore: %w", err)
		}
	}
	if err := f.Attention.Restore(s.Attention); err != nil {
		return err
	}
	r.take(s.Flow)
	return nil
}

// A restoring is a snapshot on its way in.
type restoring[K comparable] struct {
	f    *Flow[K]
	dice rand.PCG
	list []*sub[K]
	subs map[K]*sub[K]
}

// read checks all, and changes nothing of the Flow.
func (r *restoring[K]) read(s *savedFlow[K]) error {
	if err := r.dice.UnmarshalBinary(s.Dice); err != nil {
		return err
	}
	if m := s.Mind; m.State > FocusedChat || min(m.Since, m.Decided, m.Loaded) < 0 || min(s.Now, s.Pick, s.Closed) < 0 {
		return errors.New("a global state that cannot be")
	}
	for i := range s.Chats {
		c, err := s.Chats[i].sub(&r.f.being)
		if err != nil {
			return fmt.Errorf("chat %v: %w", s.Chats[i].Chat, err)
		}
		if r.subs[c.key] != nil {
			return fmt.Errorf("chat %v twice", c.key)
		}
		r.subs[c.key] = c
		r.list = append(r.list, c)
	}
	return nil
}

func (o *savedSub[K]) sub(b *being) (*sub[K], error) {
	s := &sub[K]{
		subState: o.subState, being: b, key: o.Chat, name: fmt.Sprint(o.Chat), place: -1, topic: o.Topic, recent: o.Recent,
		begun: o.Begun, owed: o.Owed, replying: o.To, interest: newInterest(b.o.Interest),
	}
	switch {
	case o.State > Focused || o.Wants > wantsTurn || o.State == Focused && o.Cycle == nil || o.Begun && o.Willing == nil:
		return nil, errors.New("a state that cannot be")
	case min(o.Since, o.Heard, o.Spoke, o.Muted, o.Cooled, o.Judged, o.Poll, o.Stepped, o.Nudged, o.Waits) < 0:
		return nil, errors.New("a time that cannot be")
	case o.Drifted < 0 || o.Place < 0 || o.Place > 0 && o.State != Absent || len(o.Recent) > recentLen:
		return nil, errors.New("a count that cannot be")
	}
	slices.Sort(s.topic)
	if err := s.dice.UnmarshalBinary(o.Dice); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(o.Level, &s.interest); err != nil {
		return nil, err
	}
	if o.Willing != nil {
		s.willing = b.willing()
		if err := json.Unmarshal(o.Willing, s.willing); err != nil {
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

// take puts all in place.
func (r *restoring[K]) take(s *savedFlow[K]) {
	f := r.f
	f.mu.Lock()
	b, c := &f.being, &f.chats
	b.now, b.closed, b.asleep, b.wakeAt = 0, 0, false, 0
	b.mind, b.told, b.why = mind{}, Offline, ""
	b.dice.Seed(f.Seed(), mindStream)
	*c = chats[K]{being: b, subs: map[K]*sub[K]{}, named: map[string]*sub[K]{}, settings: c.settings, fresh: c.fresh, ids: c.ids}
	defer f.leave()
	if s == nil {
		return
	}
	b.now, b.closed, b.mind, b.dice, c.pick, c.ids = s.Now, s.Closed, s.Mind, r.dice, s.Pick, s.IDs
	if b.o.GlobalState.Fixed != Offline {
		b.mind.begin(b.o.GlobalState, b.mind.Decided)
	}
	var standing []savedSub[K]
	for i, one := range r.list {
		c.adopt(one)
		if one.State != Absent {
			c.in[one.State] = append(c.in[one.State], one)
			c.mark(one)
		}
		if one.Wants != wantsNothing {
			c.wanting = append(c.wanting, one)
		}
		if s.Chats[i].Place > 0 {
			standing = append(standing, s.Chats[i])
		}
		c.reschedule(one)
	}
	slices.SortStableFunc(standing, func(a, b savedSub[K]) int { return cmp.Compare(a.Place, b.Place) })
	for i, o := range standing {
		c.subs[o.Chat].place = i
		c.standing = append(c.standing, c.subs[o.Chat])
	}
	for _, state := range []ChatState{Chatting, Focused} {
		slices.SortStableFunc(c.in[state], func(a, b *sub[K]) int { return cmp.Compare(a.Since, b.Since) })
	}
	c.enforce(b.now, WhyLimit) // the limits may be lower now
}
