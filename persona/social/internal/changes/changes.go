// Package changes keeps who changed which setting of the bot when. It stores the settings themselves, and no words of chats.
package changes

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A Change is documented in package social.
type Change struct {
	At      time.Time       `json:"at"`
	By      string          `json:"by"`
	Account persona.Account `json:"account,omitzero"`
	Chat    persona.Chat    `json:"chat,omitzero"`
	Field   string          `json:"field"`
	Subject string          `json:"subject,omitempty"`
	Old     string          `json:"old,omitempty"`
	New     string          `json:"new,omitempty"`
}

const (
	maxKept   = 500
	maxValue  = 300 // characters of a value
	changeRow = "change/"
)

// Values of Change.By that the bot itself sets.
const (
	ByCode    = "code"
	ByCommand = "command"
	ByFile    = "file"
	ByTool    = "tool"
)

// A Log holds the last changes. All methods may be called concurrently.
type Log struct {
	engine *engine.Engine
	write  engine.Mutex // held during a write

	mu   sync.Mutex
	last uint64 // number of the last change
	all  map[uint64]Change
}

// New returns the Log of an engine.
func New(e *engine.Engine) *Log {
	return &Log{engine: e, write: engine.NewMutex(), all: map[uint64]Change{}}
}

// Part returns the callbacks for the engine.
func (l *Log) Part() engine.Part { return engine.Part{Restore: l.restore, Erase: l.erase} }

// All returns the changes, oldest first.
func (l *Log) All() []Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Change, 0, len(l.all))
	for _, n := range slices.Sorted(maps.Keys(l.all)) {
		list = append(list, l.all[n])
	}
	return list
}

// Add stores changes, with the time and the actor of ctx. A change has been made already, so that an error is logged only.
func (l *Log) Add(ctx context.Context, all ...Change) {
	if len(all) == 0 {
		return
	}
	by, now := actorOf(ctx), time.Now().Round(0)
	for i := range all {
		c := &all[i]
		c.At, c.By, c.Account = now, by.by, by.account
		c.Old, c.New = clip.Ellipsis(c.Old, maxValue), clip.Ellipsis(c.New, maxValue)
	}
	after, stop := engine.DetachedContext(ctx)
	defer stop()
	if err := l.put(after, all); err != nil {
		l.engine.Log.Error("a change of a setting was not noted", "field", all[0].Field, "err", err)
	}
}

func (l *Log) put(ctx context.Context, all []Change) error {
	if err := l.write.Lock(ctx); err != nil {
		return err
	}
	defer l.write.Unlock()
	l.mu.Lock()
	next, rows := maps.Clone(l.all), map[string][]byte{}
	last := l.last
	l.mu.Unlock()
	for _, c := range all {
		row, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("social: note a change: %w", err)
		}
		last++
		next[last], rows[keyOf(last)] = c, row
	}
	numbers := slices.Sorted(maps.Keys(next))
	for _, n := range numbers[:max(0, len(numbers)-maxKept)] {
		delete(next, n)
		rows[keyOf(n)] = nil
	}
	if err := l.engine.Options.Store.Apply(ctx, rows); err != nil {
		return fmt.Errorf("social: note a change: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all, l.last = next, last
	return nil
}

func keyOf(n uint64) string { return changeRow + strconv.FormatUint(n, 10) }

// restore loads the rows.
func (l *Log) restore(ctx context.Context) error {
	rows, err := l.engine.Options.Store.Load(ctx, changeRow)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, row := range rows {
		n, err := strconv.ParseUint(strings.TrimPrefix(key, changeRow), 10, 64)
		var c Change
		if err != nil || json.Unmarshal(row, &c) != nil {
			l.engine.Log.Warn("skip an unreadable row of the list of changes", "row", key)
			continue
		}
		l.all[n], l.last = c, max(l.last, n)
	}
	return nil
}

// erase deletes the changes of erased chats, and those that an erased person has made.
func (l *Log) erase(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
	if err := l.write.Lock(ctx); err != nil {
		return err
	}
	defer l.write.Unlock()
	if err := l.restore(ctx); err != nil { // they may be from an earlier run
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, c := range l.all {
		person := f.Person != "" && c.Account.ID == f.Person
		chat := c.Chat != (persona.Chat{}) && slices.Contains(f.Spaces, memory.Space(c.Chat.String()))
		if person || chat {
			delete(l.all, n)
			rows[keyOf(n)] = nil
		}
	}
	return nil
}
