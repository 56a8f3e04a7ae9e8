// Package learned has a policy for package heartflow that joins in as people in group chats do. Its weights were
// trained on real group chats. It calls no model, and takes 4 to 6 µs per message (BenchmarkLearned).
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
// The marks of IRC were made by hand. On Slack a message answers the last one of its conversation if somebody else wrote that within
// ten minutes. In the games it answers the last message of a person whom it names, or else a near one, as in [Train].
//
// # Limits
//
// On IRC stronger models gain little. The table has F1 scores of the same folds of days, with gradient boosted trees that were
// trained outside this package. The thresholds are the best ones on the other days. With other logs a score changes by .006
// (standard deviation), and the difference between two rows by about .0015. Many models were tried on the same folds, so the best
// rows are a little optimistic.
//
//	models that know the messages up to the decision
//	the shipped weights                                                                     .606
//	the same features, one model for all kinds of messages, 400 trees of 16 leaves          .608
//	the shipped trees, and 137 000 more messages with answers that a link model chose       .607
//	the shipped trees with the scores of everybody else for the same message                .604
//	193 more features, trees of the shipped size                                            .608
//	193 more features, one model, 500 trees of 16 leaves, mean of three                     .612
//	one such model with scores of n-grams of the last messages                              .610
//	mean of two such models, which also learned from people with few messages               .613
//	193 more features, a neural network of 64 units                                         .603
//	logistic regression of the scores of five such models                                   .614
//	this, with a correction by the person's earlier answers in the chat                     .613
//	this, with a correction by the last decisions                                           .612
//	this, with a threshold by the expected F1 of the person's last decisions                .612
//
//	models that know more
//	the true links of all earlier messages                                                  .606
//	these, and the true link of the judged message                                          .611
//	the regression, and how often the person answers on other days                          .613
//	the regression, with the best threshold of each log                                     .623
//	what others write within 20 seconds after the message, mean of two                      .625
//
// The 193 features describe the last eight messages, exchanges within 1, 5 and 20 minutes, the habits of the author and of the bot,
// and shared words. Half of the training days would cost .006. To answer an author only once within 15 seconds costs at least .003.
// People answered 61 % of the messages that name them, and the models tell these poorly from the others: the area under the ROC
// curve is .70.
//
// The next messages would tell more than anything else that was tried. Of the answers, 77 % are to the newest message of its author,
// and when a message arrives nothing says whether its author goes on. A bot that waits would know it, but people wrote within 20
// seconds after half of the messages that they answered. In these cases the next messages may be reactions to them; in the others the
// gain is .008.
//
// # Caveats
//
// The training data is an English channel for technical help. For chats whose people rarely name each other there are weights of
// their own. They were trained on the same channel with some of its conversations and without the names, and on generated Chinese
// groups. The groups in the table have other phrases, but how people there take turns is a guess, because there is no Chinese group
// chat with marked answers. [Train] learns from your own chats. The command in internal/train trains other shipped weights on logs
// with marked answers.
package learned
