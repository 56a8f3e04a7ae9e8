// Package learned has a policy for package heartflow that joins in as people in group chats do. Its weights were
// trained on real group chats. It calls no model, and takes about 3 µs per message.
//
//	policy, err := learned.New(learned.Options{})
//	if err != nil {
//		return err
//	}
//	attention, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}, Policy: policy})
//
// The weights are part of this package, so only programs that import it link them.
//
// # Own chats
//
// [Train] corrects the weights by recorded chats of a bot, on its own machine, and says on days that it has not seen whether that
// is better. [Weights.Save] keeps them, and Options.Weights uses them. They hold no words. Weights.People lists whose messages they
// rest on: when one of them must be forgotten, call [Weights.Revoke] and delete the file.
//
// # Time
//
// A [Policy] reads no clock. It uses the times of the messages.
//
// # Concurrency
//
// A Policy is immutable. Any number of Attentions may share it.
//
// # Caveats
//
// The training data is an English channel for technical help. Chinese questions, thanks and short reactions count
// like the English ones. This is a guess, because there was no Chinese data to measure it. [Train] learns from your own chats. The
// command in internal/train trains other shipped weights on logs with marked answers.
package learned
