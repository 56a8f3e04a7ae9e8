package napcat

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

var (
	kernel32                 = syscall.NewLazyDLL("kernel32.dll")
	createJobObject          = kernel32.NewProc("CreateJobObjectW")
	setInformationJobObject  = kernel32.NewProc("SetInformationJobObject")
	queryInformationJob      = kernel32.NewProc("QueryInformationJobObject")
	assignProcessToJobObject = kernel32.NewProc("AssignProcessToJobObject")
	terminateJobObject       = kernel32.NewProc("TerminateJobObject")
	generateConsoleCtrlEvent = kernel32.NewProc("GenerateConsoleCtrlEvent")
	thread32First            = kernel32.NewProc("Thread32First")
	thread32Next             = kernel32.NewProc("Thread32Next")
	openThread               = kernel32.NewProc("OpenThread")
	resumeThread             = kernel32.NewProc("ResumeThread")
)

const (
	createSuspended         = 0x4
	ctrlBreakEvent          = 1
	threadSuspendResume     = 0x2
	processSetQuota         = 0x100
	basicAccounting         = 1 // JobObjectBasicAccountingInformation
	extendedLimit           = 9 // JobObjectExtendedLimitInformation
	limitKillOnJobClose     = 0x2000
	exitCodeOfTheTerminated = 1
)

// JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type extendedLimitInformation struct {
	perProcessUserTime, perJobUserTime int64
	limitFlags                         uint32
	minWorkingSet, maxWorkingSet       uintptr
	activeProcessLimit                 uint32
	affinity                           uintptr
	priorityClass, schedulingClass     uint32
	_                                  [4 * (1 - unsafe.Sizeof(uintptr(0))/8)]byte // C aligns what follows to 8 bytes
	io                                 [6]uint64
	processMemory, jobMemory           uintptr
	peakProcessMemory, peakJobMemory   uintptr
}

// JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type basicAccountingInformation struct {
	times                                  [4]int64
	pageFaults, total, active, termination uint32
}

// THREADENTRY32.
type threadEntry struct {
	size, usage, threadID, processID uint32
	basePriority, deltaPriority      int32
	flags                            uint32
}

// A jobGroup is a job object. The system ends its processes when the last handle to it is closed, and this process
// holds the only one.
type jobGroup struct {
	job syscall.Handle
	pid int
}

func newGroup(string, *slog.Logger) (group, error) {
	h, _, err := createJobObject.Call(0, 0)
	if h == 0 {
		return nil, fmt.Errorf("create job object: %w", err)
	}
	g := &jobGroup{job: syscall.Handle(h)}
	info := extendedLimitInformation{limitFlags: limitKillOnJobClose}
	ok, _, err := setInformationJobObject.Call(h, extendedLimit, uintptr(unsafe.Pointer(&info)), unsafe.Sizeof(info))
	if ok == 0 {
		g.close()
		return nil, fmt.Errorf("set up job object: %w", err)
	}
	return g, nil
}

// start lets the child run only once it belongs to the job, so that nothing that it starts is outside.
func (g *jobGroup) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createSuspended}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.pid = cmd.Process.Pid
	err := g.assign(g.pid)
	if err == nil {
		err = resume(g.pid)
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
	return err
}

func (g *jobGroup) assign(pid int) error {
	process, err := syscall.OpenProcess(processSetQuota|syscall.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open the child: %w", err)
	}
	defer syscall.CloseHandle(process)
	ok, _, err := assignProcessToJobObject.Call(uintptr(g.job), uintptr(process))
	if ok == 0 {
		return fmt.Errorf("put the child into its job: %w", err)
	}
	return nil
}

// resume starts the first thread of a process that was created suspended.
func resume(pid int) error {
	snapshot, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer syscall.CloseHandle(snapshot)
	entry := threadEntry{}
	entry.size = uint32(unsafe.Sizeof(entry))
	more, _, _ := thread32First.Call(uintptr(snapshot), uintptr(unsafe.Pointer(&entry)))
	for more != 0 {
		if int(entry.processID) == pid {
			return resumeOne(entry.threadID)
		}
		more, _, _ = thread32Next.Call(uintptr(snapshot), uintptr(unsafe.Pointer(&entry)))
	}
	return errors.New("the child has no thread")
}

func resumeOne(threadID uint32) error {
	thread, _, err := openThread.Call(threadSuspendResume, 0, uintptr(threadID))
	if thread == 0 {
		return fmt.Errorf("open the child's thread: %w", err)
	}
	defer syscall.CloseHandle(syscall.Handle(thread))
	if n, _, err := resumeThread.Call(thread); uint32(n) == ^uint32(0) {
		return fmt.Errorf("resume the child: %w", err)
	}
	return nil
}

// terminate sends Ctrl+Break, which reaches the console programs of the child's group, and only when this process
// has a console.
func (g *jobGroup) terminate() bool {
	ok, _, _ := generateConsoleCtrlEvent.Call(ctrlBreakEvent, uintptr(g.pid))
	return ok != 0
}

func (g *jobGroup) alone(int) bool {
	if g.job == 0 {
		return true
	}
	var info basicAccountingInformation
	ok, _, _ := queryInformationJob.Call(uintptr(g.job), basicAccounting, uintptr(unsafe.Pointer(&info)), unsafe.Sizeof(info), 0)
	return ok == 0 || info.active == 0
}

func (g *jobGroup) kill() {
	if g.job != 0 {
		terminateJobObject.Call(uintptr(g.job), exitCodeOfTheTerminated)
	}
}

func (g *jobGroup) close() {
	if g.job != 0 {
		syscall.CloseHandle(g.job)
		g.job = 0
	}
}

func signalName(*os.ProcessState) string { return "" }
