package napcat_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/napcat"
)

func TestProcess_BecomesReady(t *testing.T) {
	r := run(t, options("serve", freePort(t)))
	state := r.until(t, napcat.State.Ready)
	assert.True(t, state.Running())
	assert.Zero(t, state.Restarts)
	assert.NotContains(t, r.log.String(), "secret-token-1")
	r.cancel()
	require.NoError(t, r.wait(t))
	state = r.State()
	assert.Equal(t, napcat.PhaseStopped, state.Phase)
	assert.False(t, state.Running())
	assert.Equal(t, "Run was cancelled", state.LastExit.Reason)
}

func TestProcess_RestartAfterCrash(t *testing.T) {
	port := freePort(t)
	r := run(t, options("serve", port))
	first := r.until(t, napcat.State.Ready)
	crash(t, port)
	again := r.until(t, func(s napcat.State) bool { return s.Ready() && s.PID != first.PID })
	assert.Equal(t, 1, again.Restarts)
	assert.Equal(t, 4, again.LastExit.Code)
	assert.Equal(t, first.PID, again.LastExit.PID)
	assert.Empty(t, again.LastExit.Reason)
}

// The next child starts after the default backoff, even with obstacles. (For the time see TestRun_RestartsAndGivesUp.)
func TestCrash_GrandchildIgnoresSIGTERM(t *testing.T) {
	port := freePort(t)
	opts := options("serve grandchild", port)
	opts.MinBackoff, opts.MaxBackoff, opts.GracePeriod = 0, 0, time.Second
	r := run(t, opts)
	first := r.until(t, napcat.State.Ready)
	crash(t, port)
	r.until(t, func(s napcat.State) bool { return s.Ready() && s.PID != first.PID })
	assert.NotContains(t, r.log.String(), "listen:", "the grandchild was gone before")
}

func TestProcess_CrashLoop(t *testing.T) {
	opts := options("crash", freePort(t))
	opts.MaxRestarts, opts.RestartWindow = 3, time.Hour
	r := run(t, opts)
	err := r.wait(t)
	var loop *napcat.CrashLoopError
	require.ErrorAs(t, err, &loop)
	assert.Equal(t, 3, loop.Restarts)
	assert.Equal(t, time.Hour, loop.Within)
	assert.Equal(t, 3, loop.Last.Code)
	assert.ErrorContains(t, err, "exit status 3")
	assert.Equal(t, 4, strings.Count(r.log.String(), "cannot find module"))
	assert.Equal(t, 3, r.State().Restarts)
}

func TestProcess_RestartAfterCleanExit(t *testing.T) {
	opts := options("quit", freePort(t))
	opts.MaxRestarts = 1
	var loop *napcat.CrashLoopError
	require.ErrorAs(t, run(t, opts).wait(t), &loop)
	assert.Zero(t, loop.Last.Code)
}

func TestProcess_HangsAtStart(t *testing.T) {
	opts := options("hang", freePort(t))
	opts.StartTimeout, opts.MaxRestarts = 200*time.Millisecond, 1
	var loop *napcat.CrashLoopError
	require.ErrorAs(t, run(t, opts).wait(t), &loop)
	assert.Contains(t, loop.Last.Reason, "not ready within 200ms")
}

func TestProcess_NoSuchProgram(t *testing.T) {
	opts := options("serve", freePort(t))
	opts.Command = "no-such-program-at-all"
	r := run(t, opts)
	require.ErrorContains(t, r.wait(t), "no-such-program-at-all")
	assert.False(t, r.State().Running())
}

func TestOutput_RateLimit(t *testing.T) {
	opts := options("flood serve", freePort(t))
	opts.MaxLinesPerSecond = 100
	began := time.Now()
	r := run(t, opts)
	r.until(t, napcat.State.Ready)
	r.cancel()
	require.NoError(t, r.wait(t))
	seconds := int(time.Since(began)/time.Second) + 1
	text := r.log.String()
	assert.Contains(t, text, "output exceeds the rate limit")
	assert.Contains(t, text, "flood is over", "the streams have a budget each")
	assert.LessOrEqual(t, strings.Count(text, "line=xxxx"), 100*seconds)
}

func TestOutput_InvalidBytes(t *testing.T) {
	opts := options("odd", freePort(t))
	opts.MaxRestarts, opts.MaxLineBytes = -1, 1000
	opts.MinBackoff = time.Minute
	opts.MaxBackoff = time.Minute
	r := run(t, opts)
	r.until(t, func(s napcat.State) bool { return s.Phase == napcat.PhaseBackoff })
	text := r.log.String()
	for _, want := range []string{"bytes=100001", "red\"", "the last words", "WebUi Token: ***, mine: ***"} {
		assert.Contains(t, text, want)
	}
	for _, not := range []string{"wow1234", "secret-token-1", `\x1b`, `\x00`} {
		assert.NotContains(t, text, not)
	}
}

func TestProcess_WrongToken(t *testing.T) {
	opts := options("serve", freePort(t))
	opts.Config.Token = "other"
	r := run(t, opts)
	state := r.until(t, func(s napcat.State) bool { return strings.Contains(s.PingError, "retcode 403") })
	assert.Equal(t, napcat.PhaseStarting, state.Phase)
	assert.Contains(t, r.log.String(), "level=WARN msg=\"napcat: ping failed\"")
}

func TestRun_LeavesNothingBehind(t *testing.T) {
	before, files := runtime.NumGoroutine(), openPipes()
	for range 3 {
		r := run(t, options("serve", freePort(t)))
		r.until(t, napcat.State.Ready)
		r.cancel()
		require.NoError(t, r.wait(t))
	}
	// the runtime briefly counts goroutines that have returned
	for began := time.Now(); runtime.NumGoroutine() > before && time.Since(began) < patience; {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	assert.LessOrEqual(t, openPipes(), files)
}

func TestRun_Again(t *testing.T) {
	r := run(t, options("serve", freePort(t)))
	r.until(t, napcat.State.Ready)
	require.ErrorContains(t, r.Run(context.Background()), "already running")
	r.cancel()
	require.NoError(t, r.wait(t))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- r.Run(ctx) }()
	r.until(t, napcat.State.Ready)
	cancel()
	require.NoError(t, <-done)
}

// openPipes returns the number of open pipes of this process; 0 if unknown.
func openPipes() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	n := 0
	for _, e := range entries {
		if target, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.HasPrefix(target, "pipe:") {
			n++
		}
	}
	return n
}
