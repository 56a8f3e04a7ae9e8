package social

import (
	"context"
	"net"
	"net/netip"

	"github.com/hearth-bot/hearth/internal/fetch"
)

// Through gives pictures that are fetched from a network of the test's. A nil connect leaves the guard's own.
func (o Pictures) Through(
	resolve func(context.Context, string) ([]netip.Addr, error), connect func(context.Context, netip.AddrPort) (net.Conn, error), ports ...int,
) *Pictures {
	o.web = fetch.Options{Resolve: resolve, Connect: connect, Ports: ports}
	return &o
}
