package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const maxURL = 2048

// check parses a URL and refuses it if no look-up is needed to decide. Its errors do not quote the URL.
func (f *Fetcher) check(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrURL, maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: invalid URL", ErrURL)
	}
	if err := f.checkParts(u); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func (f *Fetcher) checkParts(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("scheme is not http or https")
	case u.Opaque != "" || u.Host == "":
		return errors.New("no host")
	case u.User != nil:
		return errors.New("URL has a user")
	case strings.HasSuffix(u.Host, ":"):
		return errors.New("port is empty")
	}
	if s := u.Port(); s != "" {
		port, err := strconv.Atoi(s)
		if err != nil || strconv.Itoa(port) != s || !slices.Contains(f.o.Ports, port) {
			return errors.New("port is not allowed")
		}
	}
	return checkHost(u.Host, u.Hostname())
}

// checkHost checks a host: as written in the URL, and without brackets and port.
func checkHost(written, host string) error {
	bracketed := strings.HasPrefix(written, "[")
	if a, err := netip.ParseAddr(host); err == nil || bracketed {
		if err != nil || !IsPublic(a) || !bracketed && !a.Is4() {
			return ErrAddress
		}
		return nil
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.IndexFunc(l, notInName) >= 0 {
			return errors.New("invalid host name; names outside ASCII must be in punycode")
		}
	}
	// some resolvers take 127.1, 0x7f000001, 0177.0.0.1 or 2130706433 for an address
	last := strings.ToLower(labels[len(labels)-1])
	if len(host) > 253 || last[0] >= '0' && last[0] <= '9' {
		return errors.New("invalid host name")
	}
	return nil
}

func notInName(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
		return false
	}
	return true
}
