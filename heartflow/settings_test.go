package heartflow

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badSettings are invalid Settings by the text of their error.
var badSettings = map[string]Settings{
	"Staleness.Similarity is 1.5: it must be above 0 and at most 1, or 0 for the default":                       {Staleness: Staleness{Similarity: 1.5}},
	"Staleness.Similarity is NaN: it must be above 0 and at most 1, or 0 for the default":                       {Staleness: Staleness{Similarity: math.NaN()}},
	"Energy.ReplyCost is 1.1: it must be at most 1":                                                             {Energy: Energy{ReplyCost: 1.1}},
	"Energy.Min is NaN: it must be at most 1":                                                                   {Energy: Energy{Min: math.NaN()}},
	"QuietHours.Spans[1] is from 24h0m0s to 1h0m0s: From must be below 24h, To at most 24h, and both different": {QuietHours: &QuietHours{Spans: []Span{{To: 1}, {From: day, To: time.Hour}}}},
	"QuietHours.Spans[0] is from 0s to 0s: From must be below 24h, To at most 24h, and both different":          {QuietHours: &QuietHours{Spans: []Span{{}}}},
	"QuietHours has 25 spans: at most 24 are allowed":                                                           {QuietHours: &QuietHours{Spans: make([]Span, 25)}},
	"Caps.Replies is 1001: it must be from 1 to 1000, or 0 for the default":                                     {Caps: Caps{Replies: 1001}},
	"Caps.Replies is -1: it must be from 1 to 1000, or 0 for the default":                                       {Caps: Caps{Replies: -1}},
	"Caps.Window is -1s: it must not be negative":                                                               {Caps: Caps{Window: -time.Second}},
	"Caps.Consecutive is -1: it must not be negative":                                                           {Caps: Caps{Consecutive: -1}},
	"Caps.ConsecutiveToBots is -1: it must not be negative":                                                     {Caps: Caps{ConsecutiveToBots: -1}},
	`Names[1] "" has no visible character`:                                                                      {Names: []string{"a", ""}},
	`WakeWords[0] is "\xff": it must be UTF-8, and at most 256 bytes`:                                           {WakeWords: []string{"\xff"}},
	"Keywords has 1001 words: at most 1000 are allowed":                                                         {Keywords: strings.Split(strings.Repeat("a ", 1000)+"a", " ")},
	"policy heartflow.Interject: fields Base, Partner and Topic must be at most 1":                              {Policy: Interject{Base: 2}},
	"policy heartflow.refusing: it cannot be used":                                                              {Policy: refusing{}},
}

// refusing is a policy that is never valid.
type refusing struct{ MentionOnly }

func (refusing) Validate() error { return errors.New("it cannot be used") }

func TestSettings_InvalidField(t *testing.T) {
	for want, s := range badSettings {
		a := newAttention[int](Options{})
		assert.EqualError(t, a.Configure(1, s), "heartflow: "+want)
		o := Options{Names: s.Names, WakeWords: s.WakeWords, Keywords: s.Keywords, Policy: s.Policy, Caps: s.Caps, Energy: s.Energy, Staleness: s.Staleness}
		if s.QuietHours != nil {
			o.QuietHours = *s.QuietHours
		}
		assert.EqualError(t, o.Validate(), "heartflow: "+want, "also as Options")
	}
	assert.EqualError(t, Options{MaxAge: -1}.Validate(), "heartflow: MaxAge is -1ns: it must not be negative")
	assert.EqualError(t, Options{KeepTraces: 4097}.Validate(), "heartflow: KeepTraces is 4097: it must be at most 4096")
}

// anySettings returns random valid Settings.
func anySettings(r *rand.Rand) Settings {
	s := Settings{Off: r.IntN(10) == 0}
	if r.IntN(2) == 0 {
		s.Caps = Caps{Replies: r.IntN(5), Window: time.Duration(r.IntN(300)) * time.Second, Consecutive: r.IntN(4), ConsecutiveToBots: r.IntN(3)}
	}
	if r.IntN(2) == 0 {
		s.ActiveFor, s.MaxRenewals = time.Duration(r.IntN(200)-20)*time.Second, r.IntN(4)-1
	}
	if r.IntN(2) == 0 {
		s.Policy = []Policy{MentionOnly{}, Interject{}, Interject{Base: .9}, eager{}}[r.IntN(4)]
	}
	if r.IntN(2) == 0 {
		s.Names = []string{"甲"}
	}
	if r.IntN(3) == 0 {
		s.Energy = Energy{ReplyCost: r.Float64(), MinuteGain: r.Float64() - .5, Min: r.Float64() - .1}
	}
	if r.IntN(3) == 0 {
		s.Staleness = Staleness{MaxNewer: r.IntN(4) - 1, MaxNewerAddressed: r.IntN(4) - 1, RepeatWindow: time.Duration(r.IntN(100)-10) * time.Second, MaxSuperseded: r.IntN(3) - 1}
	}
	if r.IntN(4) == 0 {
		s.QuietHours = &QuietHours{Spans: []Span{{From: 12 * time.Hour, To: 13 * time.Hour}}, IgnoreAddressed: r.IntN(2) == 0}
	}
	if r.IntN(2) == 0 {
		s.Limits = &Limits{HourCalls: 1 + r.IntN(20)}
	}
	return s
}

