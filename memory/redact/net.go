package redact

import (
	"net/netip"
	"slices"
	"strings"
)

// ipv4 matches four numbers with dots at i. With two leading numbers below ten, or with 0 at the end, it is more likely
// a version.
func (c *scanner) ipv4(i int) bool {
	if p := c.prev(i); is(p, wordChar) || p == '.' || p == '-' {
		return false
	}
	at, small := i, true
	for n := range 4 {
		k := c.run(at, digit, 4)
		if k == at || k-at > 3 {
			return false
		}
		small = small && k-at == 1
		if at = k; n < 3 {
			if c.next(at) != '.' {
				return false
			}
			at++
		}
	}
	next := c.next(at)
	if is(next, wordChar) || next == '.' && is(c.next(at+1), alnumChar) || next == '-' && is(c.next(at+1), letter) {
		return false
	}
	a, err := netip.ParseAddr(c.s[i:at])
	if err != nil || !c.reportable(a) {
		return false
	}
	w := c.before(i, 24)
	if b := a.As4(); !containsFold(w, "ip", "地址", "服务器", "ssh", "ping") && (small || b[0] < 10 && b[1] < 10 || b[3] == 0 || containsFold(w, "版本", "version", "ver", "升级", "更新", "版", "v ")) {
		return false
	}
	return c.add(IPv4, i, at)
}

// reportable reports whether an address identifies a host. Public addresses do, and with privateIPs those of private
// networks.
func (c *scanner) reportable(a netip.Addr) bool {
	switch {
	case a.IsUnspecified(), a.IsLoopback(), a.IsMulticast():
		return false
	case a.IsPrivate(), a.IsLinkLocalUnicast(), sharedRange.Contains(a):
		return c.privateIPs
	case a.Is4():
		b := a.As4()
		return b[0] != 0 && b[0] < 240 && !slices.Contains(resolvers, b)
	}
	return a.IsGlobalUnicast()
}

var sharedRange = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598

// resolvers are well-known public name servers.
var resolvers = [][4]byte{{8, 8, 8, 8}, {8, 8, 4, 4}, {1, 1, 1, 1}, {1, 0, 0, 1}, {9, 9, 9, 9}, {114, 114, 114, 114}, {114, 114, 115, 115},
	{223, 5, 5, 5}, {223, 6, 6, 6}, {119, 29, 29, 29}, {180, 76, 76, 76}, {208, 67, 222, 222}, {208, 67, 220, 220}}

// ipv6 looks for an address that starts at i.
func (c *scanner) ipv6(i int) bool {
	if is(c.prev(i), wordChar) || c.prev(i) == ':' || !is(c.s[i], hexDigit) {
		return false
	}
	at, colons := i, 0
	for at < len(c.s) && at-i < 46 && (is(c.s[at], hexDigit) || c.s[at] == ':') {
		if c.s[at] == ':' {
			colons++
		}
		at++
	}
	c.work += at - i
	if at > i && c.s[at-1] == ':' && !strings.HasSuffix(c.s[i:at], "::") {
		at-- // a colon after the address
	}
	if colons < 2 || is(c.next(at), wordChar) {
		return false
	}
	a, err := netip.ParseAddr(c.s[i:at])
	if err != nil || !c.reportable(a) || !c.privateIPs && a.As16()[0]>>5 != 1 { // 2000::/3
		return false
	}
	return c.add(IPv6, i, at)
}

// mac matches six pairs of hexadecimal digits, or three groups of four, at i. It needs a letter, because digits alone
// are often times and dates.
func (c *scanner) mac(i int) bool {
	if is(c.prev(i), wordChar) || c.prev(i) == ':' || c.prev(i) == '-' {
		return false
	}
	size := 2
	if c.next(i+4) == '.' {
		size = 4
	}
	sep := c.next(i + size)
	if sep != ':' && sep != '-' && size == 2 || i+17 > len(c.s) && size == 2 || i+14 > len(c.s) {
		return false
	}
	letters, same, at := false, true, i
	for n := range 12 / size {
		if n > 0 {
			if c.next(at) != sep {
				return false
			}
			at++
		}
		for range size {
			b := c.next(at)
			if !is(b, hexDigit) {
				return false
			}
			letters, same = letters || !is(b, digit), same && b == c.s[i]
			at++
		}
	}
	c.work += at - i
	if next := c.next(at); is(next, wordChar) || next == sep && is(c.next(at+1), hexDigit) || same {
		return false
	}
	return (letters || containsFold(c.before(i, 24), "mac", "物理地址", "ether")) && c.add(MAC, i, at)
}
