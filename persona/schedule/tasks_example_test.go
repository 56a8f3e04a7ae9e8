package schedule_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// Due returns one task at a time. An outdated task is reported and may be rescheduled.
func ExampleTasks() {
	ctx, now := context.Background(), time.Date(2026, 4, 10, 7, 0, 0, 0, time.UTC)
	tasks := schedule.NewTasks(statetest.New(nil), schedule.TaskOptions{Location: time.UTC})
	owner := schedule.Origin{Mode: persona.Agent}

	_, err := tasks.Add(ctx, now, schedule.Task{
		Title: "提醒主人喝水", Motivation: "主人一写代码就忘", Plan: "说一句就好", ExpectedOutcome: "主人喝了水",
		Origin: owner, ScheduledAt: now.Add(time.Hour),
	})
	fmt.Println(err)
	_, err = tasks.Add(ctx, now, schedule.Task{Title: "说早安", Origin: owner, OutdatedAt: now.Add(30 * time.Minute)})
	fmt.Println(err)

	now = now.Add(2 * time.Hour) // Due was not called for two hours
	for {
		task, ok, err := tasks.Due(ctx, now)
		if !ok || err != nil {
			break
		}
		fmt.Println(task.ID, task.Title, task.Status)
		if task.Status == schedule.TaskOutdated {
			again, err := tasks.Reschedule(ctx, now, task.ID, now.Add(22*time.Hour), time.Time{})
			fmt.Println(again.ID, again.Title, again.ScheduledAt.Format("01-02 15:04"), err)
		}
		_ = tasks.Done(ctx, now, task.ID, nil)
	}
	for _, task := range tasks.History() {
		fmt.Println(task.ID, task.Status, task.Result.Type)
	}
	fmt.Println(tasks.Cancel(ctx, now, owner, "s1"))
	// Output:
	// <nil>
	// <nil>
	// s2 说早安 outdated
	// s3 说早安 04-11 07:00 <nil>
	// s1 提醒主人喝水 running
	// s1 accomplished executed
	// s2 outdated outdated
	// schedule: task s1 has ended (accomplished) and cannot become canceled
}
