package napcat

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// childAttr makes the kernel kill the direct child when its parent thread ends (see process.run), even without the
// guard.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// signalMarked signals the marked processes that left the group by setsid, such as crash handlers of browsers. It
// returns their ids.
func signalMarked(mark string, pgid int, sig syscall.Signal) []int {
	var found []int
	for _, pid := range pids() {
		st, ok := readStat(pid)
		if !ok || st.zombie || st.pgid == pgid || !hasMark(pid, mark) {
			continue
		}
		p, err := os.FindProcess(pid) // refers to this process even if its id is reused
		if err != nil {
			continue
		}
		if hasMark(pid, mark) && p.Signal(sig) == nil {
			found = append(found, pid)
		}
		p.Release()
	}
	return found
}

// runs is also true for an exiting process: its environment is gone first.
func runs(pid int) bool {
	st, ok := readStat(pid)
	return ok && !st.zombie
}

// anyLeft reports whether any process except the two given ones is in the group or has the mark.
func anyLeft(mark string, pgid, child, guard int) bool {
	for _, pid := range pids() {
		if pid == child || pid == guard {
			continue
		}
		if st, ok := readStat(pid); ok && !st.zombie && (st.pgid == pgid || hasMark(pid, mark)) {
			return true
		}
	}
	return false
}

// pids returns all visible process ids; none if /proc is not mounted.
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

// readStat reads the state and the process group, the third and fifth field. The second field is the name in
// parentheses, which may contain any character.
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

// hasMark reports whether a process was started with the mark in its environment. Processes of other users are not
// readable.
func hasMark(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(mark))
}
