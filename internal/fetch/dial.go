package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"time"
)

const (
	maxTries    = 4 // addresses of one host that are dialled
	dialTimeout = 5 * time.Second
)

// dial looks a host up once and connects to an address that it has checked.
func (f *Fetcher) dial(ctx context.Context, address string) (net.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, err
	}
	addrs, err := f.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, a := range addrs[:min(len(addrs), maxTries)] {
		conn, err := f.connect(ctx, netip.AddrPortFrom(a, uint16(port)))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// lookUp gives the addresses of a host. One that is not public condemns the host: it is not there to be chosen from.
func (f *Fetcher) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{a}
	} else {
		found, err := f.o.Resolve(ctx, host)
		if err != nil {
			return nil, fmt.Errorf("fetch: look up: %w", err)
		}
		for _, a := range found {
			addrs = append(addrs, a.Unmap()) // how Go's resolver writes IPv4
		}
	}
	if len(addrs) == 0 {
		return nil, errors.New("fetch: look up: no address")
	}
	if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !Public(a) }) {
		return nil, ErrAddress
	}
	return addrs, nil
}

func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// connect opens a socket, whose address is checked when it is known to the system.
func connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: -1, Control: control}
	return d.DialContext(ctx, "tcp", to.String())
}

func control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !Public(to.Addr()) {
		return ErrAddress
	}
	return nil
}
