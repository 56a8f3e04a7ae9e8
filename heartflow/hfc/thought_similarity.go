package hfc

// A block is a common run of n characters, at a in one text and at b in the other.
type block struct{ a, b, n int }

// matches returns the common blocks of a and b, in order. It takes the longest block, the first one in a and then in
// b, and continues before and after it. This is the algorithm of Ratcliff and Obershelp.
func matches(a, b []rune) []block {
	at := make(map[rune][]int, len(b)) // positions of each character in b
	for j, r := range b {
		at[r] = append(at[r], j)
	}
	runs := make([]int, 2*(len(b)+1))
	var found []block
	var within func(a0, a1, b0, b1 int)
	within = func(a0, a1, b0, b1 int) {
		m := longest(a, at, runs, a0, a1, b0, b1)
		if m.n == 0 {
			return
		}
		within(a0, m.a, b0, m.b)
		found = append(found, m)
		within(m.a+m.n, a1, m.b+m.n, b1)
	}
	within(0, len(a), 0, len(b))
	return found
}

// longest returns the longest common block of a[a0:a1] and b[b0:b1]. runs is a buffer for two rows.
func longest(a []rune, at map[rune][]int, runs []int, a0, a1, b0, b1 int) block {
	best := block{a: a0, b: b0}
	row, above := runs[:len(runs)/2], runs[len(runs)/2:] // [j+1]: length of the run that ends at j
	clear(runs)
	for i := a0; i < a1; i++ {
		for _, j := range at[a[i]] {
			if j < b0 || j >= b1 {
				continue
			}
			n := above[j] + 1
			if row[j+1] = n; n > best.n {
				best = block{i - n + 1, j - n + 1, n}
			}
		}
		row, above = above, row
		clear(row[b0+1 : b1+1])
	}
	return best
}

// similarity returns 0 without common characters and 1 for equal texts.
func similarity(blocks []block, a, b int) float64 {
	n := 0
	for _, m := range blocks {
		n += m.n
	}
	return 2 * float64(n) / float64(a+b)
}
