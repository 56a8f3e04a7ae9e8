package social

import (
	"context"
	"net"
	"net/netip"

	"github.com/hearth-bot/hearth/internal/fetch"
)

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
