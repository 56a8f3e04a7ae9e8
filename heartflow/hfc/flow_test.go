package hfc

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

func TestJudge_AbsentAnswersAddressing(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		f := newFlow[string](Options{IgnoreCalls: ignore})
		assert.True(t, f.Observe(noon, "g", heartflow.Message{From: "7", AtMe: true}).Addressed)
		v := f.Judge(noon, "g")
		assert.Equal(t, !ignore, v.Do == heartflow.Ask)
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		assert.Equal(t, []heartflow.Code{WhyAbsent}, append(f.Judge(noon, "g").Why[:0:0], whyAbsent...))
	}
}

func TestJudge_PolicyInChatting(t *testing.T) {
	f := fixed(Options{Attention: heartflow.Options{Policy: always{}}})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	require.Equal(t, heartflow.Silent, f.Judge(noon, "g").Do)
	f.Due(noon)
	require.Equal(t, Chatting, f.ChatState(noon, "g"))
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	assert.Equal(t, heartflow.Speak, f.Judge(noon, "g").Do)

	require.NoError(t, f.Configure("g", Settings{Settings: heartflow.Settings{Policy: heartflow.MentionOnly{}}}))
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	assert.Equal(t, heartflow.Silent, f.Judge(noon, "g").Do, "a chat may have its own policy")
	assert.Error(t, f.Configure("g", Settings{Settings: heartflow.Settings{Policy: heartflow.Interject{Base: 2}}}))
}

type always struct{}

func (always) Judge(*heartflow.PolicyInput) heartflow.Verdict {
	return heartflow.Verdict{Do: heartflow.Speak, Why: []heartflow.Code{"always"}}
}

func TestAnswerQuestion_CapacityUsedUp(t *testing.T) {
	f := newFlow[string](Options{GlobalState: GlobalStateOptions{Fixed: NormalChat, Chats: 1}})
	var asked []Effect[string]
	for i := range 2 {
		now := at(time.Duration(i) * time.Minute)
		f.Observe(now, fmt.Sprint(i), heartflow.Message{From: "7", Text: "早"})
		for _, e := range f.Due(now) {
			if e.Kind == QuestionAsked {
				asked = append(asked, e)
			}
		}
	}
	require.Len(t, asked, 2)
	now := at(70 * time.Second)
	assert.True(t, f.AnswerQuestion(now, asked[0].Chat, asked[0].Question.ID, true))
	assert.True(t, f.AnswerQuestion(now, asked[1].Chat, asked[1].Question.ID, true))
	assert.Equal(t, Chatting, f.ChatState(now, asked[0].Chat))
	assert.Equal(t, Absent, f.ChatState(now, asked[1].Chat))
	assert.False(t, f.AnswerQuestion(now, asked[1].Chat, asked[1].Question.ID, true), "an answer counts once")
}

func TestQuestion_Expires(t *testing.T) {
	f := newFlow[string](Options{GlobalState: GlobalStateOptions{Fixed: NormalChat}})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	asked := f.Due(noon)
	require.Len(t, asked, 1)
	next, ok := f.Next()
	require.True(t, ok)
	assert.Equal(t, at(100*time.Second), next)
	assert.Empty(t, f.Due(next))
	assert.False(t, f.AnswerQuestion(next, "g", asked[0].Question.ID, true))
	assert.Equal(t, Absent, f.ChatState(next, "g"))
}

