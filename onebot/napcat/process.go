package napcat

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// drainFor limits reading the output after its known writers have ended.
const drainFor = 2 * time.Second

// markName is the environment variable that marks the child's descendants.
const markName = "HEARTH_NAPCAT"

// A process is a child with its group and its output.
type process struct {
	cmd   *exec.Cmd
	group group
	ended chan struct{}
	exit  Exit // set before ended is closed
	pipes [2]*os.File
	tasks sync.WaitGroup // goroutines that wait for the child or read its output
}

// A group is the child with all of its descendants, as far as the system supports it. Each system has its own
// implementation. It also ends the processes when this process dies.
type group interface {
	// start starts cmd as the group's first member.
	start(cmd *exec.Cmd) error
	// terminate asks all processes to exit. It returns false if that is not possible.
	terminate() bool
	// alone reports whether only the child itself may be left; true also if unknown.
	alone(child int) bool
	// kill kills all processes.
	kill()
	// close frees the group's resources, after all processes have ended or start has failed.
	close()
}

// startProcess starts the command. It calls onExit once after the child has exited.
func startProcess(o *Options, onExit func()) (child, error) {
	cmd := exec.Command(o.Command, o.Args...)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	mark := markName + "=" + rand.Text()
	cmd.Env = append(cmd.Environ(), mark)

	p := &process{cmd: cmd, ended: make(chan struct{})}
	writers, err := p.openPipes()
	if err != nil {
		return nil, fmt.Errorf("napcat: start %s: %w", o.Command, err)
	}
	cmd.Stdout, cmd.Stderr = writers[0], writers[1]
	p.group, err = newGroup(mark, o.Logger)
	if err == nil {
		err = p.run(onExit)
		if err != nil {
			p.group.close()
		}
	}
	closeAll(writers[:])
	if err != nil {
		closeAll(p.pipes[:])
		return nil, fmt.Errorf("napcat: start %s: %w", o.Command, err)
	}
	redact := newRedactor(append([]string{o.Config.Token}, o.Secrets...))
	for i, stream := range []string{"stdout", "stderr"} {
		out := &output{log: o.Logger, level: o.OutputLevel, stream: stream, maxLine: o.MaxLineBytes, redact: redact,
			budget: budget{perSecond: o.MaxLinesPerSecond}}
		p.tasks.Go(func() { out.copy(p.pipes[i]) })
	}
	return p, nil
}

func (p *process) openPipes() (writers [2]*os.File, err error) {
	for i := range writers {
		if p.pipes[i], writers[i], err = os.Pipe(); err != nil {
			closeAll(p.pipes[:])
			closeAll(writers[:])
			return writers, err
		}
	}
	return writers, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// run starts the command and waits for it on a locked thread: the system may tie the child's life to the thread that
// started it, and the runtime ends idle threads.
func (p *process) run(onExit func()) error {
	started := make(chan error, 1)
	p.tasks.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.group.start(p.cmd)
		started <- err
		if err != nil {
			return
		}
		p.exit = exitOf(p.cmd, p.cmd.Wait())
		close(p.ended)
		onExit()
	})
	return <-started
}

func exitOf(cmd *exec.Cmd, err error) Exit {
	e := Exit{At: time.Now(), PID: cmd.Process.Pid, Code: -1}
	if state := cmd.ProcessState; state != nil {
		e.Code, e.Signal = state.ExitCode(), signalName(state)
	} else if err != nil {
		e.Signal = err.Error() // unknown kind of exit
	}
	return e
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop ends all remaining processes: the child, or only its descendants if it has exited.
func (p *process) stop(grace time.Duration) Exit {
	if grace > 0 && !p.hasEnded() && p.group.terminate() {
		p.await(grace)
	}
	p.group.kill()
	<-p.ended
	p.group.close()
	p.drain()
	return p.exit
}

// hasEnded reports whether the child and all of its descendants have ended.
func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return p.group.alone(p.pid())
	default:
		return false
	}
}

// await waits until all processes have ended, at most for the grace period.
func (p *process) await(grace time.Duration) {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	select {
	case <-p.ended:
	case <-deadline.C:
		return
	}
	look := time.NewTicker(20 * time.Millisecond) // there is no notification for the exit of a grandchild
	defer look.Stop()
	for !p.hasEnded() {
		select {
		case <-look.C:
		case <-deadline.C:
			return
		}
	}
}

// drain reads the rest of the output. It does not wait for an escaped process that still holds the pipe.
func (p *process) drain() {
	for _, pipe := range p.pipes {
		if pipe.SetReadDeadline(time.Now().Add(drainFor)) != nil { // not supported on Windows
			defer time.AfterFunc(drainFor, func() { pipe.Close() }).Stop()
		}
	}
	p.tasks.Wait()
	closeAll(p.pipes[:])
}
