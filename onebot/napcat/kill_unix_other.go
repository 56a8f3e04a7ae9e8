//go:build unix && !linux

package napcat

import "syscall"

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// Without /proc, processes that left the group cannot be found.

func signalMarked(string, int, syscall.Signal) []int { return nil }

func runs(int) bool { return false }

func anyLeft(string, int, int, int) bool { return false }
