//go:build unix

package napcat

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where there is no shell, the child leads its group.
func TestGroupWithoutGuard(t *testing.T) {
	g := &unixGroup{mark: "HEARTH_NAPCAT=nobody"}
	cmd := exec.Command("sleep", "60")
	require.NoError(t, g.start(cmd))
	assert.Equal(t, cmd.Process.Pid, g.pgid)
	g.terminate()
	assert.Equal(t, "terminated", exitOf(cmd, cmd.Wait()).Signal)
	assert.True(t, g.alone(cmd.Process.Pid))
	g.kill()
	g.close()
}

// The guard outlives what the group is asked, and does not outlive what it is told.
func TestGuard(t *testing.T) {
	g := &unixGroup{mark: "HEARTH_NAPCAT=nobody"}
	require.NoError(t, g.startGuard())
	guard := g.guard
	g.terminate()
	assert.True(t, g.alone(0))
	cmd := exec.Command("sleep", "60")
	require.NoError(t, g.start(cmd), "the group still has its leader")
	g.hold.Close() // as when this process dies
	assert.Equal(t, "killed", exitOf(cmd, cmd.Wait()).Signal)
	guard.Wait()
	assert.Equal(t, "killed", signalName(guard.ProcessState))
}
