package main

import (
	"io"
	"os"
	"os/exec"
	"time"
)

// A state is the state of a process.
type state string

const (
	running state = "running"
	frozen  state = "paused"
	leaving state = "leaving"
	gone    state = "gone"
)

// A process is one worker of the demonstration.
type process struct {
	id    string
	url   string // for reverse WebSockets; "" means none
	cmd   *exec.Cmd
	in    io.Closer     // the worker ends when it is closed, also by the end of this process
	done  chan struct{} // closed when it has ended
	state state         // guarded by fleet.mu
	err   error         // of its end; read it after done
}

// startProcess starts this program as a worker.
func startProcess(id string, args []string, environment []string, log io.Writer) (*process, error) {
	file, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{id: id, cmd: exec.Command(file, args...), done: make(chan struct{}), state: running}
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.WaitDelay = time.Second
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}
