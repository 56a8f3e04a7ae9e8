// Package learned has a policy for package heartflow that joins in uncalled as people in group chats do. It decides by
// weights that were trained on real group chat. It calls no model, and costs about 3 µs a message.
//
//	policy, err := learned.New(learned.Options{})
//	if err != nil {
//		return err
//	}
//	attention, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}, Policy: policy})
//
// The weights are part of this package, so that only programs that import it link them.
//
// # Caveats
//
// The training data is an English channel for technical help. Chinese questions, thanks and short reactions count like
// the English ones. That is a guess: there was no Chinese data to measure it on. To train other weights on logs of your
// own, in which the answers are marked, see internal/train below this package.
package learned
