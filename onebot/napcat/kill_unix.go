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

// guardScript is the guard: a shell that leads the child's process group and reads a pipe whose other end only this
// process holds. When this process dies, however it does, the system closes that end: then the guard ends whoever
// bears the mark (Linux: /proc; elsewhere the pattern matches nothing), and the group, itself included. It must not
// be ended by the signals that the group gets. Should looking for marks take too long, the group ends after 5 s.
//
// Being the group's leader it also keeps the group's number from being given to others while the child is gone and
// its descendants are not.
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
	guardWithin  = 10 * time.Second // bounds the guard's own start
	killedWithin = 5 * time.Second  // bounds the wait for those that were killed
)

var errNoGuard = errors.New("the guard did not start")

// A unixGroup is a process group that a guard leads, or the child where there is no shell.
type unixGroup struct {
	mark  string
	guard *exec.Cmd // nil: none
	hold  *os.File  // the pipe that the guard reads
	pgid  int       // 0: nothing started yet
}

func newGroup(mark string, log *slog.Logger) (group, error) {
	g := &unixGroup{mark: mark}
	if err := g.startGuard(); err != nil {
		log.Warn("napcat: no guard: when this process is killed, only the direct child ends, and only on Linux", "reason", err)
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
	if _, err := bufio.NewReader(said).ReadByte(); err != nil { // not on guard before that
		g.kill()
		g.close()
		return errNoGuard
	}
	return nil
}

func (g *unixGroup) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = childAttr()
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pgid = g.pgid // 0: a group of its own
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

// kill also waits until the killed have ended, as far as they can be seen, but not for long: the kernel may hold on
// to one that waits for a disk. Who was being started meanwhile is found by looking again.
func (g *unixGroup) kill() {
	killed := g.signal(syscall.SIGKILL)
	for began := time.Now(); time.Since(began) < killedWithin; time.Sleep(time.Millisecond) {
		if !anyLeft(g.mark, g.pgid, 0, 0) && !slices.ContainsFunc(killed, runs) {
			return
		}
		killed = append(killed, signalMarked(g.mark, g.pgid, syscall.SIGKILL)...)
	}
}

// signal tells everybody, and returns those that it found outside of the group.
func (g *unixGroup) signal(sig syscall.Signal) []int {
	if g.pgid > 0 {
		syscall.Kill(-g.pgid, sig) // an error says that nobody is left
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

// close comes after kill, so the guard has ended, too. Until then it is not waited for, which keeps the group's
// number.
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
