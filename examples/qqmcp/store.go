package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory/sqlite"
)

// saveInterval limits the loss after a crash. QQ's history restores messages but not summaries.
const saveInterval = 2 * time.Second

// lastSaveTimeout limits the time of the last save.
const lastSaveTimeout = time.Second

// A storedChat is a chat in the database.
type storedChat struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Dropped int      `json:"dropped,omitempty"`
	Rows    []row    `json:"messages"`
	Seen    []uint32 `json:"seen"`
	Ahead   []uint32 `json:"ahead,omitempty"`
}

// prefix returns the key prefix of this account.
func (p *program) prefix() string { return "qqmcp/" + strconv.FormatInt(p.o.qq, 10) + "/" }

// openDB opens the database and restores its chats. Chats that are no longer allowed stay in the database unchanged.
func (p *program) openDB() error {
	if p.o.db == "" {
		return nil
	}
	db, err := sqlite.Open(p.o.db, sqlite.Options{})
	if err != nil {
		return check.StoreError("--db", p.o.db, err)
	}
	p.db = db
	rows, err := db.Load(context.Background(), p.prefix())
	if err != nil {
		return check.StoreError("--db", p.o.db, err)
	}
	for name, text := range rows {
		var k storedChat
		c, ok := parseChat(strings.TrimPrefix(name, p.prefix()))
		if err := json.Unmarshal(text, &k); err != nil || !ok {
			p.log.Warn("a chat in the database cannot be read", "chat", name, "err", err)
			continue
		}
		if p.o.allowed(c) {
			r := p.chats.open(c)
			r.restore(k)
			p.summarizeDue(r) // --buffer-size may be smaller than before
		}
	}
	return nil
}

// save saves changed chats periodically, and once more after ctx has ended.
func (p *program) save(ctx context.Context) {
	for loop.Sleep(ctx, saveInterval) == nil {
		p.saveDirty(ctx)
	}
	p.saveAtEnd()
}

// saveAtEnd saves with a short timeout of its own.
func (p *program) saveAtEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), lastSaveTimeout)
	defer cancel()
	p.saveDirty(ctx)
}

// saveDirty saves a few chats at a time, because their texts need memory.
func (p *program) saveDirty(ctx context.Context) {
	for rooms := range slices.Chunk(p.chats.list(), 8) {
		p.saveChats(ctx, rooms)
	}
}

func (p *program) saveChats(ctx context.Context, rooms []*chatState) {
	rows := map[string][]byte{}
	var dirty []*chatState
	for _, r := range rooms {
		k, changed := r.toStored()
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
			r.markDirty()
		}
	}
}

// toStored returns the chat to be saved and marks it as saved. It returns false if nothing changed.
func (r *chatState) toStored() (storedChat, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.dirty {
		return storedChat{}, false
	}
	r.dirty = false
	s := r.window.Snapshot()
	k := storedChat{Name: r.name, Summary: s.Summary, Dropped: s.Dropped, Rows: make([]row, len(s.Items)), Seen: r.seen.All(), Ahead: r.seen.AfterGap()}
	for i := range s.Items {
		k.Rows[i] = s.Items[i].row()
	}
	return k, true
}

// markDirty marks the chat as unsaved.
func (r *chatState) markDirty() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirty = true
}

// restore restores a chat. Later messages count as new.
func (r *chatState) restore(k storedChat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	items := make([]message, len(k.Rows))
	for i := range k.Rows {
		items[i] = k.Rows[i].message()
	}
	r.window.Restore(buffer.WindowState[message]{Items: items, Summary: k.Summary, Dropped: k.Dropped})
	r.name = k.Name
	for _, key := range k.Seen {
		r.seen.Add(key)
	}
	for _, key := range k.Ahead {
		r.seen.AddAfterGap(key)
	}
	for i := range items {
		r.seen.Add(items[i].key())
	}
	r.initialized = true
	r.seen.OpenGap()
}
