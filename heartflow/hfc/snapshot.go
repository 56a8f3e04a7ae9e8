package hfc

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearth-bot/hearth/heartflow"
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
	Chat    K
	Dice    []byte
	State   ChatState       `json:",omitempty"`
	Why     heartflow.Code  `json:",omitempty"`
	Private bool            `json:",omitempty"`
	Since   tick.Tick       `json:",omitempty"`
	Heard   tick.Tick       `json:",omitempty"`
	Spoke   tick.Tick       `json:",omitempty"`
	Muted   tick.Tick       `json:",omitempty"`
	Cooled  tick.Tick       `json:",omitempty"`
	Judged  tick.Tick       `json:",omitempty"`
	Poll    tick.Tick       `json:",omitempty"`
	Stepped tick.Tick       `json:",omitempty"`
	Nudged  tick.Tick       `json:",omitempty"`
	Waits   tick.Tick       `json:",omitempty"`
	Drifted int             `json:",omitempty"`
	IDs     uint64          `json:",omitempty"`
	Wants   want            `json:",omitempty"`
	Place   int             `json:",omitempty"` // among those that stand to be drawn, from 1
	Topic   []uint32        `json:",omitempty"`
	Recent  Recent          `json:",omitempty"`
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

// SnapshotCounts is Snapshot without what was heard, for whoever keeps a journal, as [heartflow.Attention.SnapshotCounts]
// is.
func (f *Flow[K]) SnapshotCounts() ([]byte, error) {
	below, err := f.Attention.SnapshotCounts()
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
	dice, _ := f.dice.MarshalBinary() // has no error to give
	all := &savedFlow[K]{Now: f.now, Dice: dice, Mind: f.mind, Pick: f.pick, Closed: f.closed, IDs: f.ids}
	order := make([]*sub[K], 0, len(f.subs))
	for _, s := range f.subs {
		order = append(order, s)
	}
	slices.SortFunc(order, func(a, b *sub[K]) int { return a.Order - b.Order })
	for _, s := range order {
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
		Chat: s.key, Dice: dice, State: s.state, Why: s.why, Private: s.private, Since: s.since, Heard: s.heard, Spoke: s.spoke,
		Muted: s.muted, Cooled: s.cooled, Judged: s.judged, Poll: s.poll, Stepped: s.stepped, Nudged: s.nudged, Waits: s.waits,
		Drifted: s.drifted, IDs: s.ids, Wants: s.wants, Place: s.place + 1, Topic: s.topic,
		Recent: s.waiting(), Begun: s.begun, Owed: s.owed, To: s.replying,
	}
	switch {
	case s.question.id == 0:
	case s.question.to == Chat:
		o.Wants = wantsChat
	default:
		o.Wants = wantsFocus
	}
	if o.Level, err = json.Marshal(&s.interest); err != nil {
		return o, err
	}
	if s.willing != nil {
		if o.Willing, err = json.Marshal(s.willing); err != nil {
			return o, err
		}
	}
	if s.cycle != nil {
		o.Cycle, err = json.Marshal(s.cycle)
	}
	return o, err
}

// waiting are the messages that no verdict has been given on, ten at most.
func (s *sub[K]) waiting() Recent {
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
		c, err := r.f.load(&s.Chats[i])
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

func (f *Flow[K]) load(o *savedSub[K]) (*sub[K], error) {
	s := &sub[K]{
		key: o.Chat, name: fmt.Sprint(o.Chat), place: -1, state: o.State, why: o.Why, private: o.Private, since: o.Since,
		heard: o.Heard, spoke: o.Spoke, muted: o.Muted, cooled: o.Cooled, judged: o.Judged, poll: o.Poll, stepped: o.Stepped,
		nudged: o.Nudged, waits: o.Waits, drifted: o.Drifted, ids: o.IDs, wants: o.Wants, topic: o.Topic, recent: o.Recent,
		begun: o.Begun, owed: o.Owed, replying: o.To, interest: NewInterest(f.o.Interest),
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
		s.willing = f.o.Willing()
		if err := json.Unmarshal(o.Willing, s.willing); err != nil {
			return nil, err
		}
	}
	if o.Cycle != nil {
		s.cycle = NewCycle(s.since.Time(f.loc), f.o.Cycle, 1)
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
	f.now, f.pick, f.closed, f.asleep, f.wakeAt = 0, 0, 0, false, 0
	f.mind, f.toldMind, f.whyMind = mind{}, Offline, ""
	f.dice.Seed(f.Seed(), mindStream)
	f.subs, f.named, f.count = map[K]*sub[K]{}, map[string]*sub[K]{}, 0
	f.in, f.standing, f.live, f.changed, f.wanting = [3][]*sub[K]{}, nil, nil, nil, nil
	var out outbox[K]
	defer f.leave(&out)
	if s == nil {
		return
	}
	f.now, f.pick, f.closed, f.mind, f.dice, f.ids = s.Now, s.Pick, s.Closed, s.Mind, r.dice, s.IDs
	if f.o.Mind.Fixed != Offline {
		f.mind.begin(f.o.Mind, f.mind.Decided)
	}
	var standing []savedSub[K]
	for i, c := range r.list {
		f.adopt(c)
		if c.state != Absent {
			f.in[c.state] = append(f.in[c.state], c)
			c.marked = true
			f.changed = append(f.changed, c)
		}
		if c.wants != wantsNothing {
			f.wanting = append(f.wanting, c)
		}
		if s.Chats[i].Place > 0 {
			standing = append(standing, s.Chats[i])
		}
		f.reschedule(c)
	}
	slices.SortStableFunc(standing, func(a, b savedSub[K]) int { return cmp.Compare(a.Place, b.Place) })
	for _, o := range standing {
		c := f.subs[o.Chat]
		c.place = len(f.standing)
		f.standing = append(f.standing, c)
	}
	for _, state := range []ChatState{Chat, Focused} {
		slices.SortStableFunc(f.in[state], func(a, b *sub[K]) int { return cmp.Compare(a.since, b.since) })
	}
	f.enforce(f.now, WhyLimit, &out) // the limits may be lower now
}
