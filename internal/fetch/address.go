package fetch

import (
	"net/netip"
	"slices"
)

// special lists addresses that are not public: the special-purpose registries of IANA, and addresses that clouds use
// for metadata.
var special = prefixes(
	"0.0.0.0/8",         // this network
	"10.0.0.0/8",        // private
	"100.64.0.0/10",     // carrier-grade NAT; Alibaba's metadata
	"127.0.0.0/8",       // loopback
	"168.63.129.16/32",  // Azure's host
	"169.254.0.0/16",    // link-local; metadata of most clouds
	"172.16.0.0/12",     // private
	"192.0.0.0/24",      // protocol assignments
	"192.0.2.0/24",      // documentation
	"192.31.196.0/24",   // AS112
	"192.52.193.0/24",   // AMT
	"192.88.99.0/24",    // 6to4 relays
	"192.168.0.0/16",    // private
	"192.175.48.0/24",   // AS112
	"198.18.0.0/15",     // benchmarks
	"198.51.100.0/24",   // documentation
	"203.0.113.0/24",    // documentation
	"224.0.0.0/4",       // multicast
	"240.0.0.0/4",       // reserved, and broadcast
	"2001::/23",         // protocol assignments: Teredo, ORCHID, benchmarks
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: an IPv4 address inside
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// global6 is all IPv6 space assigned so far. It excludes NAT64, mapped, unique local, link-local and multicast
// addresses.
var global6 = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) (all []netip.Prefix) {
	for _, s := range list {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

// IsPublic reports whether an address is on the public internet. Addresses with a zone are not public, nor are IPv4
// addresses inside IPv6: mapped, NAT64, 6to4, Teredo.
func IsPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" || a.Is6() && !global6.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}
