// Package pgserver starts a PostgreSQL server for tests and demonstrations, in a directory of its own on a free port of loopback. It
// does not wait for the disk, so its data are lost with the machine. Tests use package pgtest.
package pgserver
