package jobs

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// The outcomes that [Queue.Recover] sets.
const (
	OutcomeStale       = "stale"       // [Job.ExpiresAt] has passed
	OutcomeInterrupted = "interrupted" // it was committed before a crash, and all results were known
)

// Recover returns the unfinished jobs of the previous run of the program, in order of [Job.At]. Call it once before any
// other method. Every unfinished job is handled in one of three ways:
//
//   - again has the jobs that may run again: call [Queue.Claim] or [Queue.Done]. They have no side effects, and their
//     [Job.ExpiresAt] has not passed. If it has passed, the job ends as [OutcomeStale].
//   - unclear has the committed jobs with an unknown result. Their pending entries become [Unclear], and a job without entries had a
//     side effect without a message. Look the messages up, settle them with [Queue.Result], and call [Queue.Done]. Otherwise the
//     job is returned again after the next start.
//   - A committed job with a result for every entry ends as [OutcomeInterrupted].
//
// Recover does not return jobs that were added since the start of the program.
func (q *Queue) Recover(ctx context.Context, now time.Time) (again, unclear []Job, err error) {
	err = q.change(ctx, func(c *changes) error {
		for _, j := range q.unfinished() {
			var err error
			switch {
			case j.Status == Open && (j.ExpiresAt.IsZero() || !now.After(j.ExpiresAt)):
				again = append(again, j.clone())
			case j.Status == Open:
				err = c.finish(j, now, OutcomeStale)
			case j.settled():
				err = c.finish(j, now, OutcomeInterrupted)
			default:
				unclear = append(unclear, j.withUnclear())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return again, unclear, nil
}

// Unclear returns the jobs with entries that may have been sent, in order of [Job.At]. Their pending entries become [Unclear]:
// nothing sends them any more. Finished jobs are among them as long as they are kept. [Queue.Result] settles an entry. Unclear
// returns nothing before [Queue.Recover].
func (q *Queue) Unclear() []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []Job
	for _, j := range q.jobs {
		sending := j.current && j.Status != Done // a pending entry is being sent
		if slices.ContainsFunc(j.Outbox, func(o Entry) bool { return o.Status == Unclear || o.Status == Pending && !sending }) {
			one := j.clone()
			if !sending {
				one = j.withUnclear()
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Job) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Unfinished returns the number of jobs that are not done.
func (q *Queue) Unfinished() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if j.Status != Done {
			n++
		}
	}
	return n
}

// unfinished returns the unfinished jobs of the previous run, in order of At.
func (q *Queue) unfinished() []*record {
	var left []*record
	for _, j := range q.jobs {
		if !j.current && j.Status != Done {
			left = append(left, j)
		}
	}
	slices.SortFunc(left, func(a, b *record) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return left
}

// settled reports whether a committed job has a final result for all its entries.
func (j *Job) settled() bool {
	for i := range j.Outbox {
		if s := j.Outbox[i].Status; s == Pending || s == Unclear {
			return false
		}
	}
	return len(j.Outbox) > 0
}

// withUnclear returns the job with its pending entries marked as unclear.
func (j *record) withUnclear() Job {
	c := j.clone()
	for i := range c.Outbox {
		if c.Outbox[i].Status == Pending {
			c.Outbox[i].Status = Unclear
		}
	}
	return c
}
