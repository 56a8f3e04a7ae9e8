package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory/sqlite"
)

// saveEvery is how much a power cut, or a kill, can take at most; QQ's history brings the messages back, but no summary.
const saveEvery = 2 * time.Second

// lastSave is how long the last writing may take.
const lastSave = time.Second

// A kept is a room in the database.
type kept struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Fresh   int      `json:"fresh"` // of the messages: as the window counts
	Others  int      `json:"others"`
	Rows    []row    `json:"messages"`
	Seen    []uint32 `json:"seen"`
	Ahead   []uint32 `json:"ahead,omitempty"`
}

// prefix is where the rooms of this account are.
func (p *program) prefix() string { return "qqmcp/" + strconv.FormatInt(p.o.qq, 10) + "/" }

// openDB opens the database and fills the rooms that it has. Chats that are not allowed any more are left alone.
func (p *program) openDB() error {
	if p.o.db == "" {
		return nil
	}
	db, err := sqlite.Open(p.o.db, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("--db: %w", err)
	}
	p.db = db
	rows, err := db.Load(context.Background(), p.prefix())
	if err != nil {
		return fmt.Errorf("--db: %w", err)
	}
	for name, text := range rows {
		var k kept
		c, ok := parseChat(strings.TrimPrefix(name, p.prefix()))
		if err := json.Unmarshal(text, &k); err != nil || !ok {
			p.log.Warn("a chat in the database cannot be read", "chat", name, "err", err)
			continue
		}
		if p.o.allowed(c) {
			p.rooms.open(c).restore(k)
		}
	}
	return nil
}

// save writes rooms that changed, now and then and once more when ctx has ended: whoever asked for that may not wait for the rest.
func (p *program) save(ctx context.Context) {
	for loop.Sleep(ctx, saveEvery) == nil {
		p.saveNow(ctx)
	}
	p.saveLast()
}

// saveLast writes what no ctx is left for.
func (p *program) saveLast() {
	ctx, cancel := context.WithTimeout(context.Background(), lastSave)
	defer cancel()
	p.saveNow(ctx)
}

// saveNow writes a few rooms at a time: their texts need memory.
func (p *program) saveNow(ctx context.Context) {
	for rooms := range slices.Chunk(p.rooms.list(), 8) {
		p.write(ctx, rooms)
	}
}

func (p *program) write(ctx context.Context, rooms []*room) {
	rows := map[string][]byte{}
	var dirty []*room
	for _, r := range rooms {
		k, changed := r.keep()
		if !changed {
			continue
		}
		text, err := json.Marshal(k)
		if err != nil {
			p.log.Error("a chat cannot be written", "chat", r.chat, "err", err)
			continue
		}
		rows[p.prefix()+r.chat.String()] = text
		dirty = append(dirty, r)
	}
	if len(rows) == 0 {
		return
	}
	if err := p.db.Apply(ctx, rows); err != nil {
		p.log.Error("the database was not written", "err", err)
		for _, r := range dirty {
			r.soil()
		}
	}
}

// keep gives the room as it is to be written; it counts as written then.
func (r *room) keep() (kept, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.dirty {
		return kept{}, false
	}
	r.dirty = false
	s := r.window.Snapshot()
	k := kept{Name: r.name, Summary: s.Summary, Fresh: s.NewItems, Others: r.fresh, Rows: make([]row, len(s.Items)), Seen: r.seen.All(), Ahead: r.seen.AfterGap()}
	for i := range s.Items {
		k.Rows[i] = s.Items[i].row()
	}
	return k, true
}

// soil takes back that it was written.
func (r *room) soil() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirty = true
}

// restore fills a room with what the database has. What was said since is news.
func (r *room) restore(k kept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	items := make([]message, len(k.Rows))
	for i := range k.Rows {
		items[i] = k.Rows[i].message()
	}
	r.window.Restore(buffer.WindowState[message]{Items: items, Summary: k.Summary, NewItems: k.Fresh})
	r.name, r.size, r.fresh = k.Name, len(items), min(max(k.Others, 0), len(items))
	for _, key := range k.Seen {
		r.seen.Add(key)
	}
	for _, key := range k.Ahead {
		r.seen.AddAfterGap(key)
	}
	for i := range items {
		r.seen.Add(items[i].key())
	}
	r.live = true
	r.seen.OpenGap()
}
