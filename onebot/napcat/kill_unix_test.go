//go:build unix

package napcat

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without a shell the child leads its group.
func TestGroup_WithoutGuard(t *testing.T) {
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

// The guard survives SIGTERM to its group and ends with SIGKILL.
func TestGuard_SurvivesSIGTERM(t *testing.T) {
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
