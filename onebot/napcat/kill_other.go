//go:build !unix && !windows

package napcat

import (
	"log/slog"
	"os"
	"os/exec"
)

// A plainGroup is only the child: this system has no process groups.
type plainGroup struct{ child *os.Process }

func newGroup(_ string, log *slog.Logger) (group, error) {
	log.Warn("napcat: on this system the child survives if this process is killed")
	return &plainGroup{}, nil
}

func (g *plainGroup) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	g.child = cmd.Process
	return nil
}

func (g *plainGroup) terminate() bool { return g.child.Signal(os.Interrupt) == nil }
func (g *plainGroup) alone(int) bool  { return true }
func (g *plainGroup) kill()           { g.child.Kill() }
func (g *plainGroup) close()          {}

func signalName(*os.ProcessState) string { return "" }
