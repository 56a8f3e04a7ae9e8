package social

import (
	"context"
	"errors"
	"net"
	"net/netip"

	"github.com/hearth-bot/hearth/internal/fetch"
)

// AttentionSnapshot returns the whole state of attention and of the budget.
func (b *Bot) AttentionSnapshot() (attention, budget []byte, err error) {
	if b.engine.Flow != nil {
		attention, err = b.engine.Flow.Snapshot()
	} else {
		attention, err = b.engine.Plain.Snapshot()
	}
	budget, failed := b.engine.Options.Attention.Budget.Snapshot()
	return attention, budget, errors.Join(err, failed)
}

// LoadedChats returns the number of chats in memory.
func (b *Bot) LoadedChats() int { return len(b.engine.Chats()) }

// WithCodes replaces the codes in notices about requests.
func (a Access) WithCodes(newCode func() string) Access {
	a.newCode = newCode
	return a
}

// Through makes pictures be fetched from a test's network. A nil connect keeps the default guard.
func (o Pictures) Through(
	resolve func(context.Context, string) ([]netip.Addr, error), connect func(context.Context, netip.AddrPort) (net.Conn, error), ports ...int,
) *Pictures {
	o.web = fetch.Options{Resolve: resolve, Connect: connect, Ports: ports}
	return &o
}
