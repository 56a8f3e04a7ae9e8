package engine

import (
	"context"

	"github.com/hearth-bot/hearth/memory"
)

// RegisterOld registers what is to become parts.
func (b *Engine) RegisterOld() (err error) {
	if err := b.newOwn(); err != nil {
		return err
	}
	reports := Part{
		Run: func(ctx context.Context) error {
			if reports := b.own.reports.Load(); reports != nil {
				return reports.Run(ctx)
			}
			return nil
		},
		Erase: func(ctx context.Context, f memory.Forgotten, _ map[string][]byte) error {
			return b.forgetReports(ctx, f)
		},
		Reason: b.deserves,
		Silent: func(j *Job, items []Incoming) bool { return j.reportOn(items, b.reportable(j.Chat, j.Verdict, items)) },
	}
	if b.Options.Own != nil {
		reports.Tools = b.ownTools
	}
	var focus Part
	if b.Flow != nil {
		focus.Run = b.judges
	}
	b.Register(reports, focus)
	return nil
}
