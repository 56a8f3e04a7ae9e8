package mcp

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// A child is a server that runs as a process, and its standard input and output.
type child struct {
	io.Reader
	io.WriteCloser // closing it asks the process to end
	cmd            *exec.Cmd
	stop           time.Duration
	once           sync.Once
}

// startChild starts the command. Its environment is env and nothing else.
func startChild(s *Source, stop time.Duration) (*child, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Stderr = s.Dir, s.Stderr
	cmd.Env = append([]string{}, s.Env...) // not nil, which would pass on ours
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
		return nil, fmt.Errorf("mcp: start of the server %s: %w", s.Name, err)
	}
	return &child{Reader: out, WriteCloser: in, cmd: cmd, stop: stop}, nil
}

// end waits until the process has ended: its input was closed, and after stop, or at once, it is killed with all that it started.
func (c *child) end(kill bool) {
	c.once.Do(func() {
		c.WriteCloser.Close()
		if kill {
			killGroup(c.cmd)
		}
		late := time.AfterFunc(c.stop, func() { killGroup(c.cmd) })
		c.cmd.Wait() // closes the output, too
		if late.Stop() && !kill {
			killGroup(c.cmd) // whom it left behind
		}
	})
}
