// Package programs tests what the programs of examples show to those who run them: what a companion and a group bot ask
// their models, call on QQ and print, and the pages that a companion serves and replay writes.
package programs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files under testdata")
	shots  = flag.String("shots", "", "`directory` for pictures of the pages under test")
)

var binaries string // the directory of the built programs

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "hearth-programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// builds are of each program, made once; with the race detector where the test has it.
var builds = map[string]func() error{"companion": builder("companion"), "groupbot": builder("groupbot"), "replay": builder("replay")}

func builder(program string) func() error {
	return sync.OnceValue(func() error {
		args := []string{"build", "-o", filepath.Join(binaries, program)}
		if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
			args = append(args, "-race")
		}
		out, err := exec.Command("go", append(args, "../../"+program)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// command is a program that has not been started yet; what it complains of goes to the test's log.
func command(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	require.NoError(t, builds[program]())
	cmd := exec.Command(filepath.Join(binaries, program), args...)
	cmd.Stderr = t.Output()
	return cmd
}

// start starts a program, which is killed if it runs when the test is over.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

// A screen is what a program prints, while it does.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// Printed is all that the program has printed.
func (s *screen) Printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func until(t testing.TB, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		require.Less(t, time.Since(began), patience)
	}
}

// patience is when a test gives up: much later than any machine needs.
const patience = 2 * time.Minute

// Who lives in the tests.
const (
	self   = 20001
	you    = 31000
	che    = 31001 // in the group bot's group, and
	ming   = 31001 // in the companion's
	man    = 31002
	wang   = 31003
	hearth = 714285 // the group by the fire
)
