// Vet is go vet's own suite, run on types read from source: on a machine with an empty cache, checking another platform
// takes an eighth of the time of go vet, which compiles the standard library and all dependencies for it first.
//
//	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 vet ./...
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
