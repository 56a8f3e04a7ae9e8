// Package pgvector checks memory/vectorstore against a real PostgreSQL with pgvector, through langchaingo's store for it. It is a module of its own: what that
// store needs is no requirement of the library's users.
//
// The tests take the server that HEARTH_PGVECTOR names (postgres://user:password@host/database). Without it they start PGlite, which is PostgreSQL for node, and skip
// where it is not installed; with HEARTH_PGVECTOR=required they fail instead. In this folder:
//
//	npm ci
//	HEARTH_PGVECTOR=required go test -race ./...
package pgvector
