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
// like the English ones. This is a guess, because there was no Chinese data to measure it. The command in
// internal/train trains other weights on your own logs. The answers in these logs must be marked.
package learned
