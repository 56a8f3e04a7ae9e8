//go:build !unix

package main

import (
	"errors"
	"os"
)

var errNoPause = errors.New("this system cannot pause processes")

func pauseProcess(*os.Process) error  { return errNoPause }
func resumeProcess(*os.Process) error { return errNoPause }
func stopProcess(p *os.Process) error { return p.Kill() }
