package redact

import (
	"net/netip"
	"slices"
	"strings"
)

// ipv4 matches four numbers with dots at i. With two leading numbers below ten, or with 0 at the end, it is more likely
// a version.
func (c *scanner) ipv4(i int) bool {
	if p := c.prev(i); (is(p, wordChar) || p == '.' || p == '-') && (!c.ends(i, "ip") || i > 2 && is(c.s[i-3], wordChar)) {
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
	if c.isVersion(i, a.As4(), small) {
		return false
	}
	return c.add(IPv4, i, at)
}

// isVersion reports whether four numbers at i are more likely a version than an address.
func (c *input) isVersion(i int, b [4]byte, small bool) bool {
	w := c.before(i, 28)
	ip := lastOf(w, hostWords)
	if v := lastOf(w, versionWords); v > ip || versionPrefix(w) {
		return true
	}
	return ip < 0 && (small || b[0] < 10 && b[1] < 10 || b[3] == 0 || containsFold(w, "升级", "升級", "更新"))
}

// versionPrefix reports whether a text ends with "v", "ver" or "build" as a word.
func versionPrefix(w string) bool {
	w = strings.ToLower(strings.TrimRight(w, " .:：=＝"))
	for _, v := range [...]string{"v", "ver", "build", "release"} {
		if strings.HasSuffix(w, v) && (len(w) == len(v) || !is(w[len(w)-len(v)-1], wordChar)) {
			return true
		}
	}
	return false
}

var (
	hostWords    = []string{"ip", "地址", "服务器", "伺服器", "主机", "主機", "ssh", "ping", "server", "host", "addr", "telnet", "connect", "网关", "網關"}
	versionWords = []string{"版本", "version", "版"}
)

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
	return a.IsGlobalUnicast() && !slices.Contains(resolvers6, a)
}

// resolvers6 are the well-known public name servers of IPv6.
var resolvers6 = func() (all []netip.Addr) {
	for _, s := range [...]string{"2001:4860:4860::8888", "2001:4860:4860::8844", "2001:4860:4860::64", "2001:4860:4860::6464", "2606:4700:4700::1111", "2606:4700:4700::1001", "2606:4700:4700::1112",
		"2606:4700:4700::1002", "2606:4700:4700::1113", "2606:4700:4700::1003", "2606:4700:4700::64", "2606:4700:4700::6400", "2620:fe::fe", "2620:fe::9", "2620:fe::10", "2620:fe::11", "2620:119:35::35", "2620:119:53::53", "2400:3200::1",
		"2400:3200:baba::1", "2402:4e00::", "2402:4e00:1::", "2400:da00::6666", "240c::6666", "240c::6644", "2001:dc7:1000::1", "2001:da8::666", "2001:da8:202:10::36", "2a10:50c0::ad1:ff", "2a10:50c0::ad2:ff",
		"2a11::", "2a11:2::", "2001:67c:2b0::4", "2001:67c:2b0::6"} {
		all = append(all, netip.MustParseAddr(s))
	}
	return all
}()

var sharedRange = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598

// resolvers are well-known public name servers.
var resolvers = [][4]byte{{8, 8, 8, 8}, {8, 8, 4, 4}, {1, 1, 1, 1}, {1, 0, 0, 1}, {9, 9, 9, 9}, {114, 114, 114, 114}, {114, 114, 115, 115},
	{223, 5, 5, 5}, {223, 6, 6, 6}, {119, 29, 29, 29}, {180, 76, 76, 76}, {1, 2, 4, 8}, {210, 2, 4, 8},
	{9, 9, 9, 10}, {9, 9, 9, 11}, {149, 112, 112, 112}, {119, 28, 28, 28}, {182, 254, 116, 116}, {182, 254, 118, 118}, {101, 226, 4, 6}, {218, 30, 118, 6}, {101, 6, 6, 6}, {1, 1, 1, 2}, {1, 0, 0, 2}, {1, 1, 1, 3}, {1, 0, 0, 3},
	{94, 140, 14, 14}, {94, 140, 15, 15}, {168, 95, 1, 1}, {168, 95, 192, 1}, {117, 50, 10, 10}, {117, 50, 11, 11}, {52, 80, 66, 66}, {4, 2, 2, 1}, {4, 2, 2, 2}, {114, 114, 114, 119}, {114, 114, 115, 119}, {208, 67, 222, 222}, {208, 67, 220, 220}}

// ipv6 looks for an address that starts at i.
func (c *scanner) ipv6(i int) bool {
	if is(c.prev(i), wordChar) || c.prev(i) == ':' && !c.afterLabel(i-1) || !is(c.s[i], hexDigit) {
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

// afterLabel reports whether a word that is no hexadecimal number ends at i, as in "IPv6:2001:db8::1".
func (c *input) afterLabel(i int) bool {
	b := c.back(i, alnumChar, 16)
	return b < i && count(c.s[b:i], hexDigit) < i-b && c.prev(b) != ':'
}

// mac matches six pairs of hexadecimal digits at i, or three groups of four, or twelve together. Digits alone are often times,
// dates and lists, so they need a pair above 59 and no order, or a keyword. So do other forms than with ':', '-' and '.'.
func (c *scanner) mac(i int) bool {
	size := c.run(i, hexDigit, 13) - i
	if size != 2 && size != 4 && size != 12 {
		return false
	}
	sep := c.next(i + size)
	if size < 12 && c.next(i+2*size+1) != sep || !c.macMayStart(i) {
		return false
	}
	needsKeyword := size == 12 || size == 4 && sep != '.' || sep == ' '
	if size < 12 && sep != ':' && sep != '-' && sep != '.' && sep != ' ' || size == 2 && sep == '.' {
		return false
	}
	letters, same, at := false, true, i
	large, sorted := false, true // for digits alone
	for n := range 12 / size {
		if n > 0 {
			if c.next(at) != sep {
				return false
			}
			if at++; size == 2 {
				sorted = sorted && c.s[at-3:at-1] <= c.after(at, 2)
			}
		}
		large = large || c.next(at) >= '6'
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
	if next := c.next(at); is(next, wordChar) || size < 12 && sep != ' ' && next == sep && is(c.next(at+1), hexDigit) || same {
		return false
	}
	near := 30
	if needsKeyword {
		near = 16
	}
	return ((letters || size == 2 && large && !sorted) && !needsKeyword || containsFold(c.before(i, near), "mac", "物理地址", "ether", "bssid", "蓝牙", "藍牙", "网卡", "網卡", "hwaddr", "wlan", "station", "device", "设备")) && c.add(MAC, i, at)
}

// macMayStart reports whether a MAC address may start at i: not within a word, and not after a pair of a longer run. "MAC" may
// be directly before it.
func (c *input) macMayStart(i int) bool {
	switch p := c.prev(i); {
	case is(p, wordChar):
		return c.ends(i, "mac") && (i == 3 || !is(c.s[i-4], wordChar))
	case p == ':' || p == '-':
		b := c.back(i-1, alnumChar, 9)
		return c.prev(i-1) != p && !(i-1-b == 2 && c.run(b, hexDigit, 2) == i-1) && (b == 0 || c.s[b-1] != p)
	}
	return true
}
