package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/jackc/pgx/v5"
)

// Role is the role for bots. It is no superuser and owns the database of the same name.
const Role = "hearth"

// A Server is a running server. Start one with [Start], and stop it with [Server.Close].
type Server struct {
	Dir  string // data directory
	Port int

	Settings []string // name=value, from the next [Server.Launch] on
	bin      string   // directory of the programs
	cmd      *exec.Cmd
	in       io.Closer // the server ends when it is closed, also by the end of this process
}

// ErrMissing means that the machine has no PostgreSQL.
var ErrMissing = errors.New("no PostgreSQL is installed")

// Start starts an empty server.
func Start() (s *Server, err error) {
	bin, err := findPrograms()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgserver")
	if err != nil {
		return nil, err
	}
	s = &Server{Dir: filepath.Join(dir, "data"), bin: bin}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if err := giveAway(dir); err != nil {
		return s, err
	}
	initdb := s.command("initdb", "-D", s.Dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if out, err := initdb.CombinedOutput(); err != nil {
		return s, fmt.Errorf("initdb: %w: %s", err, out)
	}
	ports, err := freeport.Find(1) // no other program gets it while the server is down
	if err != nil {
		return s, err
	}
	s.Port = ports[0]
	if err := s.Launch(); err != nil {
		return s, err
	}
	return s, s.Exec("postgres", "CREATE ROLE "+Role+" LOGIN", "CREATE DATABASE "+Role+" OWNER "+Role)
}

// findPrograms looks in PATH and where Debian has them; the newest version first.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", ErrMissing
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
}

// Launch starts the server process on the data directory and waits until it answers.
func (s *Server) Launch() error {
	for deadline := time.Now().Add(time.Minute); ; {
		err := s.launch(deadline)
		if !errors.Is(err, errInUse) {
			return err
		}
		if err := s.Stop(); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// errInUse means that processes of a killed server have not ended yet, so that no new one can start.
var errInUse = errors.New("the data directory is still in use")

// launch starts the server once.
func (s *Server) launch(deadline time.Time) error {
	// The shell stops the server when its input ends. A process that is killed thus leaves no server behind.
	const script = `"$@" </dev/null & p=$!; cat >/dev/null; kill -INT $p 2>/dev/null; wait $p`
	s.cmd = s.command("sh", "-c", script, "sh", filepath.Join(s.bin, "postgres"), "-D", s.Dir, "-p", strconv.Itoa(s.Port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=120", "-c", "log_min_messages=fatal")
	for _, setting := range s.Settings {
		s.cmd.Args = append(s.cmd.Args, "-c", setting)
	}
	log, err := os.OpenFile(filepath.Join(filepath.Dir(s.Dir), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for ; ; time.Sleep(20 * time.Millisecond) {
		err := s.Exec("postgres", "SELECT 1")
		if err == nil {
			return nil
		}
		text, _ := os.ReadFile(log.Name())
		switch {
		case time.Now().After(deadline):
			return fmt.Errorf("the server does not answer: %w: %s", err, text)
		case bytes.Contains(text[min(int(before), len(text)):], []byte("is still in use")):
			return errInUse
		}
	}
}

// command returns a program of PostgreSQL or the system. It does not run as root, because PostgreSQL refuses that.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	if name == "initdb" {
		name = filepath.Join(s.bin, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Dir(s.Dir)
	asUser(cmd)
	return cmd
}

// DSN returns the URL of a database for a role.
func (s *Server) DSN(role, database string) string {
	return Address("127.0.0.1", s.Port, role, database)
}

// Address returns the URL of a database behind another port, such as that of a proxy.
func Address(host string, port int, role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: database, RawQuery: "sslmode=disable"}
	return u.String()
}

// Exec runs statements as superuser, each on its own.
func (s *Server) Exec(database string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, s.DSN("postgres", database))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Kill ends the whole server at once, like kill -9.
func (s *Server) Kill() error {
	text, err := os.ReadFile(filepath.Join(s.Dir, "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return err
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := process.Kill(); err != nil {
		return err
	}
	return s.Stop()
}

// Stop ends the server, which rolls running transactions back. [Server.Launch] starts it again.
func (s *Server) Stop() error {
	if s.cmd == nil {
		return nil
	}
	s.in.Close()
	err := s.cmd.Wait()
	s.cmd = nil
	var exit *exec.ExitError
	if errors.As(err, &exit) { // by a signal
		return nil
	}
	return err
}

// Close stops the server and removes its files.
func (s *Server) Close() error {
	return errors.Join(s.Stop(), os.RemoveAll(filepath.Dir(s.Dir)))
}
