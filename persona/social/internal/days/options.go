package days

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/tmc/langchaingo/llms"
)

// Options are the Days of package social.
type Options struct {
	Life     schedule.PlannerOptions
	Timers   schedule.TimerOptions
	Schedule schedule.TaskOptions

	Say       func(ctx context.Context, text string) error
	Notice    func(ctx context.Context, title, text string) error
	Activity  func(ctx context.Context, since time.Time) ([]Activity, error)
	Character string

	Trace func(Lived)

	NoInner bool
	NoMind  bool

	Model   llms.Model
	Options []llms.CallOption
	Timeout time.Duration

	Nap       func(now time.Time, chat persona.Chat, until time.Time) // closes a chat for a while
	SaveSleep func(ctx context.Context, until *time.Time) error       // writes down that the bot sleeps, zero: until it is woken; nil: that it is awake
}

// A Lived is what became of one wake.
type Lived struct {
	Wake schedule.Wake
	At   time.Time
	Text string
	Err  error
}

// Check refuses options that cannot be used.
func (o Options) Check() error {
	if o.Timeout < 0 {
		return fmt.Errorf("social: Options.Days.Timeout %v must not be negative", o.Timeout)
	}
	if _, err := schedule.NewPlanner(nil, nil, nil, o.Life); err != nil {
		return fmt.Errorf("social: Options.Days.Life: %w", err)
	}
	return nil
}
