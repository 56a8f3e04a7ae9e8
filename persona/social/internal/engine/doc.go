// Package engine is the core of a bot: it hears, journals, buffers, judges, thinks, sends and recovers.
//
// A message is identified where it enters ([Engine.Identify]), journaled, and judged with those that came beside it. Whatever
// makes the bot act is a [Job], and [Engine.Do] is the only way to a turn: it locks the chat, claims the job's row, makes the
// view of tools for the chat's [Scope], asks, delivers, and ends the row. What a turn says leaves by [Utterance.Send], text and
// tools alike: wait for pace, then fresh, recalled, within caps, then commit, send, and write down the result.
//
// The engine knows no capability beyond that. Presence, digests, days, reports, requests, delivery, focus and vision are parts
// in packages beside this one; package social makes them and lists them in one place. No part imports another.
//
// The files use one another in one direction, from the first to the last of these:
//
//	run, resume, owner, backfill, forget   begin work
//	hear, batch, job                       turn what was heard into jobs
//	strategy, converse, scene, send        do a job
//	chats, flight, living, record, notify  keep and read what belongs to chats
//	attention, model, tools, unclear       keep and read what belongs to the whole bot
//	engine, part, turn, chat               the types that know one another
//	scope, seen, gaps, tombstones, latch   what knows none of them
package engine
