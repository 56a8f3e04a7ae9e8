package flat

import "math"

// step is how many components the kernel takes at once. Rows are padded to a multiple of it with zeros.
const step = 32

// widest is the size that a query's components may have so that no product with a row of int8 leaves an int32.
func widest(dims int) int { return min(math.MaxInt16, math.MaxInt32/(128*dims)) }

// dotPlain sets dst to the products of the query with rows that lie one after another, each as long as the query.
// It is the kernel in Go; since all is integers, both give the same.
func dotPlain(dst []int32, rows []int8, q []int16) {
	for i := range dst {
		row, q := rows[i*len(q):][:len(q)], q
		var a, b, c, d int32
		for len(row) >= 8 && len(q) >= 8 {
			a += int32(row[0])*int32(q[0]) + int32(row[4])*int32(q[4])
			b += int32(row[1])*int32(q[1]) + int32(row[5])*int32(q[5])
			c += int32(row[2])*int32(q[2]) + int32(row[6])*int32(q[6])
			d += int32(row[3])*int32(q[3]) + int32(row[7])*int32(q[7])
			row, q = row[8:], q[8:]
		}
		dst[i] = a + b + c + d
	}
}
