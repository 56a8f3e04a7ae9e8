//go:build unix && !linux

package napcat

import "syscall"

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// Without /proc, nobody who left the group is found.

func signalMarked(string, int, syscall.Signal) []int { return nil }

func runs(int) bool { return false }

func anyLeft(string, int, int, int) bool { return false }
