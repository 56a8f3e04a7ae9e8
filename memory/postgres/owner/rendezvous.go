package owner

import "hash/fnv"

// Prefer returns the member that should have a being, by rendezvous hashing: each member has a score for the being, and the
// highest one wins. If one of N members comes or goes, only the beings of that member move, about 1/N of all. The order of the
// members does not matter. Without members it returns "".
func Prefer(being string, members []string) (best string) {
	var top uint64
	for _, m := range members {
		if s := score(being, m); best == "" || s > top || s == top && m > best {
			best, top = m, s
		}
	}
	return best
}

func score(being, member string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(member))
	h.Write([]byte{0})
	h.Write([]byte(being))
	x := h.Sum64() // its last bytes reach few bits; the rest is the finalizer of splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
