package main

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// measure prints what each rule comes to on logs. For Learned that is the fit, where its weights were learned from the
// same logs.
func measure(logs []*whentospeak.Log, report io.Writer) {
	for _, rule := range []struct {
		name   string
		policy heartflow.Policy
	}{
		{"MentionOnly", heartflow.MentionOnly{}},
		{"Partner", heartflow.Partner{}},
		{"Necessity", heartflow.Necessity{}},
		{"Necessity at a frequency of .3", heartflow.Necessity{Frequency: .3}},
		{"Learned", heartflow.Learned{}},
	} {
		var t whentospeak.Tally
		began, judged := time.Now(), 0
		for _, l := range logs {
			for _, who := range l.Speakers(minLabelled) {
				for d := range whentospeak.Play(l, who, heartflow.Options{Policy: rule.policy}) {
					t.Add(d)
					judged++
				}
			}
		}
		fmt.Fprintf(report, "%-31s P %.3f  R %.3f  F1 %.3f  spoke %.3f  %5d ns a message\n", rule.name,
			t.Precision(), t.Recall(), t.F1(), t.SpeakRate(), time.Since(began).Nanoseconds()/int64(max(judged, 1)))
	}
}

// lookAhead cuts every log at some line and scrambles what follows, and reports at how many of the decisions before
// it Learned then decides otherwise. None is right.
func lookAhead(logs []*whentospeak.Log, report io.Writer) (changed int) {
	dice := rand.New(rand.NewPCG(1, 1))
	compared := 0
	for _, l := range logs {
		cut := dice.IntN(len(l.Lines))
		other := &whentospeak.Log{Chat: l.Chat, Lines: slices.Clone(l.Lines)}
		tail := other.Lines[cut:]
		dice.Shuffle(len(tail), func(i, j int) {
			tail[i].Sender, tail[j].Sender = tail[j].Sender, tail[i].Sender
			tail[i].Text, tail[j].Text = tail[j].Text, tail[i].Text
			tail[i].ReplyTo, tail[j].ReplyTo = tail[j].ReplyTo, tail[i].ReplyTo
		})
		before := map[*whentospeak.Line]bool{}
		for i := range cut {
			before[&l.Lines[i]] = true
		}
		for _, who := range l.Speakers(minLabelled) {
			next, stop := iter.Pull(whentospeak.Play(other, who, heartflow.Options{Policy: heartflow.Learned{}}))
			for d := range whentospeak.Play(l, who, heartflow.Options{Policy: heartflow.Learned{}}) {
				if !before[d.Line] {
					break
				}
				compared++
				if e, ok := next(); !ok || e.Line.ID != d.Line.ID || e.Verdict.Score != d.Verdict.Score || e.Verdict.Do != d.Verdict.Do {
					changed++
				}
			}
			stop()
		}
	}
	fmt.Fprintf(report, "of %d decisions before a cut, %d change with what follows it\n", compared, changed)
	return changed
}
