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
	maxTries    = 4 // addresses of one host to dial
	dialTimeout = 5 * time.Second
)

// dial looks up a host once and connects to an address that passed the check.
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

// lookUp returns the addresses of a host. If one of them is not public, the host is refused.
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
			addrs = append(addrs, a.Unmap()) // Go's resolver returns IPv4 addresses as mapped ones
		}
	}
	if len(addrs) == 0 {
		return nil, errors.New("fetch: look up: no address")
	}
	if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !IsPublic(a) }) {
		return nil, ErrAddress
	}
	return addrs, nil
}

func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// connect opens a socket. Its address is checked again before the system connects.
func connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: -1, Control: control}
	return d.DialContext(ctx, "tcp", to.String())
}

func control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !IsPublic(to.Addr()) {
		return ErrAddress
	}
	return nil
}