func TestFlow_KeepsAbsentChatForAnHour(t *testing.T) { // the original removed all chats every 20 minutes
	f := newFlow[string](Options{})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(at(59 * time.Minute))
	assert.Contains(t, f.chats.byKey, "g")
	f.Observe(at(59*time.Minute), "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(at(118 * time.Minute))
	assert.Contains(t, f.chats.byKey, "g", "it has a new message")
	f.Due(at(120 * time.Minute))
	assert.Empty(t, f.chats.byKey)
	assert.Empty(t, f.chats.timers)
	assert.Empty(t, f.chats.candidates)
	assert.Equal(t, Absent, f.ChatState(at(120*time.Minute), "g"))
}

func TestFlow_KeepsMutedChat(t *testing.T) {
	f := fixed(Options{})
	f.Mute(noon, "g", time.Time{})
	f.Due(at(3 * time.Hour))
	require.Contains(t, f.chats.byKey, "g")
	excite(f, at(3*time.Hour), "g")
	wind(t, f, at(4*time.Hour), NoReply)
	assert.Contains(t, f.chats.byKey, "g")
	f.Unmute(at(5*time.Hour), "g")
	f.Due(at(5 * time.Hour))
	assert.Empty(t, f.chats.byKey)
}

func TestObserve_OffChatIgnored(t *testing.T) {
	f := fixed(Options{})
	require.NoError(t, f.Configure("g", Settings{Settings: heartflow.Settings{Off: true}}))
	excite(f, noon, "g")
	assert.Empty(t, f.chats.byKey)
	f.Observe(noon, "h", heartflow.Message{From: "7", AtMe: true, At: at(-3 * time.Minute)})
	assert.Empty(t, f.chats.byKey, "a stale message creates no chat")
	f.Observe(noon, "h", heartflow.Message{From: "7", AtMe: true})
	assert.Contains(t, f.chats.byKey, "h", "a current message does")
}

func TestConfigure_OffDuringChatting(t *testing.T) {
	f := fixed(Options{})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(noon)
	require.Equal(t, Chatting, f.ChatState(noon, "g"))
	require.NoError(t, f.Configure("g", Settings{Settings: heartflow.Settings{Off: true}}))
	assert.Equal(t, Absent, f.ChatState(noon, "g"))
	hold(t, f)
}

// Only outliers among the waiting messages are answered at the start of Chatting.
func TestChatting_StartsWithOutliers(t *testing.T) {
	wanted := func(later time.Duration, texts ...string) (turns int) {
		f := fixed(Options{Topics: []string{"空洞骑士和螳螂领主"}})
		for i, text := range texts {
			f.Observe(noon, "g", heartflow.Message{ID: fmt.Sprint(i), From: "7", Text: text})
			f.Judge(noon, "g") // a verdict does not remove it
		}
		f.Due(at(later))
		require.Equal(t, Chatting, f.ChatState(noon, "g"))
		for _, e := range f.Due(at(later)) {
			if e.Kind == TurnWanted {
				assert.Equal(t, WhyWilling, e.Why)
				assert.Equal(t, heartflow.Ask, f.BeginTurn(at(later), e.Chat, e.Why).Do)
				turns++
			}
		}
		return turns
	}
	texts := []string{"早", "早啊", "吃了吗", "空洞骑士的螳螂领主打过了", "嗯", "哦"}
	assert.Equal(t, 1, wanted(0, texts...))
	assert.Zero(t, wanted(3*time.Minute, texts...), "old messages are not answered")
	assert.Zero(t, wanted(0, "早", "早啊", "吃了吗", "嗯"))
}

// A superseded mention is answered together with the next message of its author.
// A message that addresses the bot is answered even if the chat becomes Chatting between the message and its verdict.
func TestChatting_StartsWithUnansweredCall(t *testing.T) {
	for seed := range uint64(20) {
		for _, addressed := range []bool{true, false} {
			f := fixed(Options{Attention: heartflow.Options{Names: []string{"小炉"}, Seed: seed + 1}})
			f.Due(noon)
			m := heartflow.Message{ID: "1", From: "a", Text: "在吗", At: at(50 * time.Second)}
			if addressed {
				m.Text = "小炉，在吗"
			}
			f.Observe(m.At, "g", m)
			f.Due(at(time.Minute)) // the question is answered with yes
			require.Equal(t, Chatting, f.ChatState(at(time.Minute), "g"))
			v := f.Judge(at(61*time.Second), "g")
			assert.Equal(t, addressed, v.Do == heartflow.Ask, "seed %d: %v", seed+1, v)
			for _, e := range f.Due(at(62 * time.Second)) {
				assert.NotEqual(t, TurnWanted, e.Kind, "no second turn for it")
			}
			assert.Equal(t, heartflow.Silent, f.Judge(at(63*time.Second), "g").Do, "answered once")
		}
	}
}

// A call whose model fails in an Absent chat is answered at the next try, also if the chat becomes Chatting before or after the failure.
func TestSkipTurn_RetriedCallInAChatThatBecameChatting(t *testing.T) {
	for why, want := range map[heartflow.Code]heartflow.Decision{
		heartflow.WhyModelRetry: heartflow.Ask, heartflow.WhySuperseded: heartflow.Ask, heartflow.WhyModelError: heartflow.Silent,
	} {
		for _, failed := range []time.Duration{55 * time.Second, 61 * time.Second} {
			for seed := range uint64(20) {
				f := fixed(Options{Attention: heartflow.Options{Names: []string{"小炉"}, Seed: seed + 1}})
				f.Due(noon)
				f.Observe(at(50*time.Second), "g", heartflow.Message{ID: "1", From: "a", Text: "小炉，在吗"})
				require.Equal(t, heartflow.Ask, f.Judge(at(50*time.Second), "g").Do)
				if failed < time.Minute {
					f.SkipTurn(at(failed), "g", why)
				}
				require.Equal(t, Absent, f.ChatState(at(59*time.Second), "g"))
				f.Due(at(time.Minute)) // the question is answered with yes
				require.Equal(t, Chatting, f.ChatState(at(time.Minute), "g"))
				if failed > time.Minute {
					f.SkipTurn(at(failed), "g", why)
				}
				saved, err := f.Snapshot()
				require.NoError(t, err)
				require.NoError(t, f.Restore(saved))
				assert.Equal(t, want, f.Judge(at(66*time.Second), "g").Do, "%s after %s, seed %d", why, failed, seed+1)
				f.SkipTurn(at(67*time.Second), "g", heartflow.WhyModelError)
				assert.Equal(t, heartflow.Silent, f.Judge(at(68*time.Second), "g").Do, "answered once")
			}
		}
	}
}

// A call of an Absent chat is over once it is answered or another turn begins: the failure of that turn answers nothing without a draw.
func TestSkipTurn_FailureOfALaterTurn(t *testing.T) {
	for name, tt := range map[string]struct{ speaks, begins, retried bool }{
		"answered": {speaks: true}, "another turn": {begins: true}, "both": {speaks: true, begins: true}, "neither": {retried: true},
	} {
		f := fixed(Options{Attention: heartflow.Options{Names: []string{"小炉"}}})
		f.Due(noon)
		f.Observe(at(50*time.Second), "g", heartflow.Message{ID: "1", From: "a", Text: "小炉，在吗"})
		require.Equal(t, heartflow.Ask, f.Judge(at(50*time.Second), "g").Do)
		if tt.speaks {
			require.NoError(t, f.Speak(at(51*time.Second), "g", "在"))
		}
		if tt.begins {
			require.Equal(t, heartflow.Ask, f.BeginTurn(at(52*time.Second), "g", "timer").Do)
		}
		f.SkipTurn(at(53*time.Second), "g", heartflow.WhyModelRetry)
		f.Due(at(time.Minute)) // the question is answered with yes
		require.Equal(t, Chatting, f.ChatState(at(time.Minute), "g"), name)
		f.Observe(at(65*time.Second), "g", heartflow.Message{ID: "2", From: "b", Text: "下雨了"})
		assert.Equal(t, tt.retried, f.Judge(at(66*time.Second), "g").Score == 1, name)
	}
}

func TestSkipTurn_SupersededAnsweredWithoutDraw(t *testing.T) {
	f := fixed(Options{})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(noon)
	f.Judge(noon, "g")
	for i := range 20 {
		now := at(time.Duration(i) * time.Hour / 6)
		f.Observe(now, "g", heartflow.Message{From: "7", AtMe: true, Text: "在吗"})
		if f.Judge(now, "g").Do == heartflow.Silent {
			continue
		}
		f.Observe(now, "g", heartflow.Message{From: "7", Text: "问你个事"})
		f.SkipTurn(now, "g", heartflow.WhySuperseded)
		v := f.Judge(now, "g")
		require.Equal(t, heartflow.Ask, v.Do)
		require.Equal(t, []heartflow.Code{heartflow.WhyMentioned}, v.Why)
		f.Observe(now, "g", heartflow.Message{From: "9", Text: "哦"})
		require.NotEqual(t, 1., f.Judge(now, "g").Score, "only once")
		return
	}
	t.Fatal("never willing")
}

func TestSettings_SpeakLess(t *testing.T) {
	chances := map[bool]float64{}
	for _, down := range []bool{false, true} {
		f := fixed(Options{})
		require.NoError(t, f.Configure("g", Settings{SpeakLess: down}))
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		f.Due(noon)
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		chances[down] = f.Judge(noon, "g").Score
	}
	assert.InDelta(t, chances[false]/3, chances[true], 1e-9)
}

func TestQuestion_NoneInQuietHours(t *testing.T) {
	quiet := heartflow.QuietHours{Spans: []heartflow.Span{{From: 12 * time.Hour, To: 13 * time.Hour}}}
	asked := 0
	f := fixed(Options{Attention: heartflow.Options{QuietHours: quiet}, AnswerQuestion: func(Question) bool { asked++; return true }})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	assert.Empty(t, f.Due(noon))
	assert.Zero(t, asked)
	f.Observe(at(time.Hour), "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(at(time.Hour))
	assert.Equal(t, 1, asked)
}

func TestQuestion_NoneWithLowBudget(t *testing.T) {
	for spent, want := range map[int]int{0: 1, 1000: 0} {
		b := must(heartflow.NewBudget(heartflow.BudgetOptions{HourTokens: 1000}))
		asked := 0
		f := fixed(Options{Attention: heartflow.Options{Budget: b}, AnswerQuestion: func(Question) bool { asked++; return true }})
		b.AddTokens(noon, spent)
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		assert.Empty(t, f.Due(noon))
		assert.Equal(t, want, asked, "%d tokens used", spent)
	}
}

// A Focused chat wants no turn while the Flow may call no model, and wants it afterwards.
func TestFlow_WantsNoTurnInQuietHoursOrOverBudget(t *testing.T) {
	for name, c := range map[string]struct {
		quiet heartflow.QuietHours
		spent int
		want  time.Duration // when the turn is wanted; 0: never
	}{
		"neither": {want: 5 * time.Minute},
		"quiet":   {quiet: heartflow.QuietHours{Spans: []heartflow.Span{{From: 12*time.Hour + 3*time.Minute, To: 12*time.Hour + 8*time.Minute}}}, want: 8 * time.Minute},
		"spent":   {spent: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			b := must(heartflow.NewBudget(heartflow.BudgetOptions{HourTokens: 1000}))
			f := fixed(Options{Attention: heartflow.Options{Budget: b, QuietHours: c.quiet}})
			f.Observe(noon, "ann", heartflow.Message{From: "ann", Text: "在吗", Private: true})
			require.Equal(t, heartflow.Ask, f.Judge(noon, "ann").Do)
			require.Equal(t, 2, steps(f, noon, "ann", NoReply), "a thought, a no_reply, and a wait of 300 s")
			b.AddTokens(noon, c.spent)
			var wanted []time.Duration
			for d := time.Duration(0); d < 9*time.Minute; d += time.Second {
				for _, e := range f.Due(at(d)) {
					if e.Kind == TurnWanted {
						wanted = append(wanted, d)
					}
				}
			}
			if c.want == 0 {
				assert.Empty(t, wanted)
				return
			}
			require.NotEmpty(t, wanted)
			assert.GreaterOrEqual(t, wanted[0], c.want)
			assert.LessOrEqual(t, wanted[0], c.want+turnRetryAfter)
		})
	}
}

// After a no, the next question about a chat comes ten minutes later, regardless of new messages.
func TestFlow_AsksAgainTenMinutesAfterANo(t *testing.T) {
	var asked []time.Duration
	now := noon
	f := fixed(Options{AnswerQuestion: func(Question) bool { asked = append(asked, now.Sub(noon)); return false }})
	for ; now.Before(at(25 * time.Minute)); now = now.Add(20 * time.Second) {
		f.Observe(now, "g", heartflow.Message{From: "7", Text: "早"})
		f.Due(now)
	}
	assert.Equal(t, []time.Duration{0, 10 * time.Minute, 20 * time.Minute}, asked)
}

// Drift ends Chatting after an hour even if all draws fail.
func TestDrift_EndsAfterAnHour(t *testing.T) {
	left := map[heartflow.Code]int{}
	minutes := 0
	for seed := range uint64(400) {
		f := fixed(Options{Attention: heartflow.Options{Seed: seed + 1}, Drift: true})
		f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
		f.Due(noon)
		s := f.chats.byKey["g"]
		f.Due(at(time.Hour))
		require.Equal(t, Absent, s.State)
		left[s.Why]++
		minutes += int(time.Duration(s.Since-tick.Of(noon)) / time.Minute)
	}
	assert.InDelta(t, .035*400, left[WhyLongSilent], 15)
	assert.InDelta(t, 27.3, float64(minutes)/400, 2.5)
}

// Interest from before Chatting still counts for Focused.
func TestInterest_CountsInChatting(t *testing.T) {
	f := newFlow[string](Options{Attention: heartflow.Options{Seed: 1}, GlobalState: GlobalStateOptions{Fixed: NormalChat}})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	asked := f.Due(noon)
	require.Len(t, asked, 1)
	excite(f, noon, "g")
	require.True(t, f.AnswerQuestion(noon, "g", asked[0].Question.ID, true))
	require.Equal(t, Chatting, f.ChatState(noon, "g"))
	assert.Equal(t, Focused, f.ChatState(at(30*time.Second), "g"))
}

func TestAnswerQuestion_MutedAccount(t *testing.T) {
	f := newFlow[string](Options{GlobalState: GlobalStateOptions{Fixed: NormalChat}})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	asked := f.Due(noon)
	require.Len(t, asked, 1)
	f.MuteAll(noon, time.Time{})
	assert.True(t, f.AnswerQuestion(noon, "g", asked[0].Question.ID, true))
	assert.Equal(t, Absent, f.ChatState(noon, "g"))
	last := f.Traces("g")
	assert.Equal(t, []heartflow.Code{WhyAbsent, WhyClosed}, last[len(last)-1].Why)
	hold(t, f)
}

func TestSpeak_SetsTopicAndResetsDrift(t *testing.T) {
	f := fixed(Options{Drift: true, Attention: heartflow.Options{Policy: always{}, Seed: 3}})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(noon)
	f.Due(at(5*time.Minute + time.Second))
	require.Equal(t, Chatting, f.chats.byKey["g"].State)
	require.Equal(t, 5, f.chats.byKey["g"].Drifted)
	f.Observe(at(5*time.Minute+time.Second), "g", heartflow.Message{From: "7", Text: "螳螂领主"})
	level, _ := f.Interest(at(5*time.Minute+time.Second), "g")
	require.Zero(t, level)
	f.Judge(at(5*time.Minute+time.Second), "g")
	require.NoError(t, f.Speak(at(5*time.Minute+time.Second), "g", "螳螂领主我打过"))
	require.Zero(t, f.chats.byKey["g"].Drifted)
	f.Observe(at(5*time.Minute+2*time.Second), "g", heartflow.Message{From: "7", Text: "螳螂领主"})
	level, _ = f.Interest(at(5*time.Minute+2*time.Second), "g")
	assert.InDelta(t, 1.5, level, 1e-9)
}

func TestFlow_ConcurrentUse(t *testing.T) {
	f := newFlow[string](Options{Attention: heartflow.Options{OnTrace: func(heartflow.Trace) {}}, Topics: []string{"空洞骑士"}, AnswerQuestion: yes})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			chat := fmt.Sprint(g % 3)
			for i := range 300 {
				now := at(time.Duration(i) * 2 * time.Second)
				f.Observe(now, chat, heartflow.Message{ID: fmt.Sprint(i), From: "7", Text: "空洞骑士", AtMe: i%5 == 0})
				if f.Judge(now, chat).Do != heartflow.Silent && steps(f, now, chat, NoReply) == 0 {
					_ = f.Speak(now, chat, "空洞骑士")
				}
				f.Due(now)
				f.Next()
				f.Records(chat)
				switch i % 100 {
				case 50:
					_, err := f.Snapshot()
					assert.NoError(t, err)
				case 60:
					f.Forget(chat)
				case 70:
					f.Mute(now, chat, now.Add(time.Second))
				case 80:
					f.Sleep(now, now.Add(time.Second))
				}
			}
		})
	}
	wg.Wait()
	hold(t, f)
}

