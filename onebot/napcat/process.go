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

// drainFor is how long the output is still read once everything that is known to write it has ended.
const drainFor = 2 * time.Second

// markName is the environment variable by which the child's descendants are known.
const markName = "HEARTH_NAPCAT"

// A process is a child with its group and its output.
type process struct {
	cmd   *exec.Cmd
	group group
	ended chan struct{}
	exit  Exit // once ended is closed
	pipes [2]*os.File
	tasks sync.WaitGroup // who waits for the child, and who reads the pipes
}

// A group is the child with everything that it starts, as far as the system can hold them together. Each system has
// its own: it also ends them when this process dies.
type group interface {
	// start starts cmd as the group's first member.
	start(cmd *exec.Cmd) error
	// terminate asks all to end. It is false when nobody can be asked.
	terminate() bool
	// alone reports whether nothing is left but, maybe, the child itself; true also when that cannot be known.
	alone(child int) bool
	// kill ends all by force.
	kill()
	// close frees what the group holds. Nothing runs any more, or start failed.
	close()
}

// startProcess starts the command. onExit is called once when it ended.
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

// run starts the command and waits for its end on a thread of its own: the system may tie the child's life to the
// thread that started it, and the runtime ends idle threads as it likes.
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
		e.Signal = err.Error() // nobody knows how it ended
	}
	return e
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop ends what is left: the child, or only what it started when it ended by itself.
func (p *process) stop(grace time.Duration) Exit {
	if grace > 0 && !p.over() && p.group.terminate() {
		p.await(grace)
	}
	p.group.kill()
	<-p.ended
	p.group.close()
	p.drain()
	return p.exit
}

// over reports whether the child and everything that it started have ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return p.group.alone(p.pid())
	default:
		return false
	}
}

// await waits until all is over, at most for the grace.
func (p *process) await(grace time.Duration) {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	select {
	case <-p.ended:
	case <-deadline.C:
		return
	}
	look := time.NewTicker(20 * time.Millisecond) // nobody tells when a grandchild ends
	defer look.Stop()
	for !p.over() {
		select {
		case <-look.C:
		case <-deadline.C:
			return
		}
	}
}

// drain reads what is left of the output. Who got away and still holds the pipe is not waited for.
func (p *process) drain() {
	for _, pipe := range p.pipes {
		if pipe.SetReadDeadline(time.Now().Add(drainFor)) != nil { // not on Windows
			defer time.AfterFunc(drainFor, func() { pipe.Close() }).Stop()
		}
	}
	p.tasks.Wait()
	closeAll(p.pipes[:])
}
