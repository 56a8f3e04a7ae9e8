package main

import (
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
	"github.com/hearth-bot/hearth/internal/whentospeak/baseline"
)

// rules are the results of simple rules, for comparison.
type rules struct{ mention, partner whentospeak.Tally }

// playRules plays all speakers of the logs by simple rules.
func playRules(logs []*whentospeak.Log) (r rules, err error) {
	partner, err := baseline.NewPartner(baseline.PartnerOptions{})
	if err != nil {
		return r, err
	}
	for _, l := range logs {
		for _, who := range l.Speakers(minLabelled) {
			for policy, t := range map[heartflow.Policy]*whentospeak.Tally{heartflow.MentionOnly{}: &r.mention, partner: &r.partner} {
				decisions, err := whentospeak.Play(l, who, heartflow.Options{Policy: policy})
				if err != nil {
					return r, err
				}
				for d := range decisions {
					t.Add(d)
				}
			}
		}
	}
	return r, nil
}
