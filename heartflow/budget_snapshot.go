package heartflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// savedBudget is the JSON form of a Budget. An entry holds minute, calls and tokens.
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

// Snapshot returns the usage of the last day as JSON, without the options.
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

// Restore merges a Snapshot into the Budget. For each minute the larger figures win, so several Attentions may
// persist and restore one shared Budget. An invalid snapshot changes nothing.
func (b *Budget) Restore(snapshot []byte) error {
	var s savedBudget
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("heartflow: restore budget: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("heartflow: restore budget: unknown version %d", s.Version)
	}
	if s.Minute < 0 || s.Minute > int64(tick.Forever)/60e9 {
		return errors.New("heartflow: restore budget: invalid time")
	}
	all, err := spending(s.All, s.Minute)
	chats := map[string][]minuteUsage{}
	for _, c := range s.Chats {
		if err == nil {
			chats[c.Chat], err = spending(c.Spent, s.Minute)
		}
	}
	if err != nil {
		return err
	}
	if len(chats) != len(s.Chats) {
		return errors.New("heartflow: restore budget: duplicate chat")
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

// spending parses the output of save.
func spending(list [][3]int64, now int64) ([]minuteUsage, error) {
	var all []minuteUsage
	before := int64(-1)
	for _, e := range list {
		if e[0] <= before || e[0] > now || min(e[1], e[2]) < 0 || max(e[1], e[2]) > maxMinuteUsage {
			return nil, errors.New("heartflow: restore budget: invalid entry")
		}
		before = e[0]
		all = append(all, minuteUsage{minute: e[0], calls: int(e[1]), tokens: int(e[2])})
	}
	return all, nil
}
