package napcat_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/napcat"
)

func TestStop_ChildIgnoresSIGTERM(t *testing.T) {
	opts := options("deaf serve", freePort(t))
	opts.GracePeriod = 400 * time.Millisecond
	r := run(t, opts)
	pid := r.until(t, napcat.State.Ready).PID
	began := time.Now()
	r.cancel()
	require.NoError(t, r.wait(t))
	assert.GreaterOrEqual(t, time.Since(began), opts.GracePeriod)
	assert.True(t, gone(pid))
	assert.Equal(t, "killed", r.State().LastExit.Signal)
}

func TestStop_ChildExitsOnSIGTERM(t *testing.T) {
	for grace, signal := range map[time.Duration]string{time.Hour: "terminated", -1: "killed"} {
		opts := options("serve", freePort(t))
		opts.GracePeriod = grace // Run must not wait for it
		r := run(t, opts)
		r.until(t, napcat.State.Ready)
		r.cancel()
		require.NoError(t, r.wait(t))
		assert.Equal(t, signal, r.State().LastExit.Signal, "a negative grace is none")
	}
}

// untilBorn waits until the log shows the given number of grandchildren.
func untilBorn(t *testing.T, r *runner, n int) []int {
	t.Helper()
	require.Eventually(t, func() bool { return len(descendants(r.log.String())) == n }, patience, time.Millisecond)
	return descendants(r.log.String())
}

func TestStop_EndsGrandchildren(t *testing.T) {
	opts := options("grandchild stray serve", freePort(t))
	opts.GracePeriod = 300 * time.Millisecond
	r := run(t, opts)
	r.until(t, napcat.State.Ready)
	untilBorn(t, r, 2)
	r.cancel()
	require.NoError(t, r.wait(t))
	for _, pid := range descendants(r.log.String()) {
		assert.True(t, gone(pid), pid)
	}
}

func TestCrash_EndsGrandchildren(t *testing.T) {
	port := freePort(t)
	opts := options("grandchild stray serve", port)
	opts.GracePeriod = 300 * time.Millisecond
	opts.MinBackoff, opts.MaxBackoff = time.Hour, time.Hour
	r := run(t, opts)
	r.until(t, napcat.State.Ready)
	pids := untilBorn(t, r, 2)
	crash(t, port)
	r.until(t, func(s napcat.State) bool { return s.Phase == napcat.PhaseBackoff })
	for _, pid := range pids {
		assert.True(t, gone(pid), pid)
	}
}

func TestStop_ChildStoppedBySIGSTOP(t *testing.T) {
	opts := options("serve", freePort(t))
	opts.PingTimeout, opts.MaxPingFailures, opts.GracePeriod = time.Second, 2, 300*time.Millisecond
	r := run(t, opts)
	first := r.until(t, napcat.State.Ready)
	require.NoError(t, syscall.Kill(first.PID, syscall.SIGSTOP))
	again := r.until(t, func(s napcat.State) bool { return s.Ready() && s.PID != first.PID })
	assert.Contains(t, again.LastExit.Reason, "2 pings failed")
	assert.True(t, gone(first.PID))
}

// The direct child ends even if the guard was killed before.
func TestParentKilled_WithoutGuard(t *testing.T) {
	cmd, log := startHost(t)
	pids := waitForFamily(t, log)
	guard := guards(t, pids[0])[0]
	require.NoError(t, syscall.Kill(guard, syscall.SIGKILL))
	require.NoError(t, cmd.Process.Kill())
	assert.Eventually(t, func() bool { return gone(pids[0]) }, patience, time.Millisecond, "the direct child needs no guard")
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	cmd.Wait()
}

// A supervisor that is cancelled while the guard or the child starts leaves no process.
func TestStop_WhileStarting(t *testing.T) {
	for delay := range 12 {
		opts := options("deaf grandchild serve", freePort(t))
		opts.GracePeriod = 50 * time.Millisecond
		r := run(t, opts)
		time.Sleep(time.Duration(delay) * 4 * time.Millisecond)
		r.cancel()
		require.NoError(t, r.wait(t))
		for _, pid := range descendants(r.log.String()) {
			assert.True(t, gone(pid), pid)
		}
		if pid := r.State().LastExit.PID; pid != 0 {
			assert.True(t, gone(pid))
		}
	}
	assert.Empty(t, children(t), "not even a zombie")
}

// children returns the child processes of this process.
func children(t *testing.T) []string {
	files, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	var all []string
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}
