package pgtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A PGlite is a PostgreSQL with pgvector in one process of Node.js. It accepts one connection at a time, as superuser.
type PGlite struct {
	DSN string
	cmd *exec.Cmd
	in  io.Closer
}

// StartPGlite starts the server of memory/vectorstore/internal/pgvector. root is the way to the root of the module. It needs Node.js and
// npm ci in that directory, and fails otherwise.
func StartPGlite(root string) (*PGlite, error) {
	dir := filepath.Join(root, "memory/vectorstore/internal/pgvector")
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules/@electric-sql/pglite-pgvector")); err != nil {
		return nil, err
	}
	p := &PGlite{cmd: exec.Command(node, "serve.js")}
	p.cmd.Dir, p.cmd.Stderr = dir, os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	port, invalid := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || invalid != nil {
		p.Close()
		return nil, fmt.Errorf("PGlite says %q: %w", line, err)
	}
	p.DSN = Address("127.0.0.1", port, "postgres", "postgres") + "&pool_max_conns=1"
	return p, nil
}

// Close stops the server.
func (p *PGlite) Close() error {
	p.in.Close()
	return p.cmd.Wait()
}
