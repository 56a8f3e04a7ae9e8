// Package browsertest drives a real Chromium in tests of pages.
package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A Browser is a running Chromium. It and its pages belong to the goroutine of the test.
type Browser struct {
	t    testing.TB
	wire *pipe
}

// Open starts a Chromium that ends with the test.
func Open(t testing.TB) *Browser {
	t.Helper()
	path := find()
	switch {
	case path != "":
	case os.Getenv("HEARTH_BROWSER") == "required":
		t.Fatal("browser: HEARTH_BROWSER says required, and there is no chromium in PATH")
	default:
		t.Skip("browser: no chromium in PATH; install it (Debian: apt-get install chromium) to run this test")
	}
	b, err := launch(t, path)
	if err != nil {
		t.Fatal("browser: ", err)
	}
	return b
}

// patience is how long the browser may take to answer.
const patience = 2 * time.Minute

func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func launch(t testing.TB, path string) (*Browser, error) {
	dir, err := os.MkdirTemp("", "hearth-browser-") // not t.TempDir, because the browser may still write during its shutdown
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + dir,
		"--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-extensions", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to run as root with a sandbox
	}
	ctx, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // file descriptors 3 and 4 for --remote-debugging-pipe
	if err := cmd.Start(); err != nil {
		kill()
		return nil, err
	}
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		in.Close() // the browser ends when its pipe is closed
		late := time.AfterFunc(10*time.Second, kill)
		cmd.Wait()
		late.Stop()
		kill()
		out.Close()
		os.RemoveAll(dir)
	})
	return &Browser{t, &pipe{in: in, pipe: out, out: bufio.NewReaderSize(out, 1<<20)}}, nil
}

// A pipe sends one command at a time and stores the events that arrive meanwhile.
type pipe struct {
	in     *os.File
	pipe   *os.File
	out    *bufio.Reader // of the pipe
	id     int
	events []event
}

type event struct {
	ID      int             `json:"id"` // of a response
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// call sends a command to a session, or to the browser if session is empty, and decodes the response into result.
func (w *pipe) call(session, method string, params, result any) error {
	w.id++
	b, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{w.id, session, method, params})
	if err != nil {
		return err
	}
	if _, err := w.in.Write(append(b, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		e, err := w.read()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case e.Method != "":
			w.events = append(w.events, e)
		case e.ID != w.id: // a late response
		case e.Error != nil:
			return fmt.Errorf("%s: %s", method, e.Error.Message)
		case result != nil:
			return json.Unmarshal(e.Result, result)
		default:
			return nil
		}
	}
}

// read returns the next message, which ends with a NUL.
func (w *pipe) read() (e event, err error) {
	if err := w.pipe.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return e, err
	}
	b, err := w.out.ReadBytes(0)
	if err != nil {
		return e, errors.Join(errors.New("the browser has gone, or is stuck"), err)
	}
	return e, json.Unmarshal(b[:len(b)-1], &e)
}

// wait returns the first past or future event of a session with this name.
func (w *pipe) wait(session, method string) (json.RawMessage, error) {
	for i := 0; ; i++ {
		for len(w.events) <= i {
			e, err := w.read()
			if err != nil {
				return nil, fmt.Errorf("waiting for %s: %w", method, err)
			}
			if e.Method != "" {
				w.events = append(w.events, e)
			}
		}
		if e := w.events[i]; e.Session == session && e.Method == method {
			w.events = append(w.events[:i], w.events[i+1:]...)
			return e.Params, nil
		}
	}
}
