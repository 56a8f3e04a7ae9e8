package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A fleet is the demonstration: a database, a platform, and processes.
type fleet struct {
	o         options
	server    *pgserver.Server // nil: the database of -db
	pool      *pgxpool.Pool
	beings    map[string]*postgres.DB // to look at leases and memories
	members   *postgres.DB
	platform  *platform
	chatter   *chatter
	takeovers takeovers
	dir       string
	log       io.Writer
	running   sync.WaitGroup // one for each process
	hangUp    func()         // ends what dial started; nil: nothing

	mu        sync.Mutex
	processes []*process
	started   int
}

// startFleet starts everything except the talk of people.
func startFleet(ctx context.Context, o options, diagnostics io.Writer) (s *fleet, err error) {
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	s = &fleet{o: o, beings: map[string]*postgres.DB{}, log: &lockedWriter{w: diagnostics}}
	s.takeovers.pending = map[*account]takeover{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.openDatabase(ctx); err != nil {
		return s, err
	}
	if s.platform, err = newPlatform(o.accounts, o.seed, s.takeovers.connected); err != nil {
		return s, err
	}
	s.chatter = newChatter(s.platform, o.every, o.seed)
	if err := s.openBeings(ctx); err != nil {
		return s, check.PostgresError("-db", err)
	}
	if s.dir, err = os.MkdirTemp("", "fleet"); err != nil {
		return s, err
	}
	if err := s.writeBeings(); err != nil {
		return s, err
	}
	for range o.processes {
		if _, err := s.add(); err != nil {
			return s, err
		}
	}
	if o.reverse {
		s.dial()
	}
	return s, nil
}

// openDatabase starts a database if there is none.
func (s *fleet) openDatabase(ctx context.Context) (err error) {
	if s.o.db == "" {
		s.server, err = pgserver.Start()
		if errors.Is(err, pgserver.ErrMissing) {
			return lang.Errorf("这台机器上没有 PostgreSQL：装一个（Debian、Ubuntu：apt-get install postgresql；macOS：brew install postgresql），或者用 -db 指定一个",
				"this machine has no PostgreSQL: install it (Debian, Ubuntu: apt-get install postgresql; macOS: brew install postgresql), or name a database by -db")
		}
		if err != nil {
			return lang.Errorf("临时的 PostgreSQL 起不来，可以用 -db 指定一个：%v", "a temporary PostgreSQL does not start; -db names another one: %v", err)
		}
		s.o.db = s.server.DSN(pgserver.Role, pgserver.Role)
	}
	s.pool, err = connect(ctx, s.o.db, "fleet")
	return err
}

// openBeings opens the memory of each bot.
func (s *fleet) openBeings(ctx context.Context) (err error) {
	if s.members, err = postgres.Open(ctx, postgres.Options{Pool: s.pool, Being: group}); err != nil {
		return err
	}
	for _, a := range s.platform.accounts {
		if s.beings[a.being], err = postgres.Open(ctx, postgres.Options{Pool: s.pool, Being: a.being}); err != nil {
			return err
		}
	}
	return nil
}

// writeBeings writes the list of the bots for the processes.
func (s *fleet) writeBeings() error {
	var list bytes.Buffer
	for _, a := range s.platform.accounts {
		if s.o.reverse {
			fmt.Fprintln(&list, a.being, a.qq.SelfID())
			continue
		}
		fmt.Fprintln(&list, a.being, s.platform.link(a))
	}
	return os.WriteFile(s.beingsFile(), list.Bytes(), 0o600)
}

func (s *fleet) beingsFile() string { return filepath.Join(s.dir, "beings.txt") }

// close ends all processes, and then the rest.
func (s *fleet) close() {
	s.mu.Lock()
	for _, p := range s.processes {
		if p.state != gone {
			p.cmd.Process.Kill()
		}
	}
	s.mu.Unlock()
	s.running.Wait()
	if s.hangUp != nil {
		s.hangUp()
	}
	if s.platform != nil {
		s.platform.close()
	}
	if s.pool != nil {
		s.pool.Close()
	}
	if s.server != nil {
		s.server.Close()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// add starts a process.
func (s *fleet) add() (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started++
	id = "p" + strconv.Itoa(s.started)
	args := []string{
		"-worker", "-attached", "-id", id, "-db", s.o.db, "-beings", s.beingsFile(), "-lease", s.o.lease.String(), "-sleep", s.o.sleep.String(), "-name", s.o.name,
		"-speed", fmt.Sprint(s.o.speed), "-seed", fmt.Sprint(s.o.seed), "-lang", string(s.o.lang),
	}
	url := ""
	if s.o.reverse {
		address, err := freeport.Address()
		if err != nil {
			return "", err
		}
		args, url = append(args, "-gateway", address), "ws://"+address
	}
	p, err := startProcess(id, args, s.o.environment, &prefixed{w: s.log, prefix: id + ": "})
	if err != nil {
		return "", err
	}
	p.url = url
	s.processes = append(s.processes, p)
	s.running.Go(func() {
		p.err = p.cmd.Wait()
		s.mu.Lock()
		p.state = gone
		s.mu.Unlock()
		close(p.done)
	})
	return id, nil
}

// find returns a process in one of some states. s.mu is locked.
func (s *fleet) find(id string, in ...state) (*process, error) {
	for _, p := range s.processes {
		for _, is := range in {
			if p.id == id && p.state == is {
				return p, nil
			}
		}
	}
	return nil, lang.Errorf("没有这样的进程：%s", "there is no such process: %s", id)
}

// kill ends a process like a crash.
func (s *fleet) kill(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.find(id, running, frozen, leaving)
	if err != nil {
		return err
	}
	s.takeovers.begin(killed, id, s.held(id), time.Now())
	return p.cmd.Process.Kill()
}

// pause stops the execution of a process.
func (s *fleet) pause(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.find(id, running)
	if err != nil {
		return err
	}
	if err := pauseProcess(p.cmd.Process); err != nil {
		return err
	}
	s.takeovers.begin(paused, id, s.held(id), time.Now())
	p.state = frozen
	return nil
}

// resume lets a paused process go on.
func (s *fleet) resume(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.find(id, frozen)
	if err != nil {
		return err
	}
	s.takeovers.forget(id)
	p.state = running
	return resumeProcess(p.cmd.Process)
}

// stop lets a process hand its bots over and end.
func (s *fleet) stop(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.find(id, running)
	if err != nil {
		return err
	}
	p.state = leaving
	s.takeovers.begin(stopped, id, s.held(id), time.Now())
	return stopProcess(p.cmd.Process)
}

// A lockedWriter is written to by several processes.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// prefixed writes whole lines with a prefix.
type prefixed struct {
	w      io.Writer
	prefix string
	rest   []byte
}

func (p *prefixed) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, rest, ok := bytes.Cut(p.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		fmt.Fprintf(p.w, "%s%s\n", p.prefix, line)
		p.rest = append(p.rest[:0], rest...)
	}
}
