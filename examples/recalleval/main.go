// Recalleval measures the quality of recall with questions and their evidence.
//
// A file contains JSON lines and may be compressed with gzip. Lines of kind "turn" have conv, id, text and optionally speaker
// and time. Lines of kind "question" have conv, text and as evidence the ids of the turns with the answer. Each conversation
// is a memory space.
//
//	go run ./examples/recalleval locomo.jsonl.gz cmrc.jsonl.gz
//	locomo.jsonl.gz bm25 0.323 0.548 0.630 0.422 75
//
// The output has a line for each file and method: R@1, R@5, R@10, MRR and the microseconds per question. R@k is the share of a
// question's evidence among the first k results. MRR is one over the rank of the first evidence, or 0 beyond the tenth. All
// are means over the questions. The methods:
//
//	bm25        words alone
//	neighbours  words, and those of the messages around
//	vectors     cosine of hashed pieces of words, without neighbours: weak
//	default     what memory.New recalls by: neighbours, then recency
//
// A file is read twice: the questions after all turns are indexed. A file that cannot be read has no line in the output. The
// other files do, and the exit status is 1.
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

// evaluate measures one file with each method.
func evaluate(ctx context.Context, file string, chosen []namedMethod, out, diagnostics io.Writer) error {
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
