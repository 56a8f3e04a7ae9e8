package heartflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// savedBudget is a snapshot of a Budget. An entry is minute, calls, tokens.
type savedBudget struct {
	Version int
	Minute  int64
	All     [][3]int64      `json:",omitempty"`
	Chats   []savedSpending `json:",omitempty"`
}

type savedSpending struct {
	Chat  string
	Spent [][3]int64
}

// Snapshot returns what was spent within the last day, as JSON; not the options.
func (b *Budget) Snapshot() ([]byte, error) {
	b.mu.Lock()
	s := savedBudget{Version: snapshotVersion, Minute: b.minute, All: b.total.save()}
	for _, name := range slices.Sorted(maps.Keys(b.chats)) {
		if l := b.chats[name]; !l.empty() {
			s.Chats = append(s.Chats, savedSpending{Chat: name, Spent: l.save()})
		}
	}
	b.mu.Unlock()
	return json.Marshal(s)
}

// Restore takes in what a Snapshot held. Of what the Budget has counted already, the larger figure of each minute
// stands: so several that share one Budget may each keep it and restore it. An invalid snapshot is refused as a whole.
func (b *Budget) Restore(snapshot []byte) error {
	var s savedBudget
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("heartflow: restore the budget: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("heartflow: restore the budget: version %d is not known", s.Version)
	}
	if s.Minute < 0 || s.Minute > int64(tick.Forever)/60e9 {
		return errors.New("heartflow: restore the budget: a time that cannot be")
	}
	all, err := spending(s.All, s.Minute)
	chats := map[string][]spent{}
	for _, c := range s.Chats {
		if err == nil {
			chats[c.Chat], err = spending(c.Spent, s.Minute)
		}
	}
	if err != nil {
		return err
	}
	if len(chats) != len(s.Chats) {
		return errors.New("heartflow: restore the budget: a chat twice")
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.minute = max(b.minute, s.Minute)
	b.total.merge(all)
	b.total.advance(b.minute)
	for name, list := range chats {
		l := b.chats[name]
		if l == nil {
			l = &ledger{}
			b.chats[name] = l
		}
		l.merge(list)
		l.advance(b.minute)
	}
	return nil
}

func (l *ledger) save() (list [][3]int64) {
	for _, e := range l.minutes {
		list = append(list, [3]int64{e.minute, int64(e.calls), int64(e.tokens)})
	}
	return list
}

// spending reads what save wrote.
func spending(list [][3]int64, now int64) ([]spent, error) {
	var all []spent
	before := int64(-1)
	for _, e := range list {
		if e[0] <= before || e[0] > now || min(e[1], e[2]) < 0 || max(e[1], e[2]) > maxSpent {
			return nil, errors.New("heartflow: restore the budget: an entry that cannot be")
		}
		before = e[0]
		all = append(all, spent{minute: e[0], calls: int(e[1]), tokens: int(e[2])})
	}
	return all, nil
}
