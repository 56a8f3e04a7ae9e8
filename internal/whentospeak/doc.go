// Package whentospeak measures when a bot would speak. Its input is a log of group chats with marked answers.
//
// The bot plays the speakers of a log one after another. It observes the messages of the others, in order and each at
// its time. The messages of its speaker count as its own. A decision point is every labelled message of somebody
// else. It is positive if the speaker answered it. [Play] yields the decisions in order. [Tally] counts them over all
// points of all speakers (micro average).
//
//	logs, err := whentospeak.ReadFile("train.jsonl.gz")
//	var t whentospeak.Tally
//	for _, l := range logs {
//		for _, who := range l.Speakers(15) {
//			decisions, err := whentospeak.Play(l, who, heartflow.Options{})
//			if err != nil {
//				return err
//			}
//			for d := range decisions {
//				t.Add(d)
//			}
//		}
//	}
//	fmt.Println(t.Precision(), t.Recall(), t.F1())
//
// The policy never sees the marks of other people's messages. It sees those of the speaker's own earlier messages,
// because a bot knows its own answers. The choice of a human is one good choice and not the only one.
package whentospeak
