package qqbotlink

import (
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

// Limits of the caches.
const (
	maxNames   = 10_000
	maxIndexes = 10_000
	nameBytes  = 256
)

// names holds the names that people use in each chat, from their messages and from mentions.
type names struct {
	mu    sync.Mutex
	known map[nameKey]string
}

type nameKey struct {
	chat   persona.Chat
	openid string
}

func newNames() *names { return &names{known: map[nameKey]string{}} }

func (n *names) add(chat persona.Chat, openid, name string) {
	if openid == "" || name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= maxNames {
		for k := range n.known { // evict any name: the person's next message adds it again
			delete(n.known, k)
			break
		}
	}
	n.known[nameKey{chat, openid}] = strings.Clone(clip.Bytes(name, nameBytes))
}

func (n *names) get(chat persona.Chat, openid string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[nameKey{chat, openid}]
}

// indexes joins the two ids of a message: the one to reply to, and the index by which it is quoted.
type indexes struct {
	mu      sync.Mutex
	ids     map[string]known  // by index
	indexes map[string]string // by id
	order   []known           // oldest first
}

type known struct {
	id, index string
	own       bool // the bot sent it
}

func newIndexes() *indexes { return &indexes{ids: map[string]known{}, indexes: map[string]string{}} }

func (x *indexes) add(k known) {
	if k.id == "" || k.index == "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids[k.index], x.indexes[k.id] = k, k.index
	x.order = append(x.order, k)
	if len(x.order) > maxIndexes {
		oldest := x.order[0]
		delete(x.ids, oldest.index)
		delete(x.indexes, oldest.id)
		x.order = x.order[1:]
	}
}

// message returns the message with an index.
func (x *indexes) message(index string) known {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ids[index]
}

// index returns the index of a message, or "".
func (x *indexes) index(id string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.indexes[id]
}
