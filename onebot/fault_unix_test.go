//go:build linux || darwin || freebsd

package onebot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPeerProcess is not a test but the implementation that the tests below run as a child process.
func TestPeerProcess(t *testing.T) {
	if os.Getenv("ONEBOT_TEST_PEER") == "" {
		t.Skip("only as a child")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	fmt.Println("peer at", l.Addr())
	var dials atomic.Int64
	http.Serve(l, accepting(t, &dials, func(p *peer, r *http.Request) {
		switch r.URL.Path {
		case "/beats":
			go func() {
				for p.heartbeat(10000, 100) == nil {
					time.Sleep(100 * time.Millisecond)
				}
			}()
		default:
			p.lifecycle(10000)
		}
		p.serve(`{"user_id":10000,"message_id":7}`)
	}))
}

// peerProcess starts an implementation as a child process.
func peerProcess(t *testing.T) (url string, child *os.Process) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeerProcess$")
	cmd.Env = append(os.Environ(), "ONEBOT_TEST_PEER=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGCONT)
		cmd.Process.Kill()
		cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if addr, ok := strings.CutPrefix(lines.Text(), "peer at "); ok {
			return "ws://" + addr, cmd.Process
		}
	}
	t.Fatal("the child says nothing")
	return "", nil
}

// stop stops the process and waits until it has stopped.
func stop(t *testing.T, child *os.Process) {
	require.NoError(t, child.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(child.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
}

// A stopped process keeps its sockets, and its system acknowledges all writes: only the watchdog detects it. Pending
// calls end with the link, and sends among them are unclear. After the process continues, everything works again.
func TestClient_PeerStopped(t *testing.T) {
	for _, path := range []string{"/beats", "/silent", "split"} {
		t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			t.Parallel()
			url, child := peerProcess(t)
			o := Options{MinIdleTimeout: 500 * time.Millisecond, MinBackoff: 10 * time.Millisecond, MaxBackoff: 50 * time.Millisecond}
			c := must(NewSplitClient(url+"/api", url+"/beats", o))
			if path != "split" {
				c = must(NewClient(url+path, o))
			}
			start(t, c.Run, nil)
			well := func() bool {
				info, err := c.Bot().GetLoginInfo(t.Context())
				return err == nil && info.UserID == 10000 && c.Bot().SelfID() == 10000
			}
			eventually(t, well)
			var before uint64
			// On a busy machine a link may be closed as idle: the send fails and is repeated.
			for tries, unclear := 0, false; !unclear; tries++ {
				require.Less(t, tries, 20)
				stop(t, child)
				before = c.Stats().Links
				_, err := c.Bot().SendGroupMsg(t.Context(), 1, Message{Text("x")})
				require.NoError(t, child.Signal(syscall.SIGCONT))
				require.ErrorIs(t, err, ErrDisconnected)
				unclear = errors.Is(err, ErrUnclear)
				eventually(t, well)
			}
			assert.Greater(t, c.Stats().Links, before)
			whole(t, c.Stats())
		})
	}
}

// The process is killed during a call: its system closes the socket, and nothing else ends the call.
func TestClient_PeerProcessKilled(t *testing.T) {
	url, child := peerProcess(t)
	c := must(NewClient(url+"/beats", Options{MinBackoff: time.Hour, MaxBackoff: time.Hour, MinIdleTimeout: -1, CallTimeout: -1}))
	start(t, c.Run, nil)
	up(t, c)
	stop(t, child) // so that the call waits
	failed := make(chan error, 1)
	go func() { _, err := c.Bot().SendGroupMsg(context.Background(), 1, Message{Text("x")}); failed <- err }()
	l := c.acc.api.Load()
	eventually(t, func() bool { // until the link is up again
		l.calls.mu.Lock()
		defer l.calls.mu.Unlock()
		for _, x := range l.calls.pending {
			return x.state.Load() == written
		}
		return false
	})
	require.NoError(t, child.Kill())
	err := <-failed
	assert.ErrorIs(t, err, ErrDisconnected)
	assert.ErrorIs(t, err, ErrUnclear)
}
