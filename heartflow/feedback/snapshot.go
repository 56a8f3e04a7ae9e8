package feedback

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// saved is the JSON form of one chat.
type saved struct {
	Now     tick.Tick    // of the snapshot
	Mean    mean         `json:",omitzero"`
	People  []person     `json:",omitempty"`
	Open    []*utterance `json:",omitempty"`
	Talking bool         `json:",omitempty"`
}

// Snapshot returns what is known about a chat as JSON: the means, and the open utterances. It returns nil for a chat without any.
func (t *Tracker[K]) Snapshot(key K) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chats[key]
	if c == nil || c.mean.Count == 0 && len(c.people) == 0 && len(c.open) == 0 {
		return nil, nil
	}
	return json.Marshal(saved{t.now, c.mean, c.people, c.open, c.talking})
}

// Restore replaces what is known about a chat by a Snapshot. An invalid snapshot changes nothing.
func (t *Tracker[K]) Restore(key K, snapshot []byte) error {
	var s saved
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("feedback: restore: %w", err)
	}
	valid := s.Now >= 0 && s.Mean.valid() && len(s.People) <= maxPeople && len(s.Open) <= maxOpen
	for _, p := range s.People {
		valid = valid && p.valid()
	}
	last := tick.Tick(0)
	for _, u := range s.Open {
		valid = valid && u != nil && u.At >= last && len(u.IDs) <= maxIDs && len(u.By) <= maxReactors
		if valid {
			last = u.At
		}
	}
	if !valid {
		return errors.New("feedback: restore: a value is out of its range")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chat(key)
	c.mean, c.people, c.open, c.talking = s.Mean, s.People, s.Open, s.Talking
	t.now = max(t.now, s.Now)
	t.wait(c)
	return nil
}

func (m mean) valid() bool { return math.Abs(m.Value) <= 1 && m.At >= 0 && m.Count >= 0 }

// Chats returns the chats about which something is known, in the order of their creation.
func (t *Tracker[K]) Chats() []K {
	t.mu.Lock()
	defer t.mu.Unlock()
	var keys []K
	for _, c := range slices.SortedFunc(maps.Values(t.chats), func(a, b *chat[K]) int { return a.Order - b.Order }) {
		keys = append(keys, c.key)
	}
	return keys
}
