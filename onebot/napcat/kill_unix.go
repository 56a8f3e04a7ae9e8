//go:build unix

package napcat

import (
	"bufio"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// guardScript is the guard: a shell that leads the child's process group and reads a pipe. Only this process holds
// the other end of the pipe. When this process dies, the system closes the pipe. Then the guard kills all processes
// with the mark (Linux: /proc; elsewhere the pattern matches nothing) and the group, including itself. Signals to the
// group must not end the guard. If the search for marks takes too long, the group is killed after 5 s.
//
// As the group's leader the guard also reserves the group id while the child has exited and its descendants have not.
const guardScript = `trap '' HUP INT QUIT TERM USR1 USR2 PIPE TSTP TTIN TTOU
echo
while read -r _; do :; done
{ sleep 5; kill -9 0; } &
for f in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do
	p=${f#/proc/}
	kill -9 "${p%/environ}" 2>/dev/null
done
kill -9 0`

const (
	guardWithin  = 10 * time.Second // time limit for the start of the guard
	killedWithin = 5 * time.Second  // time limit for killed processes to end
)

var errNoGuard = errors.New("guard did not start")

// A unixGroup is a process group led by a guard, or by the child if there is no shell.
type unixGroup struct {
	mark  string
	guard *exec.Cmd // nil: none
	hold  *os.File  // the pipe that the guard reads
	pgid  int       // 0: nothing started yet
}

func newGroup(mark string, log *slog.Logger) (group, error) {
	g := &unixGroup{mark: mark}
	if err := g.startGuard(); err != nil {
		log.Warn("napcat: no guard: if this process is killed, only the direct child ends, and only on Linux", "reason", err)
	}
	return g, nil
}

func (g *unixGroup) startGuard() error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	said, saying, err := os.Pipe()
	if err != nil {
		ours.Close()
		return err
	}
	defer said.Close()
	guard := exec.Command("/bin/sh", "-c", guardScript, "napcat-guard", g.mark)
	guard.Dir, guard.Env = "/", []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
	guard.Stdin, guard.Stdout = theirs, saying
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = guard.Start()
	saying.Close()
	if err != nil {
		ours.Close()
		return err
	}
	g.guard, g.hold, g.pgid = guard, ours, guard.Process.Pid
	said.SetReadDeadline(time.Now().Add(guardWithin))
	if _, err := bufio.NewReader(said).ReadByte(); err != nil { // the guard works only after this byte
		g.kill()
		g.close()
		return errNoGuard
	}
	return nil
}

func (g *unixGroup) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = childAttr()
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pgid = g.pgid // 0: a new group
	if err := cmd.Start(); err != nil {
		g.kill()
		return err
	}
	if g.pgid == 0 {
		g.pgid = cmd.Process.Pid
	}
	return nil
}

func (g *unixGroup) terminate() bool {
	g.signal(syscall.SIGTERM)
	return true
}

// kill also waits for a limited time until the killed processes have ended. The kernel may delay a process that waits
// for a disk. A second search finds processes that were being started.
func (g *unixGroup) kill() {
	killed := g.signal(syscall.SIGKILL)
	for began := time.Now(); time.Since(began) < killedWithin; time.Sleep(time.Millisecond) {
		if !anyLeft(g.mark, g.pgid, 0, 0) && !slices.ContainsFunc(killed, runs) {
			return
		}
		killed = append(killed, signalMarked(g.mark, g.pgid, syscall.SIGKILL)...)
	}
}

// signal signals all processes and returns those outside the group.
func (g *unixGroup) signal(sig syscall.Signal) []int {
	if g.pgid > 0 {
		syscall.Kill(-g.pgid, sig) // an error means that no process is left
	}
	return signalMarked(g.mark, g.pgid, sig)
}

func (g *unixGroup) alone(child int) bool {
	guard := 0
	if g.guard != nil {
		guard = g.guard.Process.Pid
	}
	return !anyLeft(g.mark, g.pgid, child, guard)
}

// close is called after kill, so the guard has ended, too. Waiting for it earlier would free the group id.
func (g *unixGroup) close() {
	if g.guard == nil {
		return
	}
	g.hold.Close()
	g.guard.Wait()
	g.guard, g.pgid = nil, 0
}

func signalName(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
