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
// # Quality
//
// The table has F1 scores of decisions to answer. The mention rule answers messages that address the bot. The partner rule also
// continues with its last partner for five minutes. "Before" are the shipped weights of the version before this table. "Own"
// weights were trained on other days of the same chats: by the command in internal/train, or by [Train] for Chinese.
//
//	chats                                         mention  partner  before  shipped  own
//	IRC, help channel, mean of five folds of days    .557     .538    .606     .606     -
//	Slack, five channels and years                   .127     .437    .405     .437  .483
//	games of Mafia                                   .170     .245    .247     .246  .207
//	generated Chinese groups                         .122     .566    .413     .679  .673
//	the same with other seeds                        .107     .514    .324     .656     -
//	the same with more people and topics at a time   .068     .570    .204     .655     -
//
// On IRC the links of the earlier messages hardly limit it: with the true links of all earlier messages in place of estimates the
// folds have .606, and with the true link of the judged message, too, .611. What people find worth an answer decides the rest.
//
// The marks of IRC were made by hand. On Slack a message answers the last one of its conversation if somebody else wrote that within
// ten minutes. In the games it answers the last message of a person whom it names, or else a near one, as in [Train].
//
// # Caveats
//
// The training data is an English channel for technical help. For chats whose people rarely name each other there are weights of
// their own. They were trained on the same channel with some of its conversations and without the names, and on generated Chinese
// groups. The groups in the table have other phrases, but how people there take turns is a guess, because there is no Chinese group
// chat with marked answers. [Train] learns from your own chats. The command in internal/train trains other shipped weights on logs
// with marked answers.
package learned
