package napcat_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/napcat"
)

// The test binary is also the child, and the parent that is killed: TestMain runs the role in its environment.
const (
	roleName = "NAPCAT_TEST_ROLE"
	portName = "NAPCAT_TEST_PORT"
)

// family is the number of grandchildren of the host's child. One of them leaves the group if it can be found there.
var family = map[bool]int{true: 2, false: 1}[runtime.GOOS == "linux" || runtime.GOOS == "windows"]

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleName)
	if !ok {
		os.Exit(m.Run())
	}
	for part := range strings.FieldsSeq(role) {
		play(part)
	}
	select {} // until a signal
}

func play(role string) {
	switch role {
	case "serve":
		serve()
	case "crash":
		fmt.Fprintln(os.Stderr, "cannot find module")
		os.Exit(3)
	case "quit":
		os.Exit(0)
	case "hang":
		time.Sleep(time.Hour)
	case "deaf":
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
	case "grandchild", "stray":
		grandchild(role == "stray")
	case "flood":
		line := []byte(strings.Repeat("x", 100) + "\n")
		for range 50_000 {
			os.Stdout.Write(line)
		}
		fmt.Fprintln(os.Stderr, "flood is over")
	case "odd":
		os.Stdout.WriteString(strings.Repeat("y", 100_000) + "\n")
		os.Stdout.Write([]byte("\x00\xff\xfe\x1b[31mred\x1b[0m\r\n"))
		os.Stdout.WriteString("WebUi Token: wow1234, mine: secret-token-1\n")
		os.Stdout.WriteString("the last words")
		os.Exit(0)
	case "host":
		host()
	}
}

// serve responds to get_login_info until it is told to exit or to crash.
func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv(portName))
	if err != nil {
		fmt.Println("listen:", err)
		os.Exit(9)
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/crash" {
			os.Exit(4)
		}
		if r.Header.Get("Authorization") != "Bearer secret-token-1" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"status":"ok","retcode":0,"data":{"user_id":10001,"nickname":"小炉"}}`)
	}))
}

// grandchild starts another process that ignores SIGTERM. A stray leaves the group.
func grandchild(stray bool) {
	cmd := self("deaf hang", "0")
	cmd.Stdout = os.Stdout
	if stray {
		leaveGroup(cmd)
	}
	if err := cmd.Start(); err != nil {
		fmt.Println("grandchild:", err)
		os.Exit(9)
	}
	fmt.Printf("pid %d is here\n", cmd.Process.Pid)
}

// host runs a supervisor and prints its log.
func host() {
	role := "deaf grandchild serve"
	if family == 2 {
		role = "deaf grandchild stray serve"
	}
	opts := options(role, os.Getenv(portName))
	opts.Logger = slog.New(slog.NewTextHandler(os.Stdout, nil))
	s, err := napcat.NewSupervisor(opts)
	if err != nil {
		panic(err)
	}
	if err := s.Run(context.Background()); err != nil {
		panic(err)
	}
}

// self returns the command of this binary in a role.
func self(role, port string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleName+"="+role, portName+"="+port)
	return cmd
}

// options returns options to run this binary in a role.
func options(role, port string) napcat.Options {
	cmd := self(role, port)
	n, _ := strconv.Atoi(port)
	return napcat.Options{
		Command: cmd.Path, Env: cmd.Env,
		Config:       napcat.Config{HTTPPort: n, Token: "secret-token-1", Account: 10001},
		PollInterval: 20 * time.Millisecond, HealthInterval: 50 * time.Millisecond,
		MinBackoff: 10 * time.Millisecond, MaxBackoff: 50 * time.Millisecond,
	}
}

// crash makes the child on port crash.
func crash(t *testing.T, port string) {
	t.Helper()
	_, err := http.Post("http://127.0.0.1:"+port+"/crash", "", nil)
	require.Error(t, err, "it crashes instead of answering")
}

// freePort returns a port for a child. It is below the range of automatically assigned ports, so no other process
// gets it.
func freePort(t *testing.T) string {
	for range 1000 {
		port := strconv.Itoa(20_000 + rand.IntN(10_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// A journal is a log for a test to read.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// A runner is a supervisor that runs during a test.
type runner struct {
	*napcat.Supervisor
	log    *journal
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

func run(t *testing.T, opts napcat.Options) *runner {
	t.Helper()
	r := &runner{log: &journal{}, done: make(chan struct{})}
	opts.Logger = r.log.logger()
	s, err := napcat.NewSupervisor(opts)
	require.NoError(t, err)
	r.Supervisor = s
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.done)
		r.err = s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.done
		if t.Failed() {
			t.Log(r.log)
		}
	})
	return r
}

// patience is the time limit of a test, far above the time that any machine needs.
const patience = time.Minute

// until waits for a state.
func (r *runner) until(t *testing.T, ok func(napcat.State) bool) napcat.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	state, err := r.Wait(ctx, ok)
	require.NoError(t, err, "%+v", state)
	return state
}

// wait waits for the end of Run.
func (r *runner) wait(t *testing.T) error {
	t.Helper()
	select {
	case <-r.done:
		return r.err
	case <-time.After(patience):
		require.Fail(t, "Run did not return", r.log.String())
		return nil
	}
}