// A failed Configure changes neither the snapshot nor later decisions.
func TestConfigure_InvalidChangesNothing(t *testing.T) {
	for seed := range seeds(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		var traces [2][]string
		var as [2]*Attention[int]
		for i := range as {
			as[i] = newAttention[int](Options{Seed: seed + 1, Policy: Interject{}, OnTrace: func(tr Trace) { traces[i] = append(traces[i], tr.String()) }})
		}
		now := t0
		for range 200 {
			now = now.Add(time.Duration(r.IntN(40)) * time.Second)
			chat, text := r.IntN(3), []string{"甲", "乙", "今天吃火锅吧", "火锅不错"}[r.IntN(4)]
			if r.IntN(5) == 0 {
				s := anySettings(r)
				for _, a := range as {
					require.NoError(t, a.Configure(chat, s))
				}
			}
			for want, bad := range badSettings {
				mixed := anySettings(r) // valid apart from the bad field
				mixed.Caps, mixed.Names, mixed.WakeWords, mixed.Keywords, mixed.Policy = bad.Caps, bad.Names, bad.WakeWords, bad.Keywords, bad.Policy
				mixed.QuietHours, mixed.Energy, mixed.Staleness = bad.QuietHours, bad.Energy, bad.Staleness
				require.ErrorContains(t, as[0].Configure(chat, mixed), want)
			}
			anyStep(r, now, chat, text, as[:]...)
			require.Equal(t, traces[0], traces[1])
		}
		one, err := as[0].Snapshot()
		require.NoError(t, err)
		two, err := as[1].Snapshot()
		require.NoError(t, err)
		require.Equal(t, string(two), string(one))
		require.Equal(t, as[1].Stats(), as[0].Stats())
	}
}

// anyStep applies one random operation to all of them.
func anyStep(r *rand.Rand, now time.Time, chat int, text string, as ...*Attention[int]) {
	m := Message{ID: fmt.Sprint(r.IntN(9)), From: fmt.Sprint(r.IntN(3)), Text: text, AtMe: r.IntN(4) == 0, FromBot: r.IntN(4) == 0}
	if r.IntN(4) == 0 {
		m.Addressees = []string{fmt.Sprint(r.IntN(3))}
	}
	what, d := r.IntN(10), time.Duration(r.IntN(100))*time.Second
	for _, a := range as {
		switch what {
		case 0, 1, 2, 3:
			a.Observe(now, chat, m)
		case 4, 5:
			a.Judge(now, chat)
		case 6:
			a.SkipTurn(now, chat, WhySuperseded)
		case 7:
			a.Mute(now, chat, now.Add(d))
		default:
			_ = a.Speak(now, chat, text)
		}
	}
}

func TestSettings_OneChat(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}, MaxRenewals: -1})
	require.NoError(t, a.Configure(1, Settings{Caps: Caps{Replies: 2, Consecutive: 9}, ActiveFor: time.Minute}))
	say := func(now time.Time, chat, n int) (said int) {
		a.Judge(now, chat)
		for range n {
			if a.Speak(now, chat, "嗯") == nil {
				said++
			}
		}
		return said
	}
	assert.Equal(t, 2, say(t0, 1, 5))
	assert.Equal(t, 3, say(t0, 2, 5), "other chats use the Options")
	assert.Equal(t, Active, a.State(at(time.Minute-1), 1))
	assert.Equal(t, Observing, a.State(at(time.Minute), 1))
	assert.Equal(t, Active, a.State(at(time.Minute), 2))
	var got PolicyInput
	require.NoError(t, a.Configure(1, Settings{Caps: Caps{Window: time.Hour}, Policy: prober{func(m *PolicyInput) Verdict { got = *m; return Verdict{} }}}))
	a.Observe(at(6*time.Minute), 1, Message{})
	a.Judge(at(6*time.Minute), 1)
	assert.Equal(t, 2, got.RecentReplies, "earlier messages count in the longer window")
}

// Narrower caps apply at once, and a longer window counts earlier messages.
func TestConfigure_CapsAtRunTime(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}, Caps: Caps{Consecutive: 100}})
	a.Judge(t0, 1)
	for range 6 {
		require.NoError(t, a.Speak(t0, 1, "嗯"))
	}
	require.NoError(t, a.Configure(1, Settings{Caps: Caps{Replies: 3, Window: time.Hour}}))
	s, err := a.Snapshot()
	require.NoError(t, err)
	b := newAttention[int](Options{Policy: eager{}, Caps: Caps{Consecutive: 100}})
	require.NoError(t, b.Configure(1, Settings{Caps: Caps{Replies: 3, Window: time.Hour}}))
	require.NoError(t, b.Restore(s))
	for _, a := range []*Attention[int]{a, b} {
		a.Judge(at(59*time.Minute), 1)
		err := a.Speak(at(59*time.Minute), 1, "嗯")
		require.ErrorIs(t, err, ErrCapped)
		assert.Equal(t, at(time.Hour), err.(*RefusedError).Until)
		a.Judge(at(time.Hour), 1)
		require.NoError(t, a.Speak(at(time.Hour), 1, "嗯"))
	}
}

func TestSettings_LimitsOfOneChat(t *testing.T) {
	b, levels := newBudget(BudgetOptions{PerChat: Limits{HourCalls: 4}}), map[string]Level{}
	a := newAttention[int](Options{Budget: b, Policy: prober{func(m *PolicyInput) Verdict {
		levels[m.Chat] = m.Level
		return Verdict{}
	}}})
	require.NoError(t, a.Configure(1, Settings{Limits: &Limits{HourTokens: 100}}))
	for range 4 {
		b.AddCall(t0, "1", 20)
		b.AddCall(t0, "2", 20)
	}
	a.Judge(t0, 1)
	assert.Equal(t, []Code{WhyOverBudget}, a.Judge(t0, 2).Why, "4 calls of 4")
	assert.Equal(t, map[string]Level{"1": LevelNoJudge}, levels, "80 tokens of 100, and no limit of calls")
}