func TestText_Codes(t *testing.T) {
	for _, c := range slices.Concat(chatCodes[:], globalCodes[:], []heartflow.Code{
		WhyWilling, WhyNotWilling, WhyResting, WhyThinking, WhyPaused, WhyDurationOver, WhyNothingFocused, WhyInterest, WhyPrivateTalk, WhyJudgedIn,
		WhyJudgedOut, WhyNoJudgement, WhyLongSilent, WhyLeftByChance, WhyLeft, WhyGaveUp, WhyAbandoned, WhyLimit, WhyClosed,
	}) {
		assert.NotEqual(t, string(c), Text(c, "zh-CN"))
		assert.NotEqual(t, Text(c, "en"), Text(c, "zh"))
		assert.Equal(t, string(c), c.Text("en"), "not also a code of heartflow")
	}
	assert.Equal(t, heartflow.WhyMuted.Text("zh"), Text(heartflow.WhyMuted, "zh"))
}

func TestParseDecision_Answers(t *testing.T) {
	for _, c := range []struct {
		in     string
		yes    bool
		reason string
		bad    bool
	}{
		{in: `{"decision": true, "reason": "有意思"}`, yes: true, reason: "有意思"},
		{in: "```json\n{\"decision\": false}\n```"},
		{in: "好的：{\"decision\":true} 以上", yes: true},
		{in: `{'decision': True, 'reason': None}`, yes: true},
		{in: `｛“decision”：“是”，“reason”：“他说"来"”｝`, yes: true, reason: `他说"来"`},
		{in: `{"decision": "no", "reason": "没`},
		{in: `{"reason": "?"}`, bad: true},
		{in: `{"decision": true} {"decision": false}`, bad: true},
		{in: `{"decision": null}`, bad: true},
		{in: `{"decision": tr`, bad: true},
		{in: `true`, bad: true},
		{in: `{"decision": "maybe"}`, bad: true},
		{in: `} {`, bad: true},
	} {
		yes, reason, err := ParseDecision(c.in)
		assert.Equal(t, c.bad, err != nil, c.in)
		assert.Equal(t, c.yes, yes, c.in)
		assert.Equal(t, c.reason, reason, c.in)
	}
}

