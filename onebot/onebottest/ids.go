package onebottest

// ids generates message ids that look like hashes, as the implementations' ids do, so that no bot relies on their
// order. The ids are distinct, also modulo 2³².
type ids struct {
	kind IDRange
	seed uint32
	n    uint32
}

func newIDs(kind IDRange, seed uint64) ids {
	return ids{kind: kind, seed: uint32(seed^seed>>32)*0x9e3779b1 + 0x7f4a7c15}
}

// next scrambles a counter by bijective steps, so that no id repeats.
func (d *ids) next() int64 {
	for {
		d.n++
		id := d.scramble(d.n)
		if id == 0 {
			continue // implementations never use 0; clients take it for "none"
		}
		switch d.kind {
		case IDsInt32:
			return int64(int32(id))
		case IDsInt64:
			return int64(id*0x85ebca6b>>1)<<32 | int64(id)
		}
		return int64(id)
	}
}

func (d *ids) scramble(x uint32) uint32 {
	mask := uint32(1<<32 - 1)
	if d.kind == IDsHash31 {
		mask = 1<<31 - 1
	}
	x = (x + d.seed) & mask
	x = x * 0x2c1b3c6d & mask
	x ^= x >> 15
	x = x * 0x297a2d39 & mask
	x ^= x >> 13
	return x
}
