// Package recall gives a model tools to search and edit its long-term memory (package memory).
//
// The memory holds what the owner said in private and what strangers said in groups. The tools keep them apart: in a group
// a model must not recall the owner's secrets, and text from strangers must not change the owner's memory.
//
//	read_owner_memory(query, limit?)                       searches facts about the owner
//	read_social_memory(query?, filter?, limit?)            searches chat messages; agent mode only
//	memory_ops(query?, since?, until?, limit?, ids?)       searches facts, summaries and history, or opens records by id
//	memory_edit(op, text?, ids?, where?, importance?, secret?)  writes, corrects, forgets, hides; agent mode only
//
// [Tools] makes them, and [Plugin] makes a nit.Plugin with them:
//
//	tools, err := recall.Tools(mem, recall.Options{})
//	…
//	err = registry.Add(tools...)
//	view := registry.View(nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Session: "group_123"})
//	res, err := view.Do(ctx, "memory_ops", `{"query":"上周去了哪里"}`) // in this chat only
//
// # Access
//
// The nit.Principal of the view decides what the tools read. Arguments never do.
//
//   - In agent mode read_owner_memory reads the owner's memories with secrets, memory_ops reads the bot's own ones too, and
//     read_social_memory reads every chat.
//   - In persona mode read_owner_memory reads memories that are not secret, and memory_ops reads the chat of the turn.
//     Both are in tier L2: the registry's redactor masks their results, and without a redactor the calls fail.
//   - In other modes of the host, see [Options], they work as in persona mode. Outside a chat they read the owner's public
//     space.
//
// The tools never read secret records of a chat (memory.Space.Secret) unless the options allow it.
//
// # Untrusted text
//
// Anyone may have written a chat message. read_social_memory adds a warning to its results and revokes the tools of tier
// L3 that have effects, memory_edit among them, for the rest of the turn. If the registry has a Confirm, each of their
// calls needs confirmation instead. See nit.RevokesAfterUse. With Options.OnRead it revokes nothing, and the host decides
// by the label of the memories that were read.
//
// # Results
//
// A result is JSON with at most about 3,500 characters. It has the memories, best first, each with its chat, its id and the
// ids of its source messages. Long texts are truncated, and hits that do not fit are counted. The ids are record ids for
// memory_edit, not message ids of a platform.
//
// # Time
//
// The tools use the current time: recent memories rank higher, and "昨天" in a query means yesterday.
//
// # Concurrency
//
// All tools may run concurrently.
//
// # Caveats
//
// memory_edit cannot correct a message, only forget it. Forgetting a record also deletes everything derived from it.
package recall
