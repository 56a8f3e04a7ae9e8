// Package whentospeak measures when a bot would speak, on logs of group chat in which people marked which message
// answers which.
//
// The bot plays one speaker of a log after another: it hears what the others said, in order and each message at its
// time, and what that speaker said counts as said by the bot. A decision point is every labelled message of somebody
// else. It is positive when the speaker has a message that answers it. [Play] gives the decisions in order, [Tally]
// counts them, over all points of all speakers alike (micro average).
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
// The marks of others' messages are never shown to the policy; those of the speaker's own are, once they are past: a
// bot knows what it answered. What a human chose is one good way to act and not the only one.
package whentospeak
