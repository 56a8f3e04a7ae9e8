package heartflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/fold"
)

// saved is a snapshot. Times are nanoseconds since 1970.
type saved[K comparable] struct {
	Version int
	Seed    uint64
	Now     tick.Tick
	Muted   tick.Tick      `json:",omitempty"`
	Mood    float64        `json:",omitempty"`
	Chats   []savedChat[K] `json:",omitempty"`
}

type savedChat[K comparable] struct {
	Chat K
	Dice []byte
	chatState
	Recent  *savedRecent `json:",omitempty"`
	Waiting batch        `json:",omitzero"`
	Turn    turn         `json:",omitzero"`
}

const snapshotVersion = 1

// Snapshot returns all that decides what comes next, as JSON: counts, states, mutes, what was heard and not judged,
// open turns, chance. A K is kept as encoding/json has it, so the keys must survive that. Sleep is not kept, since a
// restart ends it; neither are Settings, traces, statistics and the [Budget], which has a Snapshot of its own. Chats come in the order they were met.
func (a *Attention[K]) Snapshot() ([]byte, error) {
	return a.snapshot(func(c *chat[K]) savedChat[K] { return c.save() })
}

// SnapshotWithoutMessages is Snapshot without what was heard: no message, no call, no open turn. It is for whoever keeps a
// journal and lets the Attention hear anew, after a restart, what was not dealt with: from a Snapshot it would hear
// that twice.
func (a *Attention[K]) SnapshotWithoutMessages() ([]byte, error) {
	return a.snapshot(func(c *chat[K]) savedChat[K] {
		s := c.save()
		s.Summoned, s.Waiting, s.Turn, s.Again = 0, batch{}, turn{}, 0
		return s
	})
}

func (a *Attention[K]) snapshot(save func(*chat[K]) savedChat[K]) ([]byte, error) {
	a.mu.Lock()
	s := saved[K]{Version: snapshotVersion, Seed: a.seed, Now: a.now, Muted: a.account.muted, Mood: a.account.mood}
	for _, c := range slices.SortedFunc(maps.Values(a.chats), func(a, b *chat[K]) int { return a.Order - b.Order }) {
		s.Chats = append(s.Chats, save(c))
	}
	a.mu.Unlock()
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("heartflow: snapshot: %w", err)
	}
	return b, nil
}

// Restore replaces all that the Attention knows by what a Snapshot, or a SnapshotCounts, held, except for the Settings of its chats. With
// the same Options and Settings it decides from there on as the one that was saved would have. A turn whose policy was
// being asked is closed, and what was heard for it waits to be judged. The first Due tells every chat that is not
// Observing. An invalid snapshot is refused as a whole.
func (a *Attention[K]) Restore(snapshot []byte) error {
	var s saved[K]
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("heartflow: restore: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("heartflow: restore: version %d is not known", s.Version)
	}
	if s.Now < 0 || s.Muted < 0 {
		return errors.New("heartflow: restore: a time before 1970")
	}
	chats := make(map[K]*chat[K], len(s.Chats))
	for i := range s.Chats {
		c, err := s.Chats[i].chat(s.Now)
		if err != nil {
			return err
		}
		if chats[c.key] != nil {
			return fmt.Errorf("heartflow: restore: chat %v twice", c.key)
		}
		c.Order = i
		chats[c.key] = c
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	a.seed, a.now, a.account.muted, a.account.mood = s.Seed, s.Now, s.Muted, clampMood(s.Mood)
	a.chats, a.count = chats, len(s.Chats)
	a.live, a.changed = nil, nil
	a.account.asleep, a.account.toldAsleep, a.account.wakeAt = false, false, 0
	for i := range s.Chats { // not over the map, for the order
		c := chats[s.Chats[i].Chat]
		c.account, c.tuning = &a.account, a.tuning(c.key)
		c.Said.keep(maxReplies)
		a.turns++
		c.turn.id = a.turns
		if c.state != Observing {
			a.mark(c)
		}
		a.live.Set(c, c.deadline(a.now))
	}
	return nil
}

func (c *chat[K]) save() savedChat[K] {
	dice, _ := c.dice.MarshalBinary() // has no error to give
	s := savedChat[K]{Chat: c.key, Dice: dice, chatState: c.chatState, Recent: c.recent.save(), Waiting: c.waiting.clone()}
	s.Said.Times, s.Topic, s.Lines = slices.Clone(c.Said.Times), slices.Clone(c.Topic), c.Lines.save()
	if c.turn.judging {
		s.Waiting.prepend(c.turn.Batch.clone())
		s.Again = c.turn.Again
	} else if c.turn.Open {
		s.Turn = c.turn
		s.Turn.Batch = c.turn.Batch.clone()
	}
	return s
}

func (s *savedChat[K]) chat(now tick.Tick) (*chat[K], error) {
	c := &chat[K]{key: s.Chat, name: fmt.Sprint(s.Chat), chatState: s.chatState, waiting: s.Waiting, turn: s.Turn}
	c.Mood = clampMood(c.Mood)
	var err error
	if c.recent, err = s.Recent.recent(); err != nil {
		return nil, fmt.Errorf("heartflow: restore: chat %s: %w", c.name, err)
	}
	if err := c.dice.UnmarshalBinary(s.Dice); err != nil {
		return nil, fmt.Errorf("heartflow: restore: chat %s: %w", c.name, err)
	}
	heard, bad := slices.Concat(c.waiting.Heard, c.turn.Batch.Heard), ""
	switch {
	case min(c.Summoned, c.Active, c.Since, c.Muted, c.Said.Last, c.turn.At) < 0 || !slices.IsSorted(c.Said.Times):
		bad = "a time"
	case !c.Fatigue.valid() || !c.Lines.valid():
		bad = "a fatigue, or words,"
	case min(c.Renewals, c.Said.InRow, c.Said.ToBots, c.waiting.Count, c.turn.Batch.Count, c.Again, c.turn.Again, c.turn.Newer) < 0 || len(c.Topic) > 2*fold.MaxTerms ||
		max(c.waiting.Lost, c.turn.Batch.Lost) >= manyCalls || len(c.waiting.Heard) > maxHeard || len(c.turn.Batch.Heard) > maxHeard:
		bad = "a count"
	case slices.ContainsFunc(heard, func(h Received) bool { return h.calls >= manyCalls || h.seen < 0 }):
		bad = "a message"
	}
	if bad != "" {
		return nil, fmt.Errorf("heartflow: restore: chat %s: %s that cannot be", c.name, bad)
	}
	slices.Sort(c.Topic)
	c.state = c.stateAt(now)
	return c, nil
}
