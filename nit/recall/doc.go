// Package recall gives a model its memory as tools, over package memory.
//
//	read_owner_memory(query, limit?)                       what is known of the owner
//	read_social_memory(query?, filter?, limit?)            what was said in chats; in the agent's mode only
//	memory_ops(query?, since?, until?, limit?, ids?)       facts, summaries and history that the mode may read; or those with these ids
//	memory_edit(op, text?, ids?, where?, importance?, secret?)  writes, corrects, forgets, hides; in the agent's mode only
//
//	tools, err := recall.Tools(mem, recall.Options{})
//	…
//	err = registry.Add(tools...)
//
// [Plugin] makes them as a plugin, which is loaded and unloaded while the program runs.
//
// # Who may read what
//
// The principal of the view decides, never an argument:
//
//   - In the agent's mode read_owner_memory and memory_ops read what the owner told their being, its secrets too, and
//     what the being keeps for itself. read_social_memory reads every chat.
//   - In persona mode read_owner_memory reads what is not secret, and memory_ops the chat of the turn and nothing else. Both lie in tier
//     L2: what they give passes the registry's redactor before a model sees it, and without one the call fails.
//   - In further modes of the host ([Options].Modes) they read as in persona mode; a turn of no chat has the owner's plain space there.
//
// Secret records of a chat (memory.Space.Secret) are read by none of these tools unless [Options].Hidden says so.
//
// # What others wrote
//
// What was said in chats may have been said by anybody. read_social_memory says so beside it, and sheds tier L3 from the view: for the
// rest of that turn the owner's computer can only be looked at, and memory_edit is out of reach, unless a human confirms each
// call. See nit.Sheds. Where [Options].Found is set it sheds nothing: Found is told the label of what was found, and the host
// decides.
//
// # Results
//
// A result is JSON, at most about 3 500 characters: the memories, best first, each with the chat that it is from, its id and
// those of the messages that it was made of. Long texts are cut; what there was no room for is counted. Ids are those of records: they serve
// memory_edit and no platform.
//
// # Time
//
// The tools look at the clock when they are called: recency counts in ranking, and "昨天" in a query means the day before.
//
// # Concurrency
//
// All tools may run concurrently.
package recall
