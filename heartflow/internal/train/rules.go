package main

import (
	"fmt"
	"io"
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
