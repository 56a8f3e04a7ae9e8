//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the process in its own process group. Wrappers such as npx do not forward signals, and Ctrl-C must
// reach us only.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
