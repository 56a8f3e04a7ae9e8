// Command train learns the weights of heartflow.Learned from a log of group chat in which people marked which message
// answers which.
//
//	go run ./heartflow/internal/train -o heartflow/weights.txt train.jsonl.gz
//
// With -rules it measures the policies as they are instead, and that Learned does not look ahead.
//
// It opens that one file. With the same file and flags it writes the same weights. The table that it prints is made by
// cross-validation over days: the trees that judge a log were learned from other days. The tables of links and words that
// they look at saw some of its days, and the threshold is the best of the same table, so its figures are a little
// optimistic: learned from three of four days and scored by examples/replay on the others, F1 was .593 where the
// mention rule had .547.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/gate"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

const minLabelled = 15 // who has said fewer labelled messages is not played

func main() {
	out := flag.String("o", "", "file for the weights; empty: they are not written")
	folds := flag.Int("folds", 5, "of the cross-validation; 0: none")
	rules := flag.Bool("rules", false, "measure the rules as they are, and learn nothing")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if *rules {
		logs, err := whentospeak.ReadFile(flag.Arg(0))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		measure(logs, os.Stdout)
		if lookAhead(logs, os.Stdout) > 0 {
			os.Exit(1)
		}
		return
	}
	if err := run(flag.Arg(0), *out, *folds, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file, out string, folds int, report io.Writer) error {
	began := time.Now()
	logs, err := whentospeak.ReadFile(file)
	if err != nil {
		return err
	}
	note := func(format string, args ...any) {
		fmt.Fprintf(report, "%5.0fs  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}
	n := max(folds, 5)
	parts := split(logs, n)
	studies, said := make([][]study, n), make([][]saying, n)
	for i, part := range parts {
		for _, l := range part {
			studies[i] = append(studies[i], studyLog(l)...)
			said[i] = append(said[i], sayings(l)...)
		}
	}
	// What the trees learn from is told by weights of links and words that have not seen the log.
	rows := make([][]row, n)
	for i := range parts {
		m := &gate.Model{Links: learnLinks(others(studies, i))}
		m.Words, _ = learnWords(others(said, i))
		right := rightLinks(m.Links, studies[i])
		for _, l := range parts[i] {
			rows[i] = append(rows[i], rowsOf(l, m)...)
		}
		note("fold %d: %d logs, %d points, links right %.3f", i, len(parts[i]), len(rows[i]), right)
	}
	var scored []scoredRow
	for i := range min(folds, n) {
		m := &gate.Model{}
		learnExperts(m, others(rows, i))
		for _, r := range rows[i] {
			scored = append(scored, scoredRow{m.Score(&r.x), r.answer})
		}
		note("fold %d judged", i)
	}
	threshold := float32(.3)
	if folds > 0 {
		threshold = bestThreshold(scored)
		note("cross-validated: %v", tallyAt(scored, threshold))
		for _, t := range []float32{threshold - .08, threshold - .04, threshold + .04, threshold + .08} {
			note("  at %.3f: %v", t, tallyAt(scored, t))
		}
	}
	if out == "" {
		return nil
	}
	m := &gate.Model{Threshold: threshold, Links: learnLinks(others(studies, -1))}
	m.Words, m.Keys = learnWords(others(said, -1))
	learnExperts(m, others(rows, -1))
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprint(f, about)
	if err := m.Write(f); err != nil {
		return err
	}
	note("written to %s", out)
	return f.Close()
}

const about = `# Weights of heartflow.Learned, written by heartflow/internal/train. They were learned from the train part of the corpus
# irc-disentanglement (Kummerfeld et al., "A Large-Scale Corpus for Conversation Disentanglement", ACL 2019), which is
# licensed CC-BY-4.0: https://github.com/jkkummerfeld/irc-disentanglement
#
# threshold: of the score.
# link: tables of the chance that a line goes on with an earlier one.
# word: where it stands (u anywhere, f first, l last, e the last sign), a colon, the word, and what it gives to an answer by
# whom a line names and, where that names nobody, by anybody, in log odds.
# expert: judges one kind of lines, by a base and its trees.
# tree: its nodes, the root first. "me<0.2:1:-0.4" asks whether the feature me is below 0.2, and goes to node 1 where it
# is and to node 2 otherwise; a number alone, and the last of a node, are log odds.
`
