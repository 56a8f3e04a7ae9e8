package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/nit/mcp"
)

// gather is how long news is gathered before clients are told: of a chat in which many talk at once, once.
const gather = 100 * time.Millisecond

// news are the chats in which somebody spoke since clients were told.
type news struct {
	mu     sync.Mutex
	chats  []chat
	signal chan struct{}
}

// notify says that somebody spoke.
func (p *program) notify(c chat) {
	n := &p.news
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.chats, c) {
		n.chats = append(n.chats, c)
		nudge(n.signal)
	}
}

func (n *news) take() (chats []chat) {
	n.mu.Lock()
	defer n.mu.Unlock()
	chats, n.chats = n.chats, nil
	return chats
}

// publish shows each chat as a resource, and tells those who follow one of news, until ctx ends. A client that does not read holds up
// nobody but this.
func (p *program) publish(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.rooms.listed:
			p.list()
		case <-p.news.signal:
			for _, c := range p.news.take() {
				if err := p.server.ResourceUpdated(ctx, c.uri()); err != nil {
					p.log.Debug("news were not told", "chat", c, "err", err)
				}
			}
		}
		_ = loop.Sleep(ctx, gather)
	}
}

// list shows the chats.
func (p *program) list() {
	var all []mcp.Resource
	for _, r := range p.rooms.list() {
		all = append(all, mcp.Resource{
			URI: r.chat.uri(), Name: cmp.Or(r.view().name, r.chat.String()), MIMEType: "application/json",
			Description: map[bool]string{false: "群聊最近的消息和更早的摘要", true: "私聊最近的消息和更早的摘要"}[r.chat.private],
			Read: func(context.Context) (string, error) {
				text, err := json.Marshal(p.context(r, 0))
				return string(text), err
			},
		})
	}
	if err := p.server.SetResources(all...); err != nil {
		p.log.Error("chats cannot be shown as resources", "err", err)
	}
}
