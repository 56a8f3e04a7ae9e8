//go:build !purego

package flat

import "golang.org/x/sys/cpu"

// dot is dotGo, in assembly if the processor has AVX2. The build tag purego excludes the assembly.
func dot(dst []int32, rows []int8, q []int16) {
	if len(dst) == 0 || !cpu.X86.HasAVX2 {
		dotGo(dst, rows, q)
		return
	}
	_ = rows[len(dst)*len(q)-1] // bounds check for the kernel
	dotAVX2(&dst[0], &rows[0], &q[0], len(q), len(dst))
}

// dotAVX2 multiplies q with n rows. dims is a multiple of kernelStep. dims and n are positive.
//
//go:noescape
func dotAVX2(dst *int32, rows *int8, q *int16, dims, n int)
