// Package self provides tools for the bot's own state: reports to the owner, mood, tasks, timers, notes and its own
// documents. Each tool works on a small interface of the host. A tool is omitted if its interface is nil.
//
//	tool                                              persona  agent  background  life
//	notify_master(content, urgency?)                     x
//	character_ops(mood?, tone?, sleep_minutes?)          x       x                 x
//	add_schedule(delay_seconds, outdated_seconds?, …)    x       x        x        x
//	delete_schedule(id)                                  x       x        x        x
//	reschedule(id, delay_seconds, outdated_seconds?)                      x
//	set_heartbeat(interval_seconds?, on?)                        x
//	add_notification(title?, content)                            x        x
//	set_timer, list_timers, cancel_timer                 x       x                 x
//	set_slot, set_scratch, read_notes                    x       x                 x
//	set_inner_state(text)                                                          x
//	apply_patch_to_character_state(patch)                                 x
//	apply_patch_to_history_tasks(patch)                                   x
//
// [ModeBackground] and [ModeAutonomous] are additional modes of the host. The first is for background turns that plan and
// edit memory. The second is for autonomous turns. A view in one of these modes contains a tool of another package only
// if that tool names the mode.
//
//	reports, err := self.NewReports(ctx, store, tellOwner, self.ReportOptions{})
//	tools, err := self.Tools(self.Options{Reports: reports, Timers: timers, Notes: notes})
//	…
//	err = registry.Add(tools...)
//	err = reports.Run(ctx)
//
// # Authority
//
// A task or timer stores the turn that created it as its [schedule.Origin]. It must run later with the rights of that
// turn. The parameter tools of set_timer and add_schedule requests more tools, and a human must approve them.
//
// A turn can list and cancel the work of its own session. For the turn, other work does not exist. The agent can list
// and cancel everything. It does not see the texts of timers from chats, because untrusted people may have written
// them. [Schedule] and [Timers] enforce the limits on their number. persona/schedule has limits per person, per session
// and in total.
//
// # Reports
//
// In persona mode, notify_master is the only way to the owner. Reports wait in a [Queue]. At most one a minute and ten
// an hour are delivered. The same text from the same chat is deduplicated for half an hour. Undelivered reports are
// kept, also over a restart. [Reports] is a Queue with a [nit.State] and a delivery function.
//
// A [Report] is untrusted data: people in the chat may have influenced the bot's words. [Report.Text] formats it and
// names its source. A tool that reads reports should remove L3 with RevokesAfterUse, as nit/recall does.
//
// [Watch] finds messages that deserve a report even if the bot is not addressed: somebody looks for the owner, a
// message is urgent, or a watched person starts to talk. It uses rules and no model.
//
// # Time
//
// Queue and Watch take the time as now. Reports, notify_master and add_schedule read the clock.
//
// # Concurrency
//
// Tools, Reports and Watch may be used concurrently. A Queue may not.
package self
