//go:build unix

package main

import (
	"flag"
	"os"
	"runtime/pprof"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var heapProfile = flag.String("heap", "", "prefix of the heap profiles of BenchmarkIdle")

// cpu returns the processor time of this process.
func cpu(tb testing.TB) time.Duration { return usage(tb, syscall.RUSAGE_SELF) }

// childrenCPU returns that of the processes that it has started and that have ended.
func childrenCPU(tb testing.TB) time.Duration { return usage(tb, syscall.RUSAGE_CHILDREN) }

func usage(tb testing.TB, who int) time.Duration {
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(who, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeHeap writes a heap profile and the stacks for BenchmarkIdle.
func writeHeap(tb testing.TB, name string) {
	if *heapProfile == "" {
		return
	}
	for _, kind := range []string{"heap", "goroutine"} {
		f, err := os.Create(*heapProfile + name + "." + kind)
		require.NoError(tb, err)
		require.NoError(tb, pprof.Lookup(kind).WriteTo(f, 0))
		require.NoError(tb, f.Close())
	}
}
