package heartflow

// A Code is a reason in a form that can be counted, compared and translated. A policy or a caller may use codes of
// its own; those have no other text than themselves.
type Code string

// Why a message calls.
const (
	WhyPrivate   Code = "private"
	WhyMentioned Code = "mentioned"
	WhyRepliedTo Code = "replied_to"
	WhyNamed     Code = "named"
	WhyWakeWord  Code = "wake_word"
	WhyKeyword   Code = "keyword"
)

// Why a verdict asks or is silent, and why a [Attention.Speak] is refused.
const (
	WhyNotCalled    Code = "not_called"
	WhyActive       Code = "active_window" // it spoke a short while ago
	WhyPartner      Code = "partner"       // the one it last spoke with goes on
	WhyTopic        Code = "topic"         // the talk is still about what it spoke of
	WhyNotDrawn     Code = "not_drawn"     // it might have joined, and chance said no
	WhyTired        Code = "tired"         // energy made the difference
	WhyMood         Code = "mood"          // mood made the difference
	WhyCappedWindow Code = "capped_window"
	WhyCappedInRow  Code = "capped_in_row"
	WhyCappedBots   Code = "capped_bots"
	WhyMuted        Code = "muted"     // the chat is closed for sending
	WhyMutedAll     Code = "muted_all" // the account is closed for sending
	WhyOffline      Code = "offline"
	WhyOff          Code = "off"   // by this chat's Settings
	WhyQuiet        Code = "quiet" // a quiet hour
	WhyOverBudget   Code = "over_budget"
	WhyNoJudge      Code = "no_judge"      // the budget runs low: no model is asked whether to join in uncalled
	WhyMentionsOnly Code = "mentions_only" // the budget is nearly used up: only who calls the bot is answered
	WhyStale        Code = "stale"
	WhyNotJudged    Code = "not_judged" // nothing has judged that it may speak
	WhyRecalled     Code = "recalled"   // the message that called was taken back
	WhyPassed       Code = "passed"     // too many newer messages
	WhyAnswered     Code = "answered"   // somebody else turned to whom it would have answered
	WhyRepeated     Code = "repeated"   // it has just said the same
)

// Why a judged turn ended without words, for [Attention.Skip].
const (
	WhyModelSilent  Code = "model_silent"
	WhyModelError   Code = "model_error"
	WhySuperseded   Code = "superseded" // its batch was given back: what called in it calls again
	WhyAlreadySpoke Code = "already_spoke"
)

// WhyCut is why the rest of a reply is not said, for [Attention.Cut]: what stopped it stands behind.
const WhyCut Code = "cut"

// Why a state changed, beside those above.
const (
	WhySpoke      Code = "spoke"
	WhyActiveOver Code = "active_over"
	WhyLapsed     Code = "lapsed" // a call that nothing came of in time
	WhyUnmuted    Code = "unmuted"
	WhySlept      Code = "slept"
	WhyWoke       Code = "woke"
)

// Text says c for people, in Chinese when lang begins with "zh" and in English otherwise. A code that is not of this
// package is returned as it is.
func (c Code) Text(lang string) string {
	t, ok := codeTexts[c]
	switch {
	case !ok:
		return string(c)
	case len(lang) >= 2 && lang[:2] == "zh":
		return t.zh
	}
	return t.en
}

