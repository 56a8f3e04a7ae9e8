// Package gate is what heartflow's Learned looks at and how it weighs it. It knows a chat by hashes of names and words,
// and has neither a clock nor a lock.
//
//   - [Analyse] looks at a text alone.
//   - [Chat] keeps the last lines and their people. For each new line it weighs how likely that goes on with each
//     earlier one (links, by tables), follows from this how likely it is said to the bot or belongs to a talk in which the
//     bot has part, and gives all that as [Features].
//   - [Model] holds the weights, and gives the chance that the bot answers a line with such features.
//
// Of what others' messages answer, nothing is taken in but what a platform tells at once, as a quote does. What the
// bot's own messages answer is told by whoever knows, and guessed by the same links otherwise.
package gate
