package hfc

import "github.com/hearth-bot/hearth/heartflow"

// The states as reasons: of a change, the first says what it became; of a verdict, it says in which state.
const (
	WhyAbsent  heartflow.Code = "absent"
	WhyChat    heartflow.Code = "chat"
	WhyFocused heartflow.Code = "focused"

	WhyOffline     heartflow.Code = "mind_offline"
	WhyPeeking     heartflow.Code = "mind_peeking"
	WhyNormalChat  heartflow.Code = "mind_normal_chat"
	WhyFocusedChat heartflow.Code = "mind_focused_chat"
)

// Why a verdict is what it is, beside those of heartflow.
const (
	WhyWilling    heartflow.Code = "willing"
	WhyNotWilling heartflow.Code = "not_willing"
	WhyResting    heartflow.Code = "resting"  // between two cycles, or waiting for a message
	WhyThinking   heartflow.Code = "thinking" // a step of the cycle is being done
)

// Why the global state, or a chat's, changed.
const (
	WhyLookedAway  heartflow.Code = "looked_away" // the small chance of every minute to look away
	WhyLongEnough  heartflow.Code = "long_enough" // it was in the state before as long as that takes, and another was drawn
	WhyUnloaded    heartflow.Code = "unloaded"    // no chat was Focused for a while
	WhyInterest    heartflow.Code = "interest"    // what was said is interesting, and chance agreed
	WhyPrivateTalk heartflow.Code = "private_talk"
	WhyJudgedIn    heartflow.Code = "judged_in"  // the judge said yes
	WhyJudgedOut   heartflow.Code = "judged_out" // the judge said no: nothing changes
	WhyNoJudgement heartflow.Code = "no_judgement"
	WhyLongSilent  heartflow.Code = "long_silent" // the being said nothing there for long
	WhyDrifted     heartflow.Code = "drifted"     // the chance of a minute to stop looking
	WhyLeft        heartflow.Code = "left"        // the planner chose to end focus
	WhyGaveUp      heartflow.Code = "gave_up"     // silence upon silence
	WhyAbandoned   heartflow.Code = "abandoned"   // nobody did the steps of the cycle
	WhyLimit       heartflow.Code = "limit"       // more chats than the global state allows
	WhyClosed      heartflow.Code = "closed"      // muted, or the account cannot send
)

// Text says c for people as [heartflow.Code.Text] does, and knows the codes of this package too.
func Text(c heartflow.Code, lang string) string {
	t, ok := texts[c]
	switch {
	case !ok:
		return c.Text(lang)
	case len(lang) >= 2 && lang[:2] == "zh":
		return t.zh
	}
	return t.en
}

var texts = map[heartflow.Code]struct{ zh, en string }{
	WhyAbsent:  {"没在看这个群", "I do not look at this chat"},
	WhyChat:    {"随便水水", "I chat along here"},
	WhyFocused: {"在认真聊", "I give my full attention to this chat"},

	WhyOffline:     {"不看手机了", "I look at no chat"},
	WhyPeeking:     {"偶尔看一眼", "I look in now and then"},
	WhyNormalChat:  {"随便聊聊", "I chat along"},
	WhyFocusedChat: {"想认真聊天", "I give myself to a few chats"},

	WhyWilling:    {"想回这一句", "I want to answer this"},
	WhyNotWilling: {"不太想回", "I do not feel like answering"},
	WhyResting:    {"刚看过一轮，歇一下", "I rest between two looks"},
	WhyThinking:   {"正在想", "I am thinking"},

	WhyLookedAway:  {"忽然不想看了", "I felt like looking away"},
	WhyLongEnough:  {"这样待得够久了", "I was like that for long enough"},
	WhyUnloaded:    {"好一阵没有认真聊的群", "there was nothing to focus on for a while"},
	WhyInterest:    {"聊的东西有意思", "the talk is interesting"},
	WhyPrivateTalk: {"有人找我私聊", "somebody writes to me in private"},
	WhyJudgedIn:    {"看了看，想参加", "I had a look and want to join"},
	WhyJudgedOut:   {"看了看，不想参加", "I had a look and do not want to join"},
	WhyNoJudgement: {"没来得及判断要不要参加", "whether to join was not judged in time"},
	WhyLongSilent:  {"很久没在这里说话了", "I have said nothing here for long"},
	WhyDrifted:     {"慢慢不看了", "I drifted away"},
	WhyLeft:        {"不想再专注这里了", "I chose to stop focusing"},
	WhyGaveUp:      {"一直没有想说的", "I had nothing to say again and again"},
	WhyAbandoned:   {"一直没能接着想下去", "my thoughts here were not carried on"},
	WhyLimit:       {"顾不过来这么多群", "these are more chats than I can follow now"},
	WhyClosed:      {"这里现在不能发言", "I cannot speak here now"},
}
