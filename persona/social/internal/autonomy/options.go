package autonomy

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/tmc/langchaingo/llms"
)

// Options configure an Autonomy. Most fields are documented in package social.
type Options struct {
	Planner schedule.PlannerOptions
	Timers  schedule.TimerOptions
	Tasks   schedule.TaskOptions

	DeliverToOwner   func(ctx context.Context, text string) error
	ShowNotification func(ctx context.Context, title, text string) error
	RecentActivity   func(ctx context.Context, since time.Time) ([]OwnerActivity, error)
	Character        string

	OnWake func(WakeResult)

	NoInnerState       bool
	NoGlobalReflection bool

	Model       llms.Model
	CallOptions []llms.CallOption
	Timeout     time.Duration

	Nap       func(now time.Time, chat persona.Chat, until time.Time) // closes a chat for a while
	SaveSleep func(ctx context.Context, until *time.Time) error       // persists that the bot sleeps; zero time: until it is woken; nil: it is awake
	Changed   func(ctx context.Context, field, old, new string)       // notes a changed setting; nil: nothing is noted
}

// A WakeResult is the outcome of one wake.
type WakeResult struct {
	Wake schedule.Wake
	At   time.Time
	Text string
	Err  error
}

// Check validates the options.
func (o Options) Check() error {
	if o.Timeout < 0 {
		return fmt.Errorf("social: Options.Background.Autonomy.Timeout %v must not be negative", o.Timeout)
	}
	if _, err := schedule.NewPlanner(nil, nil, nil, o.Planner); err != nil {
		return fmt.Errorf("social: Options.Background.Autonomy.Planner: %w", err)
	}
	return nil
}
