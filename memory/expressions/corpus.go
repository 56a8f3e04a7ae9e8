package expressions

const corpusBits = 18

// A Corpus holds how frequent forms are in several groups, without their texts. It has a fixed size of 2 MB, and may report a form as more
// frequent than it is. Make it for one round of learning and drop it. The zero Corpus is empty.
//
// It tells one group about others only that a form is not special. No text of a group comes out of it.
type Corpus struct {
	cells  [2][]float32 // sums of the share of messages with a form, by two hashes
	groups int
}

// Add adds the messages of one group, in order of time.
func (c *Corpus) Add(messages []Message) {
	if c.cells[0] == nil {
		c.cells = [2][]float32{make([]float32, 1<<corpusBits), make([]float32, 1<<corpusBits)}
	}
	n := newCounter(messages)
	n.each(func(int, []unit) { n.counted++ })
	if n.counted == 0 {
		return
	}
	c.groups++
	share := 1 / float32(n.counted)
	n.each(func(_ int, units []unit) {
		n.sequences(units, func(h uint64, _, _ int) {
			a, b := cellsOf(h)
			c.cells[0][a] += share
			c.cells[1][b] += share
		})
	})
}

// alone reports whether there is no other group.
func (c *Corpus) alone() bool { return c == nil || c.groups < 2 }

// elsewhere returns the mean share of messages with a form in the groups other than one that was added with this share.
func (c *Corpus) elsewhere(h uint64, own float64) float64 {
	if c.alone() {
		return 0
	}
	a, b := cellsOf(h)
	return max(0, float64(min(c.cells[0][a], c.cells[1][b]))-own) / float64(c.groups-1)
}

func cellsOf(h uint64) (a, b int) {
	return int(h >> (64 - corpusBits)), int(h >> (64 - 2*corpusBits) & (1<<corpusBits - 1))
}
