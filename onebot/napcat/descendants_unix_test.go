//go:build unix

package napcat_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// gone reports whether a process has ended; a zombie has ended, too.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// guards returns the leader of a child's process group.
func guards(t *testing.T, pid int) []int {
	pgid, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	require.NotEqual(t, pid, pgid)
	return []int{pgid}
}
