package expressions

const corpusCells = 1 << 15

// A Corpus holds how frequent forms are in several groups, without their texts. It has a fixed size of 256 KB, and may report a form as more
// frequent than it is. The zero Corpus is empty.
//
// It tells one group about others only that a form is not special. No text of a group comes out of it.
type Corpus struct {
	cells  [2][corpusCells]float32 // sums of the share of messages with a form, by two hashes
	groups int
}

// Add adds the messages of one group, in order of time.
func (c *Corpus) Add(messages []Message) {
	n := count(messages)
	if n.counted == 0 {
		return
	}
	c.groups++
	for h, f := range n.forms {
		share := float32(f.count) / float32(n.counted)
		a, b := cellsOf(h)
		c.cells[0][a] += share
		c.cells[1][b] += share
	}
}

// elsewhere returns the mean share of messages with a form in the groups other than one that was added with this share.
func (c *Corpus) elsewhere(h uint64, own float64) float64 {
	if c == nil || c.groups < 2 {
		return 0
	}
	a, b := cellsOf(h)
	return max(0, float64(min(c.cells[0][a], c.cells[1][b]))-own) / float64(c.groups-1)
}

func cellsOf(h uint64) (a, b int) {
	return int(h % corpusCells), int((h >> 32) % corpusCells)
}
