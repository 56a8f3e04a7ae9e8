package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A Due says when a bot next has something to do by itself.
type Due struct {
	// Busy says why the bot must run on, for a log. "" means that it may be stopped until At: all that it knows is stored, and the next
	// start goes on with it. A bot is busy while it answers, reads a history, or takes part in a talk, and until it
	// may begin one ([heartflow.Begin]). Heart Flow Chat always waits for something.
	Busy string
	// At is when it next has something to do: a timer, a task, a dream, a message to the owner, a round of learning. It may be in the
	// past. Zero: only an event gives it something to do. A bot that plans ahead has something to do several times an hour: see
	// BackgroundPerHour of [schedule.PlannerOptions].
	At time.Time
}

// NextDue returns when a bot next has something to do by itself, for a host that stops bots for a while: see [postgres/owner]. Ask it some
// time after the last event, stop the bot by ending the context of [Bot.Run], and start a new Bot over the same store at Due.At, or
// when an event comes or the account connects. Ask once more after [Bot.Run] has ended, because something may have come meanwhile. It
// waits until [Bot.Run] has started.
//
// [postgres/owner]: https://pkg.go.dev/github.com/hearth-bot/hearth/memory/postgres/owner#SleepUntil
func NextDue(ctx context.Context, b *Bot) (Due, error) {
	d, err := engine.NextDue(ctx, b.engine, time.Now())
	return Due(d), err
}
