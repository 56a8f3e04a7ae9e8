package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A score sums up a policy's decisions in a log.
type score struct {
	whentospeak.Tally
	missed  int // messages to the bot without a reply
	replies int // replies to all messages, labelled or not
}

func (s *score) add(d whentospeak.Decision) {
	s.Add(d)
	if d.Point && d.Verdict.Addressed && !d.Speak {
		s.missed++
	}
	if d.Speak {
		s.replies++
	}
}

// printScores plays the log with each policy and prints a column for each.
func printScores(o options, l *chatLog, out io.Writer) error {
	scores := make([]score, len(o.variants))
	for p := range l.parts(o) {
		for i, v := range o.variants {
			decisions, err := v.play(p.log, p.as, v.options(o.seed, p.as))
			if err != nil {
				return err
			}
			for d := range decisions {
				scores[i].add(d)
			}
		}
	}
	rows := []struct {
		name string
		of   func(s score) string
	}{
		{"points", func(s score) string { return fmt.Sprint(s.Points) }},
		{"positive", func(s score) string { return fmt.Sprint(s.Positive) }},
		{"spoken", func(s score) string { return fmt.Sprint(s.Spoken) }},
		{"precision", func(s score) string { return fmt.Sprintf("%.4f", s.Precision()) }},
		{"recall", func(s score) string { return fmt.Sprintf("%.4f", s.Recall()) }},
		{"F1", func(s score) string { return fmt.Sprintf("%.4f", s.F1()) }},
		{"speak rate", func(s score) string { return fmt.Sprintf("%.4f", s.SpeakRate()) }},
		{"missed mentions", func(s score) string { return fmt.Sprintf("%d of %d", s.missed, s.Called) }},
		{"replies per human message", func(s score) string {
			return fmt.Sprintf("%.4f", float64(s.replies)/float64(max(s.HumanMessages, 1)))
		}},
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "policy")
	for _, v := range o.variants {
		fmt.Fprint(w, "\t", v.name)
	}
	for _, r := range rows {
		fmt.Fprint(w, "\n", r.name)
		for _, s := range scores {
			fmt.Fprint(w, "\t", r.of(s))
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}
