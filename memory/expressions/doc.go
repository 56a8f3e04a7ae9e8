// Package expressions learns how a group talks: words that mean something there (jargon), and ways of saying with the situation in
// which they are said. It counts the messages of some weeks, uses no dictionary, and calls no model. [Group.SetMeaning] keeps what
// a model finds out later.
//
//	found := expressions.Learn(now, messages, expressions.Options{Elsewhere: corpus.Elsewhere(own)})
//	offer := expressions.Fit(now, found, talk, 5) // those that fit the current talk
//
// # What is learned
//
// A form is a sequence of one to six Han characters and Latin words within a sentence. Learn returns a form if
//
//   - at least two people use it, and neither one person nor one day makes most of its uses,
//   - it is a unit: different characters precede and follow it, and its parts occur together more often than by chance,
//   - it is much more frequent here than in other groups ([Corpus]), and is no everyday word. A bot with one group compares its people instead,
//   - it is not the name of a person.
//
// A form that mostly is a whole message or the end of a sentence is a way of saying ([Saying]). Its [Situation] is that of the
// message before it, found by rules: a joke, bad news, a greeting and others. All other forms are words ([Word]).
//
// # Accuracy
//
// Package memory/internal/groupslang generates groups with labelled expressions and decoys. Learn reads three weeks, and the fourth
// week counts. These are the figures for held-out phrasings and ten seeds, at the first look:
//
//	                               precision  recall
//	Chinese, four groups           .929       .694
//	English, two groups            .911       .636
//	Chinese, each group alone      .945       .627
//	Chinese, with own topics       .569       .694
//
// Precision is the share of the learned expressions that the fourth week uses as labelled. Recall is the share of the labels used
// in the fourth week that were learned, and a tenth of the labels appear only then. In the last row each group has a lasting topic
// of its own, whose words are learned as well. go test ./memory/expressions -run Unseen -v prints the figures.
//
// # Time
//
// [Expression.Weight] halves every two weeks after the last use. Nothing here has a clock.
//
// # Deletion
//
// An expression is stored as a record of kind [memory.KindExpression] with the messages of its examples as sources. Deleting one of
// them, or erasing its author, deletes the record. The same holds for the messages that a model read for a meaning. The next Learn
// counts without them, and finds the expression again only if it still rests on two people.
//
// # Caveats
//
// Words of a lasting topic that no other group has are learned, too: only a model can tell that they are ordinary words. [Fit]
// leaves out those of class [Topic] or [Name]. Only the first 300 bytes of a message are read.
package expressions
