package schedule_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A host waits until the time of Next, or until a message arrives, and then handles the wakes of Due.
func Example() {
	ctx, now := context.Background(), time.Date(2026, 4, 10, 7, 50, 0, 0, time.UTC)
	owner := schedule.Origin{Mode: persona.Agent}
	state := statetest.New(nil) // or a database
	timers := schedule.NewTimers(state, schedule.TimerOptions{Location: time.UTC})
	tasks := schedule.NewTasks(state, schedule.TaskOptions{Location: time.UTC})
	planner, err := schedule.NewPlanner(state, timers, tasks, schedule.PlannerOptions{IdleOrigin: owner})
	if err != nil {
		panic(err)
	}
	if _, err := planner.Restore(ctx, now); err != nil {
		panic(err)
	}

	_, _ = timers.Set(ctx, now, owner, "cron:0 8 * * *", "看看今天的天气")
	_, _ = tasks.Add(ctx, now, schedule.Task{Title: "提醒喝水", Origin: owner, ScheduledAt: now.Add(2 * time.Minute)})
	_ = planner.Observe(ctx, now, owner, 12) // a conversation

	for range 5 {
		next, ok := planner.Next(now)
		if !ok {
			break
		}
		if next.After(now) {
			now = next // a host waits here
		}
		for wake, err := range planner.Due(ctx, now) {
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(now.Format("15:04"), wake.Kind, wake.Origin.Session(), wake.ID)
			_ = planner.Done(ctx, now, wake.ID, nil)
		}
	}
	// Output:
	// 07:50 reflect session_master life/reflect/1
	// 07:53 archive session_master life/archive/2
	// 07:53 task session_master task/s1
	// 07:53 review session_master life/review/3
	// 07:53 idle session_master life/idle/4
	// 08:00 timer session_master timer/t1/1
}
