//go:build unix || windows

package napcat_test

import (
	"bufio"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var spoken = regexp.MustCompile(`pid (\d+) is here`)

// descendants returns the grandchildren in a log.
func descendants(log string) []int {
	var all []int
	for _, m := range spoken.FindAllStringSubmatch(log, -1) {
		pid, _ := strconv.Atoi(m[1])
		all = append(all, pid)
	}
	return all
}

// TestParentKilled_EndsEverything kills the process with the supervisor by SIGKILL. Its child, the guard, a grandchild and a
// process that left the group all ignore SIGTERM and must end soon.
func TestParentKilled_EndsEverything(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		cmd, log := startHost(t)
		pids := waitForFamily(t, log)
		began := time.Now()
		require.NoError(t, cmd.Process.Kill())
		allGone := func() bool {
			for _, pid := range pids {
				if !gone(pid) {
					return false
				}
			}
			return true
		}
		assert.Eventually(t, allGone, patience, time.Millisecond)
		t.Logf("%d processes were gone after %v", len(pids), time.Since(began))
		cmd.Wait()
	}
}

func startHost(t *testing.T) (*exec.Cmd, *bufio.Scanner) {
	cmd := self("host", freePort(t))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// waitForFamily reads the host's log until its child is ready. It returns the child, the guard if there is one, and
// the grandchildren.
func waitForFamily(t *testing.T, log *bufio.Scanner) []int {
	started := regexp.MustCompile(`napcat: started.* pid=(\d+)`)
	var child int
	var rest []int
	ready := false
	for (!ready || len(rest) < family) && log.Scan() {
		line := log.Text()
		if m := started.FindStringSubmatch(line); m != nil {
			child, _ = strconv.Atoi(m[1])
		}
		rest = append(rest, descendants(line)...)
		ready = ready || strings.Contains(line, "napcat: ready")
	}
	require.True(t, ready && child != 0 && len(rest) == family, "host said too little")
	pids := append(append([]int{child}, guards(t, child)...), rest...)
	for _, pid := range pids {
		require.False(t, gone(pid), pid)
	}
	return pids
}
