package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Errors for callers that branch.
var (
	ErrNewerVersion = errors.New("the tables were written by a newer version")
	ErrUnavailable  = errors.New("the database cannot be reached or did not answer in time") // the call had no effect
	ErrUnclear      = errors.New("it is unclear whether the write was committed")            // see [DB.Put]
	ErrFenced       = errors.New("another process has taken over")                           // see [Fence]
	ErrSuperuser    = errors.New("the role ignores row-level security")                      // see [Options]
	ErrReadOnly     = errors.New("the database is read-only")                                // for example a standby
	ErrDiskFull     = errors.New("the disk of the server is full")
	ErrClosed       = errors.New("postgres: closed")
)

// Codes of www.postgresql.org/docs/current/errcodes-appendix.html.
var sentinels = map[string]error{
	"25006": ErrReadOnly,
	"53100": ErrDiskFull,
	"57014": ErrUnavailable, // statement_timeout
	"55P03": ErrUnavailable, // lock_timeout
}

// withSentinel wraps an error of the driver with its sentinel.
func withSentinel(err error) error {
	if err == nil {
		return nil
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		if sentinel := sentinels[e.Code]; sentinel != nil {
			return fmt.Errorf("%w: %w", sentinel, err)
		}
	}
	if isLost(err) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// isLost reports whether the connection failed, or the server ended the session or the transaction. The statement may be
// right and may be repeated, if it was not a COMMIT.
func isLost(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch e.Code {
		case "57P01", "57P02", "57P03", "57P05", // shutdown, crash, start, idle session
			"25P03", "53300", // idle in transaction, too many connections
			"40001", "40P01": // serialization failure, deadlock
			return true
		}
		return strings.HasPrefix(e.Code, "08")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}

// isRejected reports whether the server refused a COMMIT, so that the transaction is rolled back. All other errors of a
// COMMIT leave its outcome unclear: a server that is shut down may have committed before it says so.
func isRejected(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return !strings.HasPrefix(e.Code, "57P") && !strings.HasPrefix(e.Code, "08")
	}
	return errors.Is(err, pgx.ErrTxCommitRollback)
}
