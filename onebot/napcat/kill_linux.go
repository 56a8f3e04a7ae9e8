package napcat

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// childAttr ends the direct child with the thread that starts it (see process.run), even should the guard be gone.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// signalMarked signals the processes that bear the mark and left the group: those that called setsid, as browsers'
// crash handlers do. It returns which they were.
func signalMarked(mark string, pgid int, sig syscall.Signal) []int {
	var found []int
	for _, pid := range pids() {
		st, ok := readStat(pid)
		if !ok || st.zombie || st.pgid == pgid || !bears(pid, mark) {
			continue
		}
		p, err := os.FindProcess(pid) // holds on to this very process, should its number be given to another
		if err != nil {
			continue
		}
		if bears(pid, mark) && p.Signal(sig) == nil {
			found = append(found, pid)
		}
		p.Release()
	}
	return found
}

// runs is also true of a process that is ending: its environment is gone before it is.
func runs(pid int) bool {
	st, ok := readStat(pid)
	return ok && !st.zombie
}

// anyLeft reports whether any process is in the group or bears the mark, besides the given two.
func anyLeft(mark string, pgid, child, guard int) bool {
	for _, pid := range pids() {
		if pid == child || pid == guard {
			continue
		}
		if st, ok := readStat(pid); ok && !st.zombie && (st.pgid == pgid || bears(pid, mark)) {
			return true
		}
	}
	return false
}

// pids are the processes that are seen, none where /proc is not mounted.
func pids() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

type procStat struct {
	pgid   int
	zombie bool
}

// readStat reads state and process group, the third and fifth field; the second is the name in parentheses, which
// may hold anything.
func readStat(pid int) (procStat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return procStat{}, false
	}
	pgid, err := strconv.Atoi(string(fields[2]))
	state := fields[0][0]
	return procStat{pgid: pgid, zombie: state == 'Z' || state == 'X'}, err == nil
}

// bears reports whether a process was started with the mark in its environment. That of others' processes cannot be
// read.
func bears(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(mark))
}
