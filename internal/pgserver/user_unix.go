//go:build unix

package pgserver

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// giveAway gives a directory to the user of the server.
func giveAway(dir string) error {
	uid, gid := owner()
	return os.Chown(dir, uid, gid)
}

// asUser lets a command run as the user of the server.
func asUser(cmd *exec.Cmd) {
	if uid, gid := owner(); uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}

// owner returns the current user, or the user "postgres" or "nobody" instead of root.
func owner() (uid, gid int) {
	if os.Getuid() != 0 {
		return os.Getuid(), os.Getgid()
	}
	for _, name := range [...]string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			return uid, gid
		}
	}
	return 0, 0
}
