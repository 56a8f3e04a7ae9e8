package mcp

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// A process is a server process with its stdin and stdout.
type process struct {
	io.Reader
	io.WriteCloser // closing it asks the process to exit
	cmd            *exec.Cmd
	stopTimeout    time.Duration
	once           sync.Once
}

// startProcess starts the command with s.Env as its complete environment.
func startProcess(s *Source, stop time.Duration) (*process, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Stderr = s.Dir, s.Stderr
	cmd.Env = append([]string{}, s.Env...) // not nil: nil would inherit ours
	cmd.WaitDelay = stop
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("mcp: start server %s: %w", s.Name, err)
	}
	return &process{Reader: out, WriteCloser: in, cmd: cmd, stopTimeout: stop}, nil
}

// end closes stdin and waits until the process has exited. It kills the process group after stopTimeout, or at once if
// kill is set.
func (c *process) end(kill bool) {
	c.once.Do(func() {
		c.WriteCloser.Close()
		if kill {
			killGroup(c.cmd)
		}
		late := time.AfterFunc(c.stopTimeout, func() { killGroup(c.cmd) })
		c.cmd.Wait() // closes stdout too
		if late.Stop() && !kill {
			killGroup(c.cmd) // remaining child processes
		}
	})
}
