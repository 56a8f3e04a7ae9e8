// Mutate breaks the code behind each row of docs/requirements.md and checks that a test named for that row fails.
//
//	go run ./internal/mutate               # the whole table, in minutes
//	go run ./internal/mutate -row P5,Q     # one row, and all rows of part Q
//	go run ./internal/mutate -list
//
// The table is mutations.txt. Each entry replaces one piece of one file. The mutated file reaches the compiler through
// go's -overlay, so no file of the tree changes. First each named test has to pass without the mutation. Then the mutation
// is killed if one of them fails, panics or exceeds -timeout. Otherwise the mutation survives: it is printed with its place,
// and the exit status is 1. An entry that no longer applies or does not compile is an error and also gives status 1.
//
// Mutate needs the go command and runs in the root of the repository. It is not part of go test ./... because it builds
// one test binary for each entry. TestTable checks in every run that all entries apply and that all rows have one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// run returns the number of entries that survived or could not be tried.
func run(ctx context.Context, args []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	root := flags.String("root", ".", "directory of the module")
	table := flags.String("table", "internal/mutate/mutations.txt", "the entries, relative to -root")
	rows := flags.String("row", "", "only these rows, separated by commas; P selects P1, P2 and so on")
	list := flags.Bool("list", false, "print the entries and run nothing")
	keep := flags.Bool("keep", false, "keep the mutated files and the output of the tests")
	timeout := flags.Duration("timeout", 2*time.Minute, "time limit of one run of the tests")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}

	named, err := readRequirements(filepath.Join(*root, "docs", "requirements.md"))
	if err != nil {
		return 0, err
	}
	t, err := readTable(filepath.Join(*root, filepath.FromSlash(*table)))
	if err != nil {
		return 0, err
	}
	selected := t.ofRows(*rows)
	if len(selected) == 0 {
		return 0, fmt.Errorf("no entry has row %q", *rows)
	}
	if *list {
		for _, m := range selected {
			fmt.Fprintf(out, "%s\n%s", m, m.diff())
		}
		return 0, nil
	}

	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	if *keep {
		fmt.Fprintln(out, "files:", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	r := &runner{root: *root, dir: dir, timeout: *timeout, named: named, binaries: map[string]string{}, passed: map[testName]error{}}
	return r.runAll(ctx, selected, out), ctx.Err()
}
