// Package self gives a being tools about itself: to report to its owner, to change its mood, to plan, to set timers, to
// take notes and to mend what it has written of itself. All are over narrow interfaces of the host, and those whose interface is nil are
// not there.
//
//	tool                                              persona  agent  background  life
//	notify_master(content, urgency?)                     x
//	character_ops(mood?, tone?, sleep_minutes?)          x       x                 x
//	add_schedule(delay_seconds, outdated_seconds?, …)    x       x        x        x
//	delete_schedule(id)                                  x       x        x        x
//	add_notification(title?, content)                            x        x
//	set_timer, list_timers, cancel_timer                 x       x                 x
//	set_slot, set_scratch, read_notes                    x       x                 x
//	set_inner_state(text)                                                          x
//	apply_patch_to_character_state(patch)                                 x
//	apply_patch_to_history_tasks(patch)                                   x
//
// [ModeBackground] and [ModeAutonomous] are modes of the host beside nit's two: for the talk in which a being plans ahead and mends its
// memory, and for its waking by itself. A view of another mode has none of their tools, and a view of theirs has no tool of another package that does not
// name them.
//
//	reports, err := self.NewReports(ctx, store, tellOwner, self.ReportOptions{})
//	tools, err := self.Tools(self.Options{Reports: reports, Timers: timers, Notes: notes})
//	…
//	err = registry.Add(tools...)
//	err = reports.Run(ctx)
//
// # For whom
//
// What outlives a turn (a task, a timer) carries the maker that stands for the turn, and is to run as that and no more, but for
// tools that a human allowed it when it was planned: set_timer and add_schedule take their names. A turn
// can touch what was made in its own session; the agent's can touch everything, but is not shown the words of timers that were set in chats,
// which strangers may have chosen. To a turn, what it may not touch is not there. How many there may be is for [Schedule] and [Timers] to
// bound: persona's are bounded by their options, by person, by session and all together.
//
// # Reports
//
// notify_master is the one way from persona mode to the owner. What it says waits in a [Queue]: at most one a minute and ten an hour reach the owner, the same
// words of the same chat are folded for half an hour, and what could not be delivered is kept, over a restart, too. [Reports] is a Queue with a [nit.State] and a
// way to deliver. A [Report] is data: [Report.Text] shows people where it is from. Whoever lets an agent read reports
// uses a tool that sheds L3, as nit/recall does: they are in the words of a being that strangers talk to.
//
// [Watch] tells which messages deserve a report though nobody called the bot: somebody looks for the owner, something
// is urgent, somebody under special watch begins to talk. It knows no model.
//
// # Time
//
// Queue and Watch take the time. Reports looks at the clock, and so do its tool and add_schedule.
//
// # Concurrency
//
// Tools, Reports and Watch may be used concurrently, a Queue may not.
package self
