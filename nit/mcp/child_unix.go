//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process and what it starts into a group of their own: a wrapper such as npx does not pass signals on, and
// an interrupt that is typed is for us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
