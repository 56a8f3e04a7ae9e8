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

// check reads a URL and refuses what need not be looked up to be refused. Its errors quote nothing.
func (f *Fetcher) check(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrURL, maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be read", ErrURL)
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
		return errors.New("neither http nor https")
	case u.Opaque != "" || u.Host == "":
		return errors.New("no host")
	case u.User != nil:
		return errors.New("it names a user")
	case strings.HasSuffix(u.Host, ":"):
		return errors.New("an empty port")
	}
	if s := u.Port(); s != "" {
		port, err := strconv.Atoi(s)
		if err != nil || strconv.Itoa(port) != s || !slices.Contains(f.o.Ports, port) {
			return errors.New("a port that is not allowed")
		}
	}
	return checkHost(u.Host, u.Hostname())
}

// checkHost takes a host as it stands in the URL, and without brackets and port.
func checkHost(written, host string) error {
	bracketed := strings.HasPrefix(written, "[")
	if a, err := netip.ParseAddr(host); err == nil || bracketed {
		if err != nil || !Public(a) || !bracketed && !a.Is4() {
			return ErrAddress
		}
		return nil
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.IndexFunc(l, notInName) >= 0 {
			return errors.New("a host that is no name; outside of ASCII it is written in punycode")
		}
	}
	// 127.1, 0x7f000001, 0177.0.0.1, 2130706433: addresses to some who look them up
	last := strings.ToLower(labels[len(labels)-1])
	if len(host) > 253 || last[0] >= '0' && last[0] <= '9' {
		return errors.New("a host that is no name")
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
