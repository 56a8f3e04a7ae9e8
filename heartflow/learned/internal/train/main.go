// Command train trains the weights of package learned. Its input is a log of group chats with marked answers. Chats whose people
// name nobody are trained on variants of the log, which have fewer conversations and no names, and on generated Chinese groups.
//
//	go run ./heartflow/learned/internal/train -o heartflow/learned/weights.txt train.jsonl.gz
//
// It reads only that file. The same file and flags give the same weights. It prints the result of a cross-validation
// over days: the trees for a log were trained on other days. The figures are a little optimistic. The tables of links
// and words have seen some of the days, and the threshold is the best one for this result.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

const (
	minLabelled = 15 // speakers with fewer labelled messages are not played
	minVariant  = 6  // the same in a variant
	folds       = 5  // of the cross-validation
)

func main() {
	out := flag.String("o", "", "file for the weights; empty: they are not written")
	groups := flag.Int("groups", 40, "number of generated Chinese groups to train on, too")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out, *groups, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file, out string, groups int, report io.Writer) error {
	began := time.Now()
	logs, err := whentospeak.ReadFile(file)
	if err != nil {
		return err
	}
	note := func(format string, args ...any) {
		fmt.Fprintf(report, "%5.0fs  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}
	parts := split(logs)
	var studies [folds][]study
	var said [folds][]saying
	for i, part := range parts {
		for _, l := range part {
			studies[i] = append(studies[i], studyLog(l)...)
			said[i] = append(said[i], sayings(l)...)
		}
	}
	// Features for the trees come from weights of links and words that have not seen the log.
	var rows, more [folds][]row
	for i, part := range parts {
		m := &lookback.Model{Links: learnLinks(others(studies, i))}
		m.Words, _ = learnWords(others(said, i))
		for _, l := range part {
			own, err := rowsOf(l, m, minLabelled)
			if err != nil {
				return err
			}
			rows[i] = append(rows[i], own...)
			if own, err = variantRows(l, m); err != nil {
				return err
			}
			more[i] = append(more[i], own...)
		}
		own, err := generatedRows(i, groups, m)
		if err != nil {
			return err
		}
		more[i] = append(more[i], own...)
		note("fold %d: %d logs, %d points, %d of variants and generated groups", i, len(part), len(rows[i]), len(more[i]))
	}
	var scored [folds]scores
	for i := range rows {
		m := &lookback.Model{}
		learnExperts(m, others(rows, i), others(more, i))
		scored[i] = scoresOf(m, rows[i], more[i])
	}
	for i, part := range parts {
		others := join(slices.Concat(scored[:i], scored[i+1:]))
		at := bestThreshold(others.corpus) // of the other days
		rules, err := playRules(part)
		if err != nil {
			return err
		}
		corpus, variants, made := countAt(scored[i].corpus, at), countAt(scored[i].variants, at), countAt(scored[i].made, at)
		note("fold %d judged: F1 %.4f, partner rule %.4f, mention rule %.4f; variants %.4f, generated groups %.4f", i,
			corpus.f1(), rules.partner.F1(), rules.mention.F1(), variants.f1(), made.f1())
	}
	joined := join(scored[:])
	threshold := bestThreshold(joined.corpus)
	all := countAt(joined.corpus, threshold)
	note("cross-validated: P %.3f  R %.3f  F1 %.4f", all.right/all.spoken, all.right/all.positive, all.f1())
	if out == "" {
		return nil
	}
	m := &lookback.Model{Threshold: float32(1 / (1 + math.Exp(-float64(threshold)))), Links: learnLinks(slices.Concat(studies[:]...))}
	m.Words, m.Keys = learnWords(slices.Concat(said[:]...))
	learnExperts(m, slices.Concat(rows[:]...), slices.Concat(more[:]...))
	var b bytes.Buffer
	b.WriteString(about)
	if err := m.Write(&b); err != nil {
		return err
	}
	note("written to %s", out)
	return os.WriteFile(out, b.Bytes(), 0o666)
}

const about = `# Weights of heartflow/learned, written by heartflow/learned/internal/train. They were trained on the train part of the corpus
# irc-disentanglement (Kummerfeld et al., "A Large-Scale Corpus for Conversation Disentanglement", ACL 2019), which is
# licensed CC-BY-4.0: https://github.com/jkkummerfeld/irc-disentanglement
# The expert plain was also trained on variants of it, with fewer conversations and without names, and on generated Chinese groups.
#
# threshold: minimum score of an answer.
# link: table for the chance that a line continues an earlier one.
# word: position (u any, f first, l last, e last sign), a colon, the word, and two weights in log odds: of an answer by the
# person whom the line names, and of an answer by anybody if it names nobody.
# expert: base of one kind of lines. Its trees follow.
# tree: its nodes, the root first. "me<0.2:1:-0.4" tests if the feature me is below 0.2, and continues at node 1 if so and
# at node 2 otherwise. A single number, and the last number of a node, are log odds.
`
