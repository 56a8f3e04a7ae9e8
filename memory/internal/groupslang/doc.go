// Package groupslang generates group chats whose people have expressions of their own, with labels. A seed makes the same chats each
// time. It uses no model.
//
//	w := groupslang.New(groupslang.Options{Seed: 1, Phrasings: groupslang.Tuning()})
//	w.Groups[0].Messages // of four weeks, in order of time
//	w.Groups[0].Labels   // what is said only there, and who says it
//
// # Labels
//
// By default there are 4 groups of 10 people, with 3,000 messages each. A group has 8 words of its own, 8 replies to situations,
// and an ending of sentences. Each is used by 2 to 6 of its people, some often and some rarely. One in six falls out of use after
// the second week, one in six appears in the third, and one in ten in the fourth.
//
// # Decoys
//
// Not labelled are: phrases of one person, which somebody else quotes now and then; slang of all groups; words of one day; names of
// people; long texts that one person repeats; a text that everybody repeats on one day; and the words of lasting topics, of which
// two groups share each. With [Options].OwnTopics each group has a topic of its own. Its words cannot be told from jargon without a
// dictionary or a model.
//
// # Held-out phrasings
//
// One author wrote both sets, [Unseen] first, after the rules of package expressions and before their thresholds were tried. The
// sets share no expression. The rules, and how topics and situations occur here, were changed with the tuning set only. Then the
// unseen set was measured for the first time. Real groups are more diverse than both.
package groupslang
