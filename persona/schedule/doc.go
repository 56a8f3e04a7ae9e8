// Package schedule keeps the timers and planned tasks of a bot and decides when it acts without being asked. Timers understand
// cron lines, intervals and points in time. Everything is persisted and survives a restart.
//
//	timers := schedule.NewTimers(store, schedule.TimerOptions{})
//	tasks := schedule.NewSchedule(store, schedule.ScheduleOptions{})
//	life, err := schedule.NewLife(store, timers, tasks, schedule.LifeOptions{})
//	if err != nil {
//		return err
//	}
//	for wake, err := range life.Due(ctx, now) {
//		if err != nil {
//			return err
//		}
//		run(wake) // with the rights of wake.Maker
//	}
//
// A timer and a task run with the rights of the turn that created them, their [Origin], and never with more.
//
// # Time
//
// No method reads a clock. [Planner.Next], [Timers.Next] and [Tasks.Next] return when something is due next. Call them again
// when the system clock was changed. Times of day need the time zones of the machine, or of time/tzdata.
//
// # Concurrency
//
// The methods of [Tasks], [Timers] and [Planner] may be called concurrently. No goroutine is started.
package schedule
