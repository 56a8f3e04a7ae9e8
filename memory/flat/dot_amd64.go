//go:build !purego

package flat

import "golang.org/x/sys/cpu"

// dot is dotPlain, by the kernel where the processor can. Built with the tag purego it never is.
func dot(dst []int32, rows []int8, q []int16) {
	if len(dst) == 0 || !cpu.X86.HasAVX2 {
		dotPlain(dst, rows, q)
		return
	}
	_ = rows[len(dst)*len(q)-1] // the kernel checks no bounds
	dotAVX2(&dst[0], &rows[0], &q[0], len(q), len(dst))
}

// dotAVX2 multiplies with n rows. Dims is a multiple of step, and neither is 0.
//
//go:noescape
func dotAVX2(dst *int32, rows *int8, q *int16, dims, n int)
