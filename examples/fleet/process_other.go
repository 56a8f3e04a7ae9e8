//go:build !unix

package main

import "os"

func pauseProcess(*os.Process) error  { return errNoPause }
func resumeProcess(*os.Process) error { return errNoPause }
func stopProcess(p *os.Process) error { return p.Kill() }
