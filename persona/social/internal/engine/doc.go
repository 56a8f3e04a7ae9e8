// Package engine is the core of a bot. It receives messages, journals and buffers them, decides whether to answer, asks the
// model, sends replies, and recovers after a crash.
//
// [Engine.Identify] gives each message its key. The engine journals the message and judges it together with the rest of its
// batch. Each reason to act is a [Job], and [Engine.Do] is the only way to run one: it locks the chat, claims the job's row,
// builds the view of tools for the chat's [Scope], asks the model, delivers the answer and ends the row. Every message,
// of a reply or of a tool, leaves through [Utterance.Send]: it waits for the rate limit, checks staleness, retractions and
// caps, commits the job, sends, and stores the result.
//
// The engine has no further capability. Presence, digest, days, reports, requests, delivery, focus and vision are packages
// beside it. Package social creates them and lists them in one place. None of them imports another.
//
// A file uses only files of its own line and of the lines below:
//
//	run, resume, owner, backfill, erase, tools                            start work and stop it
//	receive, acts, batch, job                                             turn messages into jobs
//	strategy, converse, scene, send, delivery, policy, sources, quote     run a job
//	chats, cancel, retracted, opened, journal, label                      work on one chat
//	attention, model, background, notify, unclear                         work for the whole bot
//	engine, part, turn, chat, context, gaps, tombstones, stats            the main types
//	options, link, datum                                                  the types of the options
//	scope, seen, outline, queue, mutex, text                              helpers
package engine
