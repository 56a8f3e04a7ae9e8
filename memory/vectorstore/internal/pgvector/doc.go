// Package pgvector tests memory/vectorstore with a real PostgreSQL and pgvector, through langchaingo's store. It is a
// separate module, so that users of the library do not get that store's dependencies.
//
// The tests connect to the server in the environment variable HEARTH_PGVECTOR. Its value is a URL such as
// postgres://user:password@host/database. Without it they start PGlite, a PostgreSQL for Node.js, and skip if it is not
// installed. With HEARTH_PGVECTOR=required they fail instead. Run in this directory:
//
//	npm ci
//	HEARTH_PGVECTOR=required go test -race ./...
package pgvector
