// Package facts finds what people say about themselves and each other in chat messages, and keeps it in versions: what is so
// now, what was so then, since when, and who says so. It works by rules, for Chinese and some English, and calls no model. What a
// model of yours read in a message can be added by [Facts.Add].
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
// # Rules
//
// A rule is a list of cues, such as verbs for moving and nouns for lovers, and not a list of sentences. A message is split into clauses.
// For each the rules find the person that it is about, and whether it denies, ends, asks, or tells of former times. A value has a
// type: some 700 places, 400 firms, occupations, animals, days, and names of the chat. Then a weak cue is enough, such as
// 在成都租房. Other values need a strong one: 搬到, 在…上班.
//
// Words of Cantonese and of other dialects are replaced first. A question that states something is read as a statement (谁不知道小王爱奶茶啊),
// and one that doubts the clause before takes it back (小王去腾讯了，真的假的). What a clause is about may stand in the clause before
// (奶茶？早不喝了). What somebody has ends by weaker words than those that the other rules need: 想考研的念头没了 ends only a plan that its
// author has told before. [Extract] knows no such plans, so only [Facts.Learn] reads this.
//
// # Accuracy
//
// Package memory/internal/groupchat generates group chats whose people change jobs, move and take statements back. These are the
// shares of exact answers about three chats of 10,000 messages each, in phrasings by authors who know nothing of the rules. Nobody who
// changed a rule has read these phrasings; shares by relation were seen before the last changes. An update is a question after a
// change. Recall has the best three messages of the person. It is right if they contain the value and no outdated one.
//
//	                     all    now    then   since  who    update
//	heldout2: facts      .710   .666   .700   .678   .828   .726
//	          Recall     .262   .280   .183   .262   .229   .256
//	heldout3: facts      .706   .678   .627   .681   .815   .592
//	          Recall     .220   .252   .123   .214   .188   .243
//	heldout4: facts      .931   .919   .925   .929   .957   .899
//	          Recall     .330   .303   .269   .325   .348   .269
//	heldout5: facts      .969   .973   .969   .964   .966   .980
//	          Recall     .313   .295   .282   .272   .337   .215
//
// In English facts answered 1.000, .874, .981 and .945 of all questions, and 1.000, .819, .970 and .931 of the updates. Most errors
// are missed statements.
//
// See groupchat for what these numbers leave out. go test ./memory/facts -run Unseen -v prints them, and go test ./memory/facts -run
// TestSamples -v prints what is missed, wrong or invented by kind of statement.
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
// A message with a mark of irony (开玩笑, 才怪, [狗头], (不是, "just kidding"), a condition (如果, 要是, "I wish") or a question yields no
// claim. If the speaker takes back the last message within three minutes (骗你们的, 开玩笑的), its claims are deleted. Unmarked
// irony is believed.
//
// # Deletion
//
// A claim is a record of kind [memory.KindClaim] with the message as its source and the label of that message. Deleting or hiding
// the message deletes or hides the claim. [memory.Memory.ErasePerson] deletes all claims of a person and about them, by others,
// too.
//
// Where no rule can tell the person, no claim is stored, and the message of the other stays (see ErasePerson). So it is for
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
