// Package schedule keeps the timers and planned tasks of a bot and decides when it acts without being asked. Timers
// accept cron lines, delays and points in time. Everything is persisted and survives a restart.
//
//	timers := schedule.NewTimers(store, schedule.TimerOptions{})
//	tasks := schedule.NewTasks(store, schedule.TaskOptions{})
//	planner, err := schedule.NewPlanner(store, timers, tasks, schedule.PlannerOptions{})
//	if err != nil {
//		return err
//	}
//	if _, err := planner.Restore(ctx, now); err != nil {
//		return err
//	}
//	for wake, err := range planner.Due(ctx, now) {
//		if err != nil {
//			return err
//		}
//		failure := run(wake) // with the rights of wake.Origin
//		if err := planner.Done(ctx, now, wake.ID, failure); err != nil {
//			return err
//		}
//	}
//
// A timer and a task run with the rights of the turn that created them, their [Origin], and never with more.
//
// # Time
//
// No method reads a clock. [Planner.Next], [Timers.Next] and [Tasks.Next] return the time of the next event. Call them
// again after a change of the system clock. Times of day need the time zones of the machine, or of time/tzdata.
//
// # Concurrency
//
// The methods of [Tasks], [Timers] and [Planner] may be called concurrently. No goroutine is started.
//
// # Caveats
//
// Each of the three keeps its rows in memory after it has loaded them. Use one of each for one store at a time.
package schedule
