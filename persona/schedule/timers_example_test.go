package schedule_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// Timers wake the bot, also after a restart, and report whether they are late.
func ExampleTimers() {
	ctx, now := context.Background(), time.Date(2026, 4, 10, 7, 0, 0, 0, time.UTC)
	db := statetest.New(nil) // for example a memory/sqlite.DB
	options := schedule.TimerOptions{Location: time.UTC}
	maker := schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}} // the turn that sets the timer

	timers := schedule.NewTimers(db, options)
	for _, spec := range []string{"5min", "once:2026-04-10 09:00", "cron:0 8 * * *", "cron:0 0 30 2 *"} {
		made, err := timers.Set(ctx, now, maker, spec, "提醒大家喝水")
		fmt.Println(made.ID, made.Next.Format("01-02 15:04"), err)
	}

	timers = schedule.NewTimers(db, options) // the program was off until 08:30
	unreadable, err := timers.Restore(ctx)
	fmt.Println(len(unreadable), err)
	now = now.Add(90 * time.Minute)
	for fired, err := range timers.Due(ctx, now) {
		if err != nil {
			break
		}
		// Claim a job with fired.ID here, in the session and with the rights of fired.Timer.Origin. Then:
		fmt.Println(fired.ID, fired.Timer.Origin.Session(), fired.At.Format("15:04"), "late:", fired.Late)
		_ = timers.Done(ctx, fired.ID)
	}
	next, _ := timers.Next()
	fmt.Println(next.Format("15:04"))
	// Output:
	// t1 04-10 07:05 <nil>
	// t2 04-10 09:00 <nil>
	// t3 04-10 08:00 <nil>
	//  01-01 00:00 schedule: invalid timer spec: "cron:0 0 30 2 *": the cron line never fires, because no year has such a day
	// 0 <nil>
	// timer/t1/1 session_social:group_123456 07:05 late: true
	// timer/t3/1 session_social:group_123456 08:00 late: true
	// 09:00
}

// A time of day follows the local clock, also across daylight saving changes.
func ExampleTimerSpec_Next() {
	shanghai := time.FixedZone("CST", 8*60*60) // time.LoadLocation knows zones with daylight saving
	weekends, err := schedule.ParseTimer("cron:30 9 * * 6-7")
	at := time.Date(2026, 4, 10, 12, 0, 0, 0, shanghai)
	for range 3 {
		at, _ = weekends.Next(at, shanghai)
		fmt.Println(at.Format("Mon 2006-01-02 15:04"), weekends.Repeats(), err)
	}
	// Output:
	// Sat 2026-04-11 09:30 true <nil>
	// Sun 2026-04-12 09:30 true <nil>
	// Sat 2026-04-18 09:30 true <nil>
}
