package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A score sums the results of all questions of a file.
type score struct {
	n                 int
	r1, r5, r10, mean float64 // sums over the questions
	took              time.Duration
}

func (s *score) String() string {
	n := float64(max(s.n, 1))
	return fmt.Sprintf("%.3f %.3f %.3f %.3f %.0f", s.r1/n, s.r5/n, s.r10/n, s.mean/n, float64(s.took.Microseconds())/n)
}

// count adds one answer.
func (s *score) count(found, evidence []string) {
	s.n++
	for k, sum := range map[int]*float64{1: &s.r1, 5: &s.r5, 10: &s.r10} {
		*sum += share(found[:min(k, len(found))], evidence)
	}
	if i := slices.IndexFunc(found, func(id string) bool { return slices.Contains(evidence, id) }); i >= 0 {
		s.mean += 1 / float64(i+1)
	}
}

// share returns the share of the evidence that was found.
func share(found, evidence []string) float64 {
	hits := 0
	for _, id := range evidence {
		if slices.Contains(found, id) {
			hits++
		}
	}
	return float64(hits) / float64(len(evidence))
}

// measure indexes a file, and then reads and answers its questions.
func measure(ctx context.Context, file string, m method, progress io.Writer) (*score, error) {
	last, err := index(ctx, file, m, progress)
	if err != nil {
		return nil, err
	}
	var s score
	for q, err := range rows(file, "question") {
		if err != nil {
			return nil, err
		}
		evidence := slices.Compact(slices.Sorted(slices.Values(q.Evidence)))
		if len(evidence) == 0 {
			continue // there is nothing to find
		}
		began := time.Now()
		found, err := m.ask(ctx, last[q.space()], q.space(), q.Text)
		s.took += time.Since(began)
		if err != nil {
			return nil, err
		}
		if s.count(found, evidence); s.n%500 == 0 {
			fmt.Fprintf(progress, "  %d questions asked\n", s.n)
		}
	}
	if s.n == 0 {
		return nil, errors.New("no question with evidence")
	}
	return &s, nil
}

// index adds all turns of a file to a method. It returns the end of each conversation, the time at which its questions are
// asked.
func index(ctx context.Context, file string, m method, progress io.Writer) (map[memory.Space]time.Time, error) {
	last := map[memory.Space]time.Time{}
	var recs []memory.Record
	n := 0
	flush := func() error {
		n += len(recs)
		err := m.add(ctx, recs)
		recs = recs[:0]
		return err
	}
	for r, err := range rows(file, "turn") {
		if err != nil {
			return nil, err
		}
		if r.Time.After(last[r.space()]) {
			last[r.space()] = r.Time
		}
		if recs = append(recs, r.record()); len(recs) == 256 {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := errors.Join(flush(), m.ready(ctx)); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "  %d records indexed\n", n)
	return last, nil
}
