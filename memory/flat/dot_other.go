//go:build !amd64 || purego

package flat

func dot(dst []int32, rows []int8, q []int16) { dotGo(dst, rows, q) }
