// Recalleval measures how well memory finds what a question asks for.
//
// A file holds JSON lines, perhaps packed by gzip: what was said (kind "turn": conv, id, text, and where they are known speaker and
// time), and questions (kind "question": conv, text, and as evidence the ids of the turns that answer it). A conversation is a space of its own.
//
//	go run ./examples/recalleval locomo.jsonl.gz cmrc.jsonl.gz
//	locomo.jsonl.gz bm25 0.323 0.548 0.630 0.422 75
//
// A line is printed for each file and method: R@1, R@5 and R@10 are the share of a question's evidence among the first so many, MRR is one over the
// place of the first of it (0 beyond the tenth), all as means over the questions, then the microseconds that a question took. The methods:
//
//	bm25        words alone
//	neighbours  words, and those of the messages around
//	vectors     cosine of hashed pieces of words, without neighbours: weak
//	default     what memory.New recalls by: neighbours, then recency
//
// A file is read twice: its questions not before all that was said is indexed. One that cannot be read has no line; the others have theirs,
// and the exit status is 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/program"
)

func main() {
	program.Main("recalleval", func(ctx context.Context, args []string, _ io.Reader, out, diagnostics io.Writer) error {
		return run(ctx, args, out, diagnostics)
	})
}

// run is main without the process.
func run(ctx context.Context, args []string, out, diagnostics io.Writer) error {
	flags := flag.NewFlagSet("recalleval", flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() {
		fmt.Fprintln(diagnostics, "usage: recalleval [-method bm25,neighbours,vectors,default] FILE.jsonl.gz…")
		flags.PrintDefaults()
	}
	which := flags.String("method", strings.Join(names(), ","), "methods to measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return errors.New("no file")
	}
	chosen, err := pick(*which)
	if err != nil {
		return err
	}
	var errs []error
	for _, file := range flags.Args() {
		if err := evaluate(ctx, file, chosen, out, diagnostics); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	return errors.Join(errs...)
}

// evaluate measures one file by each method.
func evaluate(ctx context.Context, file string, chosen []named, out, diagnostics io.Writer) error {
	for _, m := range chosen {
		fmt.Fprintf(diagnostics, "%s: %s …\n", filepath.Base(file), m.name)
		opened, err := m.open()
		if err != nil {
			return err
		}
		s, err := measure(ctx, file, opened, diagnostics)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, filepath.Base(file), m.name, s)
	}
	return nil
}
