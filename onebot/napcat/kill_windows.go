package napcat

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const exitCodeOfTheTerminated = 1

// JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type basicAccountingInformation struct {
	times                                  [4]int64
	pageFaults, total, active, termination uint32
}

// A jobGroup is a job object. Windows ends its processes when its last handle is closed, and only this process holds
// a handle.
type jobGroup struct {
	job windows.Handle
	pid int
}

func newGroup(string, *slog.Logger) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create job object: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	var pin runtime.Pinner // a uintptr does not follow a moved value
	pin.Pin(&info)
	defer pin.Unpin()
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return nil, fmt.Errorf("set up job object: %w", err)
	}
	return &jobGroup{job: job}, nil
}

// start resumes the child only after it belongs to the job, so that all of its descendants do, too.
func (g *jobGroup) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.pid = cmd.Process.Pid
	var assigned error
	err := cmd.Process.WithHandle(func(child uintptr) {
		assigned = windows.AssignProcessToJobObject(g.job, windows.Handle(child))
	})
	if err = cmp.Or(err, assigned); err != nil {
		err = fmt.Errorf("assign the child to its job: %w", err)
	} else {
		err = resume(uint32(g.pid))
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
	return err
}

// resume resumes the first thread of a suspended process.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	err = windows.Thread32First(snapshot, &entry)
	for err == nil && entry.OwnerProcessID != pid {
		err = windows.Thread32Next(snapshot, &entry)
	}
	if err != nil {
		return fmt.Errorf("find the child's thread: %w", err)
	}
	thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
	if err != nil {
		return fmt.Errorf("open the child's thread: %w", err)
	}
	defer windows.CloseHandle(thread)
	if _, err := windows.ResumeThread(thread); err != nil {
		return fmt.Errorf("resume the child: %w", err)
	}
	return nil
}

// terminate sends Ctrl+Break. It reaches console programs in the child's group, if this process has a console.
func (g *jobGroup) terminate() bool {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.pid)) == nil
}

func (g *jobGroup) alone(int) bool {
	if g.job == 0 {
		return true
	}
	var info basicAccountingInformation
	var pin runtime.Pinner
	pin.Pin(&info)
	defer pin.Unpin()
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err != nil || info.active == 0
}

func (g *jobGroup) kill() {
	if g.job != 0 {
		windows.TerminateJobObject(g.job, exitCodeOfTheTerminated)
	}
}

func (g *jobGroup) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

func signalName(*os.ProcessState) string { return "" }
