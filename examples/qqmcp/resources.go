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

// notifyDelay is the time in which several changes of a chat become one notification.
const notifyDelay = 100 * time.Millisecond

// changedChats are the chats with new messages since the last notification.
type changedChats struct {
	mu     sync.Mutex
	chats  []chat
	signal chan struct{}
}

// chatChanged notes a new message in a chat.
func (p *program) chatChanged(c chat) {
	n := &p.changed
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.chats, c) {
		n.chats = append(n.chats, c)
		wakeUp(n.signal)
	}
}

func (n *changedChats) take() (chats []chat) {
	n.mu.Lock()
	defer n.mu.Unlock()
	chats, n.chats = n.chats, nil
	return chats
}

// publishResources publishes each chat as a resource and notifies subscribers of changes until ctx ends. A client that does
// not read blocks nothing else.
func (p *program) publishResources(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.chats.listChanged:
			p.setResources()
		case <-p.changed.signal:
			for _, c := range p.changed.take() {
				if err := p.server.ResourceUpdated(ctx, c.uri()); err != nil {
					p.log.Debug("cannot notify clients of a change", "chat", c, "err", err)
				}
			}
		}
		_ = loop.Sleep(ctx, notifyDelay)
	}
}

// setResources publishes the chats.
func (p *program) setResources() {
	var all []mcp.Resource
	for _, r := range p.chats.list() {
		all = append(all, mcp.Resource{
			URI: r.chat.uri(), Name: cmp.Or(r.view().name, r.chat.String()), MIMEType: "application/json",
			Description: map[bool]string{false: "群聊最近的消息和更早的摘要", true: "私聊最近的消息和更早的摘要"}[r.chat.private],
			Read: func(context.Context) (string, error) {
				text, err := json.Marshal(p.readContext(r, 0))
				return string(text), err
			},
		})
	}
	if err := p.server.SetResources(all...); err != nil {
		p.log.Error("chats cannot be shown as resources", "err", err)
	}
}
