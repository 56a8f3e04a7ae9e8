package flat

import "math"

// kernelStep is the number of components per step of the kernel. Rows are padded with zeros to a multiple of it.
const kernelStep = 32

// maxComponent limits the components of a quantized query, so that no product with a row overflows int32.
func maxComponent(dims int) int { return min(math.MaxInt16, math.MaxInt32/(128*dims)) }

// dotGo sets dst to the dot products of q with consecutive rows of the same length. It is the kernel in Go. All values
// are integers, so both give equal results.
func dotGo(dst []int32, rows []int8, q []int16) {
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
