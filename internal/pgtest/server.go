package pgtest

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgserver"
)

// Role is the role of the tests. It is no superuser and owns the database of the same name.
const Role = pgserver.Role

// A Server is a running server. Start one with [Start], mostly in TestMain, and stop it with its Close.
type Server = pgserver.Server

// ErrMissing means that the machine has no PostgreSQL.
var ErrMissing = pgserver.ErrMissing

// Start starts an empty server.
func Start() (*Server, error) { return pgserver.Start() }

// Address returns the URL of a database behind another port, such as that of a proxy.
func Address(host string, port int, role, database string) string {
	return pgserver.Address(host, port, role, database)
}

// New starts a server that ends with the test. Without PostgreSQL on the machine it skips the test.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := Start()
	switch {
	case errors.Is(err, ErrMissing) && os.Getenv("HEARTH_POSTGRES") != "required":
		t.Skip("pgtest: ", err)
	case err != nil:
		t.Fatal("pgtest: ", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Main runs the tests of a package with a server. set gets the server, or the error that says why there is none.
func Main(m *testing.M, set func(*Server, error)) int {
	s, err := Start()
	if err != nil && (!errors.Is(err, ErrMissing) || os.Getenv("HEARTH_POSTGRES") == "required") {
		fmt.Fprintln(os.Stderr, "no server:", err)
		return 1
	}
	if err == nil {
		defer s.Close()
	}
	set(s, err)
	return m.Run()
}
