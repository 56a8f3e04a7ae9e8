package flat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDot_AssemblyEqualsGo compares the kernel with its Go version and with the true sum. Without AVX2 it compares the
// Go version with the sum. Inputs that overflow must agree in the low 32 bits.
func TestDot_AssemblyEqualsGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, fill := range map[string]func(rows []int8, q []int16, widest int){
		"random": func(rows []int8, q []int16, widest int) {
			for i := range rows {
				rows[i] = int8(rng.IntN(255) - 127)
			}
			for i := range q {
				q[i] = int16(rng.IntN(2*widest+1) - widest)
			}
		},
		"most":  func(rows []int8, q []int16, widest int) { set(rows, 127); set(q, int16(widest)) },
		"least": func(rows []int8, q []int16, widest int) { set(rows, -127); set(q, int16(widest)) },
		"minus": func(rows []int8, q []int16, widest int) { set(rows, -127); set(q, int16(-widest)) },
		"alternating": func(rows []int8, q []int16, widest int) {
			for i := range rows {
				rows[i] = int8(127 - 254*(i%2))
			}
			for i := range q {
				q[i] = int16(widest - 2*widest*(i%2))
			}
		},
		"one": func(rows []int8, q []int16, widest int) { clear(rows); rows[len(rows)-1] = -127; set(q, int16(widest)) },
		"bytes": func(rows []int8, q []int16, _ int) { // arbitrary bytes, so the sum may overflow
			for i := range rows {
				rows[i] = int8(rng.Uint32())
			}
			for i := range q {
				q[i] = int16(rng.Uint32())
			}
		},
		"overflow": func(rows []int8, q []int16, _ int) { set(rows, math.MinInt8); set(q, math.MinInt16) },
	} {
		for _, width := range []int{kernelStep, 2 * kernelStep, 3 * kernelStep, 384, 1024, MaxDimensions} {
			for _, n := range []int{1, 3, 4, 7, 64} {
				n := min(n, 1<<20/width) // at most a megabyte
				rows, q := make([]int8, n*width), make([]int16, width)
				fill(rows, q, maxComponent(width))
				fast, plain := make([]int32, n+1), make([]int32, n+1)
				fast[n], plain[n] = 4711, 4711
				dot(fast[:n], rows, q)
				dotGo(plain[:n], rows, q)
				label := fmt.Sprintf("%s: %d rows of %d", name, n, width)
				assert.Equal(t, plain, fast, label)
				for i, got := range plain[:n] {
					var sum int64
					for j, x := range q {
						sum += int64(x) * int64(rows[i*width+j])
					}
					if name != "bytes" && name != "overflow" {
						assert.Equal(t, sum, int64(got), label)
					}
					assert.Equal(t, int32(sum), got, label)
				}
			}
		}
	}
	dot(nil, nil, make([]int16, kernelStep)) // no rows are valid
}

func set[T any](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}

func FuzzKernel(f *testing.F) {
	f.Add([]byte{127, 255, 127, 129, 255, 127, 1, 128})
	f.Add(make([]byte, 300))
	f.Fuzz(func(t *testing.T, data []byte) {
		q := make([]int16, (1+len(data)%5)*kernelStep)
		rows := make([]int8, (1+len(data)%7)*len(q))
		for i := range q {
			if len(data) > 0 {
				q[i] = int16(data[2*i%len(data)])<<8 | int16(data[(2*i+1)%len(data)])
			}
		}
		for i := range rows {
			if len(data) > 0 {
				rows[i] = int8(data[(i+i/len(q))%len(data)])
			}
		}
		fast, plain := make([]int32, len(rows)/len(q)), make([]int32, len(rows)/len(q))
		dot(fast, rows, q)
		dotGo(plain, rows, q)
		assert.Equal(t, plain, fast)
	})
}

// BenchmarkDot runs the kernel and its Go version on rows in the cache.
func BenchmarkDot(b *testing.B) {
	rows, q, dst := make([]int8, 64*384), make([]int16, 384), make([]int32, 64)
	for _, c := range []struct {
		name string
		dot  func([]int32, []int8, []int16)
	}{{"kernel", dot}, {"plain", dotGo}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(rows)))
			for b.Loop() {
				c.dot(dst, rows, q)
			}
		})
	}
}
