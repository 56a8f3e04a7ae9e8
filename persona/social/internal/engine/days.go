package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
)

// Days are documented in package social.
type Days struct {
	Life     persona.LifeOptions
	Timers   persona.TimerOptions
	Schedule persona.ScheduleOptions

	Say       func(ctx context.Context, text string) error
	Notice    func(ctx context.Context, title, text string) error
	Activity  func(ctx context.Context, since time.Time) (string, error)
	Character string

	Trace func(Lived)

	NoInner bool
	NoMind  bool

	Model   llms.Model
	Options []llms.CallOption
	Timeout time.Duration
}

// A Lived is what became of one wake.
type Lived struct {
	Wake persona.Wake
	At   time.Time
	Text string
	Err  error
}

func (d *Days) check() error {
	if d == nil {
		return nil
	}
	if d.Timeout < 0 {
		return fmt.Errorf("social: Options.Days.Timeout %v must not be negative", d.Timeout)
	}
	if _, err := persona.NewLife(nil, nil, nil, d.Life); err != nil {
		return fmt.Errorf("social: Options.Days.Life: %w", err)
	}
	return nil
}

// A Day is what a being has set itself to do, and what became of it.
type Day struct {
	Timers  []persona.Timer
	Planned []persona.Task
	Past    []persona.Task
	Papers  []persona.Paper
	Inner   string
	Mind    string
}

// Day lists what it has set itself to do.
func (b *Engine) Day(ctx context.Context) (d Day, err error) {
	l := b.life
	if l == nil {
		return d, nil
	}
	if err := b.Begun(ctx); err != nil {
		return d, err
	}
	d = Day{Timers: l.timers.List(everyone), Planned: l.schedule.List(everyone), Past: l.schedule.History()}
	if d.Papers, err = l.papers.all(ctx); err != nil {
		return d, err
	}
	inner, err := b.Memory.Notes(memory.Owner).Inner(ctx)
	if err != nil {
		return d, err
	}
	mind, err := b.Memory.Notes(memory.Self).Inner(ctx)
	d.Inner, d.Mind = inner.Text, mind.Text
	return d, err
}