func TestOptions_Invalid(t *testing.T) {
	for _, o := range []Options{
		{GlobalState: GlobalStateOptions{Chats: -1}},
		{GlobalState: GlobalStateOptions{Fixed: 9}},
		{Interest: InterestOptions{Cap: -1}},
		{Cycle: CycleOptions{SilenceWait: -1}},
		{Leave: -1},
		{Attention: heartflow.Options{MaxAge: -1}},
	} {
		assert.Error(t, o.Validate())
		_, err := New[int](o)
		assert.Error(t, err)
	}
}

// A day with a restart every hour gives the same traces as one without restarts.
func TestFlow_DayWithRestarts(t *testing.T) {
	day := func(restarts bool) []string {
		var traces []string
		o := Options{Attention: heartflow.Options{Seed: 5, OnTrace: func(tr heartflow.Trace) { traces = append(traces, tr.String()) }}, Topics: []string{"空洞骑士"}, AnswerQuestion: yes}
		f := newFlow[string](o)
		for i := range 24 * 360 {
			now := at(time.Duration(i) * 10 * time.Second)
			chat := fmt.Sprint(i / 90 * 7 % 5) // one chat at a time, for a quarter of an hour
			if i%30 < 20 {                     // messages with pauses
				text := "吃了吗"
				if i%7 < 3 {
					text = "空洞骑士打到哪了，空洞骑士"
				}
				f.Observe(now, chat, heartflow.Message{ID: fmt.Sprint(i), From: fmt.Sprint(i % 3), Text: text, AtMe: i%50 == 0})
			}
			if i%2 == 1 && f.Judge(now, chat).Do != heartflow.Silent {
				if f.ChatState(now, chat) == Focused {
					steps(f, now, chat, []Action{TextReply, NoReply, NoReply}[i%3])
				}
				_ = f.Speak(now, chat, "空洞骑士我通关了")
			}
			for _, e := range f.Due(now) {
				if e.Kind == TurnWanted && f.BeginTurn(now, e.Chat, e.Why).Do != heartflow.Silent {
					steps(f, now, e.Chat, NoReply)
					f.SkipTurn(now, e.Chat, heartflow.WhyModelSilent)
				}
			}
			if restarts && i%360 == 359 {
				b, err := f.Snapshot()
				require.NoError(t, err)
				f = newFlow[string](o)
				require.NoError(t, f.Restore(b))
			}
		}
		return traces
	}
	want, got := day(false), day(true)
	require.Greater(t, len(want), 1000)
	require.True(t, slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, "focused interest") }))
	require.Equal(t, want, got)
}