var codeTexts = map[Code]struct{ zh, en string }{
	WhyPrivate:   {"这是私聊", "it is a private chat"},
	WhyMentioned: {"有人 @ 我", "somebody @ed me"},
	WhyRepliedTo: {"有人回复了我的话", "somebody replied to me"},
	WhyNamed:     {"有人叫了我的名字", "somebody said my name"},
	WhyWakeWord:  {"有人说了唤醒词", "somebody said a wake word"},
	WhyKeyword:   {"有人提到了我关心的词", "somebody said a keyword"},

	WhyNotCalled:    {"没有人叫我", "nobody called me"},
	WhyActive:       {"刚说过话，还在跟着聊", "I spoke a short while ago and still follow"},
	WhyPartner:      {"刚才和我说话的人接着说", "the one I spoke with goes on"},
	WhyTopic:        {"还是刚才的话题", "the talk is still about what I spoke of"},
	WhyNotDrawn:     {"可以插话，但这次没有轮到", "I might have joined, and chance said no"},
	WhyTired:        {"有点累了，少说两句", "I am tired, and say less"},
	WhyMood:         {"看心情", "my mood decided it"},
	WhyCappedWindow: {"这几分钟里说得够多了", "I have said enough in the last minutes"},
	WhyCappedInRow:  {"已经连着说了几条，等别人先说", "I spoke several times in a row; it is the others' turn"},
	WhyCappedBots:   {"已经连着回了别的机器人，等有人说话", "I answered other bots in a row; a human has to speak first"},
	WhyMuted:        {"我在这里被禁言", "I am muted here"},
	WhyMutedAll:     {"账号现在不能发言", "my account cannot send now"},
	WhyOffline:      {"我不在线", "I am offline"},
	WhyOff:          {"这里关闭了", "I am turned off here"},
	WhyQuiet:        {"现在是安静时段", "it is a quiet hour"},
	WhyOverBudget:   {"额度用完了", "the budget of model calls and tokens is used up"},
	WhyNoJudge:      {"额度不多了，没有叫我就不去问模型", "the budget runs low, so no model is asked when nobody calls me"},
	WhyMentionsOnly: {"额度快用完了，只回应叫我的人", "the budget is nearly used up, so I answer only who calls me"},
	WhyStale:        {"已经过去太久", "it is too long ago"},
	WhyNotJudged:    {"还没有判断过该不该说", "nothing has judged that I may speak"},
	WhyRecalled:     {"叫我的那条消息撤回了", "the message that called me was taken back"},
	WhyPassed:       {"大家已经聊到后面去了", "the talk has gone on"},
	WhyAnswered:     {"已经有人回答了", "somebody else has answered"},
	WhyRepeated:     {"刚说过一样的话", "I have just said the same"},

	WhyRelevance: {"和我有关的程度", "how much it has to do with me"},
	WhyContent:   {"内容要人回答的程度", "how much its words ask for an answer"},
	WhyPressure:  {"等着我的消息有多少", "how many messages wait for me"},
	WhyPresence:  {"我最近说得多不多", "how much of the talk was mine"},
	WhyNeeded:    {"有必要回答", "a reply is needed"},
	WhyNotNeeded: {"没有必要回答", "no reply is needed"},

	WhyLikely:       {"我会接这句话的可能", "the chance that I would answer this"},
	WhyToMe:         {"是对我说的", "it is said to me"},
	WhyToOthers:     {"不是对我说的", "it is not said to me"},
	WhyGoesOn:       {"接着我在聊的话", "it goes on with a talk that I am in"},
	WhyOtherTalk:    {"是别人的话题，或者新的话题", "it belongs to a talk of others, or to a new one"},
	WhyStranger:     {"最近没和这个人说过话", "I have not spoken with this person lately"},
	WhyPresent:      {"我正在这里聊着", "I am in the middle of talking here"},
	WhyAway:         {"我有一阵没在这里说话了", "I have not spoken here for a while"},
	WhyWantsWords:   {"看起来想要人回答", "it reads as if it wants an answer"},
	WhyNeedsNone:    {"看起来不用回答", "it reads as if it needs no answer"},
	WhyUsual:        {"这样的话我在这里常接", "I often answer the like of it here"},
	WhyUnusual:      {"这样的话我在这里很少接", "I seldom answer the like of it here"},
	WhyNobodyElse:   {"没有别人在和这个人说话", "nobody else is talking with this person"},
	WhySomebodyElse: {"有别人在和这个人说话", "others are talking with this person"},
	WhyRoom:         {"聊天的节奏容得下我", "the pace of the talk leaves room for me"},
	WhyBusy:         {"聊天的节奏容不下我", "the pace of the talk leaves no room for me"},

	WhyModelSilent:  {"想了想，决定不说", "I thought about it and chose silence"},
	WhyModelError:   {"模型出错了", "the model failed"},
	WhySuperseded:   {"又有新消息，重新看一遍", "new messages came, so I look again"},
	WhyAlreadySpoke: {"这一轮已经说过了", "I already spoke in this turn"},
	WhyCut:          {"话说到一半，剩下的没有说", "I stopped half way and left the rest unsaid"},

	WhySpoke:      {"说了话", "I spoke"},
	WhyActiveOver: {"一阵没有说话，回到旁观", "I have been silent for a while and only listen"},
	WhyLapsed:     {"叫我的话过去太久，没有回应", "a call became too old without an answer"},
	WhyUnmuted:    {"禁言解除了", "I may send again"},
	WhySlept:      {"睡着了", "I went offline"},
	WhyWoke:       {"醒来了", "I am back"},
}

// A calls set holds the reasons why a message calls.
type calls uint8

const (
	isPrivate calls = 1 << iota
	isMention
	isReply
	isName
	isWakeWord
	isKeyword
	manyCalls // one more than the largest set
)

var callCodes = [...]Code{WhyPrivate, WhyMentioned, WhyRepliedTo, WhyNamed, WhyWakeWord, WhyKeyword}

// codes lists the reasons in the order of their constants; nil for none.
func (c calls) codes() []Code {
	var list []Code
	for i, code := range callCodes {
		if c&(1<<i) != 0 {
			list = append(list, code)
		}
	}
	return list
}
