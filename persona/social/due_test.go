package social_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot is busy while it may still react. Then it says when it dreams, and before that when a task begins. One that was stopped at
// such a time answers as it did before, and dreams late by up to an hour.
func TestNextDue(t *testing.T) {
	model := numbered()
	change := func(o *social.Options) {
		o.When.Feedback = &feedback.Options{}
		o.Background.Digest = &social.Digest{Dream: memory.DreamOptions{Hour: 3}}
		o.Background.Autonomy = &social.Autonomy{Planner: schedule.PlannerOptions{BackgroundPerHour: -1}}
	}
	withFixture(t, model, change, func(f *fixture) {
		due := func() social.Due {
			d, err := social.NextDue(f.Context(), f.bot)
			require.NoError(t, err)
			return d
		}
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(10 * time.Second)
		require.Len(t, f.sent(f.group.Chat()), 1)
		assert.NotEmpty(t, due().Busy)
		for d := due(); d.Busy != "" || time.Until(d.At) < 20*time.Minute; d = due() { // it looks back at the talk
			f.advance(time.Minute)
		}
		now := time.Now()
		require.Less(t, now.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), time.Hour)
		night := due().At
		assert.WithinRange(t, night, time.Date(2000, 1, 1, 3, 0, 0, 0, time.UTC), time.Date(2000, 1, 1, 4, 0, 0, 0, time.UTC))

		task, err := f.bot.AddTask(f.Context(), schedule.Task{Title: "看看大家", ScheduledAt: now.Add(time.Hour), Origin: schedule.Origin{Mode: persona.Agent}})
		require.NoError(t, err)
		assert.WithinDuration(t, task.ScheduledAt, due().At, time.Minute)

		f.group.Say(alice, at(botID, "还在吗"))
		synctest.Wait()
		f.stop()
		assert.NotEmpty(t, due().Busy, "the message waits")
		f.start(change)
		f.advance(10 * time.Second)
		assert.Len(t, f.sent(f.group.Chat()), 2)
		assert.NotEmpty(t, due().Busy)
	})
}
