package buffer_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

var update = flag.Bool("update", false, "rewrite the traces under testdata")

// TestBuffer_GoldenTraces runs the scripts in testdata and compares the output below each step. A step is a time, a verb and its
// arguments. Batches that are due before that time are collected first.
func TestBuffer_GoldenTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			want := strings.ReplaceAll(string(text), "\r\n", "\n")
			got := play(t, want)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			assert.Equal(t, want, got)
		})
	}
}

type script struct {
	strings.Builder
	b    *buffer.Buffer[string, string]
	outs map[string]buffer.Batch[string, string]
}

func play(t *testing.T, text string) string {
	s := &script{b: buffer.New[string, string](buffer.Options{}), outs: map[string]buffer.Batch[string, string]{}}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    ") {
			continue // output of an earlier run
		}
		s.WriteString(line)
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			d, err := time.ParseDuration(f[0])
			require.NoError(t, err, line)
			s.until(t0.Add(d))
			s.step(t0.Add(d), f[1], f[2:])
		}
	}
	return s.String()
}

func (s *script) until(now time.Time) {
	for {
		next, ok := s.b.Next()
		if !ok || next.After(now) {
			return
		}
		for batch := range s.b.Due(next) {
			s.outs[batch.Key] = batch
			s.tell(next, batch)
		}
	}
}

func (s *script) tell(now time.Time, b buffer.Batch[string, string]) {
	fmt.Fprintf(s, "    %v %s %s: %s (%v to %v)\n", now.Sub(t0), b.Key, b.Reason, strings.Join(b.Items, " "), b.FirstAt.Sub(t0), b.LastAt.Sub(t0))
}

func (s *script) step(now time.Time, verb string, args []string) {
	switch verb {
	case "add":
		s.b.Add(now, args[0], args[1])
	case "urgent":
		s.b.AddUrgent(now, args[0], args[1])
	case "done":
		s.b.Done(now, args[0])
	case "requeue":
		s.b.Requeue(now, s.outs[args[0]])
	case "hold":
		d, _ := time.ParseDuration(args[1])
		s.b.Hold(now, args[0], d)
	case "drop":
		fmt.Fprintf(s, "    dropped %d\n", s.b.Drop(args[0], func(v string) bool { return v == args[1] }))
	case "drain":
		for batch := range s.b.Drain() {
			s.tell(now, batch)
		}
	}
	if next, ok := s.b.Next(); ok {
		fmt.Fprintf(s, "    next %v\n", next.Sub(t0))
	} else {
		s.WriteString("    next never\n")
	}
}
