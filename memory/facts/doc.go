// Package facts finds what people say about themselves and each other in chat messages, and keeps it in versions: what is so
// now, what was so then, since when, and who says so. It reads Chinese and English by a small linear model, in microseconds, and calls no
// language model. What yours read in a message can be added by [Facts.Add].
//
//	f := facts.New(mem, store, "qq:group:1")
//	_, err := f.Learn(ctx, record)                 // for each stored message, in order
//	now, err := f.At(ctx, time.Now(), "10001")     // "小王：工作 = 程序员（3月5日起，本人说）"
//	then, err := f.At(ctx, lastSpring, "10001")
//
// [Extract] reads one message. It returns a [Claim] for each statement of these kinds:
//
//	[Birthday]   我生日是3月5号 / 听说小王的生日是…
//	[Job]        我在腾讯上班 / 小王当老师了 / 我离职了
//	[Place]      我搬到成都了 / 小王住在北京
//	[Likes]      最近迷上了桌游 / 我不喜欢香菜了;  [Dislikes]  我讨厌香菜
//	[Pet]        我养了一只橘猫 / 猫送人了
//	[Plan]       我打算考研 / 我不考研了
//	[Partner]    我和小王在一起了 / 我分手了;  [Roommate]  我跟小王合租
//	[Alias]      叫我老王就行
//
// A [Table] turns claims into facts with versions. It has no I/O and no clock. [Facts] keeps the claims of a space as records of memory.
//
// # Reading
//
// First the names of the chat and the days of the year in a message are marked. Then a linear model tells which kind of statement the
// message makes, if any, by its runs and pairs of characters or words. There is a kind for each relation, for its end, and for what is said of
// somebody who is named (小王住在成都). The model picks the value of the statement by what stands around it and in it, and the name of the person
// whom it is about. It reads two statements in a message if they have different relations (我离职了，准备考研), and two values if they are joined
// (我喜欢猫和狗). A long message is read some sentences at a time.
//
// A message that names what its author has told before, such as a plan, may end it in words that are too vague otherwise (想考研的念头没了).
// [Extract] knows nothing of before, so only [Facts.Learn] reads this.
//
// The model is the file model.bin, some 0.9 MB. It was learned from phrasings by kind, with slots for values, and from messages that say nothing:
//
//	../internal/groupchat/testdata/tuning*.txt
//	../internal/groupchat/testdata/learned/*.txt
//	testdata/nothing.txt, nothing_en.txt, nothing_irc.txt
//
// To teach it how your people talk, add to these files, and run this, which takes some minutes:
//
//	go test ./memory/facts -run TestModel -learn
//
// # Accuracy
//
// Package memory/internal/groupchat generates group chats whose people change jobs, move and take statements back. These are the
// shares of exact answers about three chats of 10,000 messages each, in phrasings by authors whose sets the model has not learned and nobody who
// worked on it has read. An update is a question after a change. Recall has the best three messages of the person. It is right if they contain
// the value and no outdated one.
//
//	                     all    now    then   since  who    update
//	heldout2: facts      .931   .925   .873   .945   .973   .922
//	          Recall     .261   .280   .171   .279   .217   .257
//	heldout3: facts      .927   .917   .877   .940   .969   .908
//	          Recall     .213   .256   .083   .206   .191   .249
//	heldout4: facts      .958   .946   .964   .949   .975   .925
//	          Recall     .326   .312   .238   .307   .358   .291
//	heldout5: facts      .992   .990   .988   .992   .997   .990
//	          Recall     .325   .308   .297   .290   .337   .230
//	heldout6: facts      .941   .916   .916   .951   .979   .914
//	          Recall     .275   .280   .215   .283   .234   .270
//	heldout7: facts      .956   .953   .950   .954   .962   .957
//	          Recall     .291   .293   .236   .273   .266   .279
//
// In English facts answered .981, .980, .981, .988, .995 and .916 of all questions, and 1.000, .994, .970, 1.000, .982 and .813 of the updates. Most
// errors are missed statements, and now and then an everyday message that is taken for one: in the .813, one that is repeated in the whole chat.
//
// The authors of all sets had the same task, so people of a chat of yours may be harder to read. It takes 1.4 % of 31,465 real Chinese text messages
// (NUS SMS Corpus) for a statement, and of those that were looked at less than half are one: most others are of the moment, such as 我在修理百宝盒. Of
// the messages of a technical chat on IRC it takes .8 %, and some part of 8 % of the articles of an encyclopedia.
//
// See groupchat for what these numbers leave out. go test ./memory/facts -run Unseen -v prints them, and go test ./memory/facts -run
// TestModel -without tuning8 -v prints what a model reads that has not learned a set, by kind of statement.
//
// # Versions
//
// A later claim of the same speaker about the same person and relation ends the earlier one if the relation has one value:
// birthday, job, place, partner and roommate. Likes, dislikes, pets, plans and nicknames add up, and end by negation. A plan lapses after
// [PlanDays]. What somebody repeats within a day is stored once. No end is stored. Facts are computed from the claims, so deleting a
// claim brings the earlier version back.
//
// What one person says about another is a belief of the speaker, and [Fact].Speaker names the speaker. The person's own word comes
// first. If somebody contradicts it later, or if people contradict each other, At returns all versions, and all have Disputed set.
//
// # Irony
//
// The model has learned that a statement with a mark of irony (开玩笑, 才怪, [狗头], "just kidding"), a condition (如果, 要是, "I wish") or a question
// says nothing. If the speaker takes back the last message within three minutes (骗你们的, 开玩笑的), its claims are deleted. Unmarked
// irony is believed.
//
// # Deletion
//
// A claim is a record of kind [memory.KindClaim] with the message as its source and the label of that message. Deleting or hiding
// the message deletes or hides the claim. [memory.Memory.ErasePerson] deletes all claims of a person and about them, by others,
// too.
//
// Where nobody can tell the person by the message alone, no claim is stored, and the message of the other stays (see ErasePerson). So it is for
// pronouns (他搬家了), names that two people have, and names that nobody in the space has had.
//
// # Concurrency
//
// Facts may be used concurrently. A Table and Names may not. Nothing here starts a goroutine.
//
// # Caveats
//
// Only the first 500 bytes of a message are read. A person's claims on one relation are limited to the newest 64.
package facts
