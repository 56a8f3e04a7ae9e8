// Package programs tests the example programs from the outside: the model requests, QQ calls and output of companion and
// groupbot, and the pages of companion and replay.
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

var binaries string // directory of the built programs

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

// builds builds each program once: with the race detector if the test uses it, else as package internal/archive does.
var builds = map[string]func() error{
	"companion": builder("companion"), "compose": builder("compose"), "quickstart": builder("quickstart"), "groupbot": builder("groupbot"), "qqmcp": builder("qqmcp"), "replay": builder("replay"),
}

func builder(program string) func() error {
	return sync.OnceValue(func() error {
		build := exec.Command("go", "build", "-o", filepath.Join(binaries, program))
		if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
			build.Args = append(build.Args, "-race")
		} else {
			build.Args = append(build.Args, "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=")
			build.Env = append(os.Environ(), "CGO_ENABLED=0")
		}
		build.Args = append(build.Args, "../../"+program)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// command returns a program that is not started yet. Its standard error goes to the test log.
func command(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	require.NoError(t, builds[program]())
	cmd := exec.Command(filepath.Join(binaries, program), args...)
	cmd.Env = append(os.Environ(), "LC_ALL=zh_CN.UTF-8")
	cmd.Stderr = t.Output()
	return cmd
}

// start starts a program. It is killed at the end of the test.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

// A screen collects the output of a running program.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// Printed returns the output so far.
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

// patience is the timeout of a wait, much longer than any machine needs.
const patience = 2 * time.Minute

// People and groups of the tests.
const (
	self        = 20001
	you         = 31000
	cheID       = 31001 // in the group bot's group
	mingID      = 31001 // in the companion's group
	man         = 31002
	wang        = 31003
	hearthGroup = 714285 // 炉边夜话
)
