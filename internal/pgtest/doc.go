// Package pgtest starts a PostgreSQL server for tests, in a directory of its own on a free port of loopback.
//
// Its environment variable is HEARTH_POSTGRES. Without it, a test is skipped on a machine without PostgreSQL (Debian: apt-get
// install postgresql). With HEARTH_POSTGRES=required it fails instead.
package pgtest
