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

// saved is the JSON form of an Attention. Times are nanoseconds since 1970.
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
	Recent  *savedHistory `json:",omitempty"`
	Waiting batch         `json:",omitzero"`
	Turn    turn          `json:",omitzero"`
}

const snapshotVersion = 1

// Snapshot returns the state that later decisions depend on, as JSON: counts, states, mutes, waiting messages, open
// turns and random generators. Chats are in the order of their creation. encoding/json encodes the keys, so they must
// survive a round trip. Sleep is not included, because a restart ends it. Settings, traces and statistics are not
// included. The [Budget] has its own Snapshot.
func (a *Attention[K]) Snapshot() ([]byte, error) {
	return a.snapshot(func(c *chat[K]) savedChat[K] { return c.save() })
}

// SnapshotWithoutMessages is Snapshot without messages, open turns and the Addressed state. Use it if a journal
// replays the unhandled messages after a restart. A full Snapshot would deliver them twice.
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

// Restore replaces the state by a Snapshot or a SnapshotWithoutMessages. The Settings of the chats stay. With the
// same Options and Settings, later decisions equal those of the saved Attention. If a policy was running, its turn is
// closed and its messages wait for a new verdict. The next Due reports every chat that is not Observing. An invalid
// snapshot changes nothing.
func (a *Attention[K]) Restore(snapshot []byte) error {
	var s saved[K]
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("heartflow: restore: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("heartflow: restore: unknown version %d", s.Version)
	}
	if s.Now < 0 || s.Muted < 0 {
		return errors.New("heartflow: restore: invalid time before 1970")
	}
	chats := make(map[K]*chat[K], len(s.Chats))
	for i := range s.Chats {
		c, err := s.Chats[i].chat(s.Now)
		if err != nil {
			return err
		}
		if chats[c.key] != nil {
			return fmt.Errorf("heartflow: restore: duplicate chat %v", c.key)
		}
		c.Order = i
		chats[c.key] = c
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	a.seed, a.now, a.account.muted, a.account.mood = s.Seed, s.Now, s.Muted, clampMood(s.Mood)
	a.chats, a.created = chats, len(s.Chats)
	a.engaged, a.changed, a.silences = nil, nil, nil
	a.account.asleep, a.account.reportedAsleep, a.account.wakeAt = false, false, 0
	for i := range s.Chats { // in stored order, not in map order
		c := chats[s.Chats[i].Chat]
		c.account, c.settings = &a.account, a.settingsOf(c.key)
		c.Said.Times, c.Said.Interjections = keepNewest(c.Said.Times, maxReplies), keepNewest(c.Said.Interjections, maxReplies)
		a.turns++
		c.turn.id = a.turns
		if c.state != Observing {
			a.markChanged(c)
		}
		a.engaged.Set(c, c.deadline(a.now))
	}
	return nil
}

func (c *chat[K]) save() savedChat[K] {
	dice, _ := c.dice.MarshalBinary() // never returns an error
	s := savedChat[K]{Chat: c.key, Dice: dice, chatState: c.chatState, Recent: c.history.save(), Waiting: c.waiting.clone()}
	s.Said.Times, s.Said.Interjections, s.Said.ToPersons = slices.Clone(c.Said.Times), slices.Clone(c.Said.Interjections), slices.Clone(c.Said.ToPersons)
	s.Topic, s.Lines, s.Rhythm.Pauses = slices.Clone(c.Topic), c.Lines.save(), slices.Clone(c.Rhythm.Pauses)
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
	if c.history, err = s.Recent.history(); err != nil {
		return nil, fmt.Errorf("heartflow: restore: chat %s: %w", c.name, err)
	}
	if err := c.dice.UnmarshalBinary(s.Dice); err != nil {
		return nil, fmt.Errorf("heartflow: restore: chat %s: %w", c.name, err)
	}
	messages, bad := slices.Concat(c.waiting.Heard, c.turn.Batch.Heard), ""
	switch {
	case min(c.Summoned, c.Active, c.Since, c.Muted, c.Said.Last, c.Said.CapNotice, c.turn.At) < 0 || !slices.IsSorted(c.Said.Times) || !slices.IsSorted(c.Said.Interjections):
		bad = "time"
	case !c.Fatigue.valid() || !c.Lines.valid() || !c.Rhythm.valid():
		bad = "fatigue, own message or pause"
	case min(c.Renewals, c.Said.InRow, c.Said.ToBots, c.waiting.Count, c.turn.Batch.Count, c.Again, c.turn.Again, c.turn.Newer) < 0 || len(c.Topic) > 2*fold.MaxTerms ||
		max(c.waiting.Lost, c.turn.Batch.Lost) >= reasonSets || len(c.waiting.Heard) > maxWaiting || len(c.turn.Batch.Heard) > maxWaiting:
		bad = "count"
	case slices.ContainsFunc(messages, func(h Received) bool { return h.reasons >= reasonSets || h.seen < 0 }):
		bad = "message"
	}
	if bad != "" {
		return nil, fmt.Errorf("heartflow: restore: chat %s: invalid %s", c.name, bad)
	}
	slices.Sort(c.Topic)
	c.state = c.stateAt(now)
	return c, nil
}
